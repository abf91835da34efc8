import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { App } from "../../src/http/app.ts"
import { account } from "../../src/routes/account/group.ts"
import { endSession } from "../../src/sign-in/end-session.ts"
import { ORIGIN } from "../harness/dashboard.ts"
import { staticFile } from "../harness/served.ts"
import { createWorld, type World } from "../harness/world.ts"

const ME = "/api/account/me"
const DAY_MS = 24 * 3_600_000

let world: World
beforeAll(async () => {
  world = await createWorld({ failing: /^42703 get_me$/ })
})
afterAll(() => world.close())

const owner = async () => world.signIn((await world.createAccount()).userId)

describe("A session", () => {
  test("A session identifies its user and costs one statement per request", async () => {
    const client = await world.createAccount({ usd: 2 })
    const response = await (await world.signIn(client.userId)).call("GET", ME)
    expect(response.headers.get("server-timing")).toContain('desc="calls=1", redis;dur=0.0;desc="calls=0"')
    expect(response.headers.get("x-request-id")).toMatch(/^req_/)
    expect(response.headers.get("set-cookie")).toBeNull()
    expect(await response.json()).toMatchObject({
      user: { user_id: client.userId, role: "user" },
      balance: { balance_usd: 2, held_usd: 0, available_usd: 2 },
    })
  })

  test("A missing, forged or foreign session gets 401 without any I/O", async () => {
    const browser = await owner()
    const [header, claims, signature] = browser.cookie().split(".")
    const none = btoa('{"alg":"none"}').replace(/=+$/, "")
    for (const cookie of [
      null,
      "token=",
      "token=x",
      `token=${header}.${claims}.`,
      `token=${none}.${claims}.`,
      `token=${header}.${btoa("{}")}.${signature}`,
    ]) {
      const response = await browser.call("GET", ME, undefined, { cookie })
      expect([response.status, await response.json()], String(cookie)).toEqual([
        401,
        { detail: expect.stringMatching(/sign in/i), code: "SESSION_REQUIRED" },
      ])
      expect(response.headers.get("server-timing")).toContain('pg;dur=0.0;desc="calls=0"')
    }
  })

  test("An ended session or a disabled user fails on the next request", async () => {
    const browser = await owner()
    const other = await world.signIn(browser.userId)
    expect((await browser.call("GET", ME)).status).toBe(200)
    await endSession(browser.context, { kind: "session", token: browser.token, test: false })
    expect((await browser.json("GET", ME))[1]).toMatchObject({ code: "SESSION_REQUIRED" })
    expect((await other.call("GET", ME)).status).toBe(200)
    await world.sql("update users set disabled_at = now() where user_id = $1", [browser.userId])
    expect((await other.call("GET", ME)).status).toBe(401)
  })

  test("The expiry of a session moves with its use: its cookie is renewed after an hour and ends 30 days after the last use", async () => {
    const browser = await owner()
    const first = browser.cookie()
    await world.advance(3_600_000)
    const renewed = (await browser.call("GET", ME)).headers.get("set-cookie")
    expect(renewed).toMatch(/^token=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    expect(browser.cookie()).not.toBe(first)
    expect((await browser.call("GET", ME)).headers.get("set-cookie")).toBeNull()
    await world.advance(30 * DAY_MS - 1)
    expect((await browser.call("GET", ME)).status).toBe(200)
    await world.advance(30 * DAY_MS)
    expect((await browser.call("GET", ME)).status).toBe(401)
  })

  test("Every key of the ring verifies a session, and the newest key signs", async () => {
    const browser = await owner()
    const old = world.env.SECRETS_KEYS as string
    const next = `next:${btoa("fedcba9876543210fedcba9876543210")}`
    try {
      world.rebind({ SECRETS_KEYS: `${next},${old}` })
      expect((await browser.call("GET", ME)).status).toBe(200)
      await world.advance(3_600_000)
      expect((await browser.call("GET", ME)).headers.get("set-cookie")).toContain("token=")
      world.rebind({ SECRETS_KEYS: next })
      expect((await browser.call("GET", ME)).status).toBe(200)
    } finally {
      world.rebind({ SECRETS_KEYS: old })
    }
    expect((await browser.call("GET", ME)).status).toBe(401)
  })
})

describe("Operations that write", () => {
  const app = new App()
  account.mount(app)
  const unsafe = app.operations.filter(({ method }) => method !== "get")

  test("The document has operations that write", () => expect(unsafe.length).toBeGreaterThan(5))

  test.each(
    unsafe.map(
      ({ id, method, path, upload = false }) =>
        [id, method.toUpperCase(), path.replace(/\{\w+\}/g, "some_id"), upload] as const,
    ),
  )(
    "%s is accepted only from our own pages, and only as JSON unless it is a file",
    async (_id, method, path, upload) => {
      const browser = await owner()
      const attempts: [string, Record<string, string | null>][] = [
        ["neither header", { "sec-fetch-site": null }],
        ["another site", { "sec-fetch-site": "cross-site" }],
        ["a sibling", { "sec-fetch-site": "same-site", origin: ORIGIN }],
        ["no page", { "sec-fetch-site": "none" }],
        ["another origin", { "sec-fetch-site": null, origin: "https://evil.test" }],
        ["another port", { "sec-fetch-site": null, origin: `${ORIGIN}:8443` }],
        ["another scheme", { "sec-fetch-site": null, origin: "http://api.test" }],
        ["no origin to name", { "sec-fetch-site": null, origin: "null" }],
      ]
      for (const [what, headers] of attempts) {
        const [status, body] = await browser.json(method, path, {}, headers)
        expect([status, body.code], what).toEqual([403, "CROSS_ORIGIN"])
      }
      for (const headers of [{}, { "sec-fetch-site": null, origin: ORIGIN }]) {
        const [status] = await browser.json(method, path, {}, headers)
        expect([200, 404, 422]).toContain(status)
      }
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
        const crossed = await browser.json(method, path, "{}", { "content-type": type, "sec-fetch-site": "cross-site" })
        expect([crossed[0], crossed[1].code], type).toEqual([403, "CROSS_ORIGIN"])
        if (upload) continue
        const [status, body] = await browser.json(method, path, "{}", { "content-type": type })
        expect([status, body.code], type).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"])
      }
    },
  )
})

describe("Errors of the dashboard's API", () => {
  test("Every error of a form is listed in the format that FastAPI's clients know", async () => {
    const browser = await owner()
    const [status, body] = await browser.json("POST", "/api/account/keys", {
      scope: "none",
      caps: { daily_usd: -1 },
      more: 1,
    })
    expect(status).toBe(422)
    expect(body).toEqual({
      detail: [
        { loc: ["body", "name"], msg: expect.any(String), type: "missing" },
        { loc: ["body", "scope"], msg: expect.any(String), type: "enum" },
        { loc: ["body", "caps", "daily_usd"], msg: expect.any(String), type: "greater_than_equal" },
        { loc: ["body", "more"], msg: expect.any(String), type: "extra_forbidden" },
      ],
    })
    const fault = async (method: string, path: string, sent?: unknown) => {
      const [status, { detail }] = await browser.json(method, path, sent)
      expect(status, path).toBe(422)
      return [detail[0].loc, detail[0].type]
    }
    expect(await fault("GET", "/api/account/keys?limit=201")).toEqual([["query", "limit"], "less_than_equal"])
    expect(await fault("GET", "/api/account/keys?offset=-1")).toEqual([["query", "offset"], "greater_than_equal"])
    expect(await fault("GET", `/api/account/keys/${"x".repeat(129)}`)).toEqual([["path", "key_id"], "string_too_long"])
    expect(await fault("POST", "/api/account/keys", { name: " " })).toEqual([["body", "name"], "string_too_short"])
    // Refusals by a verb have the same format.
    expect(await fault("POST", "/api/account/keys", { name: "x", expires_at: "2020-01-01T00:00:00Z" })).toEqual([
      ["body", "expires_at"],
      "value_error",
    ])
  })

  test("A missing resource is 404, and an impossible change is a conflict", async () => {
    const browser = await owner()
    for (const path of ["/api/nothing", "/api/account/nothing", "/api/account/keys/key_none", "/api"]) {
      expect(await browser.json("GET", path)).toEqual([404, { detail: expect.any(String), code: "NOT_FOUND" }])
    }
    const put = await browser.call("PUT", "/api/account/keys", {})
    expect([put.status, put.headers.get("allow")]).toEqual([405, "POST, GET, HEAD"])
    expect(await put.json()).toEqual({ detail: expect.any(String), code: "METHOD_NOT_ALLOWED" })
    expect(await browser.json("POST", "/api/account/keys", "{")).toEqual([
      400,
      { detail: expect.any(String), code: "INVALID_JSON" },
    ])
  })

  test("An internal error is a 500 without details, and an unreachable database is a 503", async () => {
    const browser = await owner()
    await world.plan([{ service: "pg", call: 1, action: "fail", when: "before" }])
    const away = await browser.json("GET", ME).finally(world.clearFaults)
    expect(away).toEqual([503, { detail: expect.stringContaining("Retry"), code: "UNAVAILABLE" }])
    await world.sql("alter table sessions rename ended_at to canary")
    const broken = await browser
      .json("GET", ME)
      .finally(() => world.sql("alter table sessions rename canary to ended_at"))
    expect(broken).toEqual([500, { detail: expect.stringContaining("request id"), code: "INTERNAL" }])
    expect((await browser.call("GET", ME)).status).toBe(200)
  })
})

test("The document at /api/openapi.json describes every operation, its cookie and its errors", async () => {
  const response = await staticFile("/api/openapi.json")
  type Answer = { content?: Record<string, { schema: { $ref?: string } }> }
  const document = (await response.json()) as {
    paths: Record<string, Record<string, { responses: Record<string, { $ref?: string }> }>>
    components: { securitySchemes: object; schemas: object; responses: Record<string, Answer> }
  }
  expect(document.components.securitySchemes).toMatchObject({
    session: { type: "apiKey", in: "cookie", name: "token" },
  })
  expect(Object.keys(document.paths).filter((path) => !path.startsWith("/api/"))).toEqual([])
  const { responses } = document.paths["/api/account/keys"]?.post ?? { responses: {} }
  const schemaOf = (status: number) => {
    const shared = document.components.responses[responses[status]?.$ref?.split("/").at(-1) ?? ""]
    return shared?.content?.["application/json"]?.schema.$ref
  }
  expect(Object.keys(responses)).toEqual(
    expect.arrayContaining(["201", "400", "401", "403", "404", "413", "415", "422", "503"]),
  )
  expect(schemaOf(422)).toBe("#/components/schemas/HTTPValidationError")
  expect(schemaOf(401)).toBe("#/components/schemas/DashboardError")
})
