import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { networksOf } from "../../src/base/network.ts"
import { DOORS, UNKNOWN_KEYS } from "../../src/http/policies.ts"
import { generateApiKey } from "../../src/keys/api-key.ts"
import { createPerson } from "../harness/auth.ts"
import { createWorld, type World } from "../harness/world.ts"

const IDP_INTERNAL_SECRET = "a-long-random-secret"
const REDIS_DOWN = [{ service: "redis", call: 1, times: 1e9, action: "fail", when: "before" }] as const

let world: World
beforeAll(async () => {
  world = await createWorld({ env: { IDP_INTERNAL_SECRET } })
})
afterAll(() => world.close())
afterEach(() => vi.useRealTimers())

/**
 * Sends a request without the credential of this entry point. The answer does not reveal whether
 * the request was counted.
 */
async function knock(door: string, address: string, headers: Record<string, string> = {}) {
  const [method = "", path = ""] = door.split(" ")
  const response = await world.invoke(
    new Request(`https://api.test${path}`, {
      method,
      headers: { "sec-fetch-site": "same-origin", "cf-connecting-ip": address, ...headers },
      ...(method === "POST" && { body: "{}" }),
    }),
  )
  const retry = response.headers.get("retry-after")
  return { status: response.status, retry: retry === null ? null : Number(retry), body: await response.text() }
}

/** Calls /v1 as a client with a well-formed key. */
async function withKey(key: string, address: string) {
  const headers = { authorization: `Bearer ${key}`, "cf-connecting-ip": address }
  const response = await world.invoke(new Request("https://api.test/v1/me", { headers }))
  return { status: response.status, headers: response.headers, body: await response.text() }
}

const madeUp = () => generateApiKey("turnpike", false).value

/** More requests than any entry point admits from one network. */
const MANY = 300

/**
 * The number of requests that are admitted before the first 429, each from a different address or
 * all from one.
 */
async function letIn(door: string, address: string | ((n: number) => string)): Promise<number> {
  for (let n = 0; n < MANY; n++) {
    if ((await knock(door, typeof address === "string" ? address : address(n))).status === 429) return n
  }
  return MANY
}

describe("The rate of requests by address", () => {
  test.each(Object.entries(DOORS))("The limit applies to %s", async (door, { burst, everyMs }) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
    const address = `192.0.2.${Object.keys(DOORS).indexOf(door)}`
    // The last failing request gets a Retry-After.
    expect(await letIn(door, address)).toBe(burst)
    const refused = await knock(door, address)
    expect([refused.status, refused.retry]).toEqual([429, Math.ceil((everyMs + 1) / 1000)])
    expect(JSON.parse(refused.body)).toMatchObject({ code: "LOGIN_THROTTLED" })
    expect((await knock(door, "198.51.100.77")).status).not.toBe(429)
    vi.setSystemTime(Date.now() + (refused.retry ?? 0) * 1000)
    expect((await knock(door, address)).status).not.toBe(429)
  })

  test("A request from a refused address calls no service", async () => {
    const address = "192.0.2.99"
    await letIn("POST /api/auth/tg-login/start", address)
    await world.plan([])
    for (let n = 0; n < 5; n++) expect((await knock("POST /api/auth/tg-login/start", address)).status).toBe(429)
    expect(await world.plan([])).toEqual([])
  })

  test("A page of the login flow shows the refusal as a page", async () => {
    const address = "192.0.2.98"
    await letIn("GET /api/auth/oauth-login/start", address)
    const { status, body } = await knock("GET /api/auth/oauth-login/start", address, { accept: "text/html" })
    expect([status, body.includes("<h1>Too many attempts</h1>")]).toEqual([429, true])
  })

  test("A HEAD request counts as GET", async () => {
    const address = "192.0.2.97"
    await letIn("GET /api/auth/oauth-login/start", address)
    expect((await knock("HEAD /api/auth/oauth-login/start", address)).status).toBe(429)
  })

  test("IPv6 networks count together: /64, and /56 and /48 with higher limits", async () => {
    expect(networksOf("2001:db8:abcd:12ff::7")).toEqual([
      "2001:db8:abcd:12ff::/64",
      "2001:db8:abcd:1200::/56",
      "2001:db8:abcd:0::/48",
    ])
    const door = "POST /api/auth/tg-login/start"
    const { burst } = DOORS[door] as { burst: number }
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
    expect(await letIn(door, (n) => `2001:db8:1:100::${n.toString(16)}`)).toBe(burst)
    // An address that is refused uses none of its neighbours' allowance, however often it tries.
    for (let n = 0; n < burst; n++) expect((await knock(door, "2001:db8:1:100::1")).status).toBe(429)
    // Each comes from a different /64 in the same /56, whose limit is twice as high. The refused
    // one has counted there.
    expect(await letIn(door, (n) => `2001:db8:1:1${(n + 1).toString(16).padStart(2, "0")}::1`)).toBe(burst - 1)
    // Each comes from a different /56 in the same /48, whose limit is four times as high.
    expect(await letIn(door, (n) => `2001:db8:1:${(n + 2).toString(16)}00::1`)).toBe(2 * burst - 1)
    expect((await knock(door, "2001:db8:2::1")).status).not.toBe(429)
  })
})

describe("Requests with a valid credential", () => {
  test("A server with the internal secret is never counted", async () => {
    const headers = { "x-internal-secret": IDP_INTERNAL_SECRET, "content-type": "application/json" }
    const body = JSON.stringify({ issuer: "https://id.test", subject: "7", email_verified: false })
    const { burst } = DOORS["POST /api/auth/idp/session"] as { burst: number }
    const seen = new Set<number>()
    for (let n = 0; n < burst + 10; n++) {
      const request = new Request("https://api.test/api/auth/idp/session", {
        method: "POST",
        headers: { ...headers, "cf-connecting-ip": "203.0.113.1" },
        body,
      })
      const response = await world.invoke(request)
      expect(response.headers.get("server-timing")).toMatch(/redis;dur=0.0;desc="calls=0"/)
      seen.add(response.status)
    }
    expect([...seen]).toEqual([200])
  })

  test("A request with a session is never counted, whatever its address has done", async () => {
    const { userId } = await createPerson(world)
    const person = await world.signIn(userId)
    const address = "203.0.113.2"
    await letIn("POST /api/auth/magic", address)
    expect((await person.call("GET", "/api/auth/me", undefined, { "cf-connecting-ip": address })).status).toBe(200)
  })
})

describe("API keys that do not exist", () => {
  test("Unknown keys are counted by address and then refused, and a valid key is not", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
    const address = "203.0.113.3"
    const client = await world.createAccount()
    const other = await world.createAccount()
    expect((await withKey(client.key, address)).status).toBe(200)
    for (let n = 0; n < UNKNOWN_KEYS.burst; n++) expect((await withKey(madeUp(), address)).status).toBe(401)
    const refused = await withKey(madeUp(), address)
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([
      429,
      String(Math.ceil((UNKNOWN_KEYS.everyMs + 1) / 1000)),
    ])
    expect(refused.headers.get("www-authenticate")).toBeNull()
    expect(JSON.parse(refused.body).error).toMatchObject({
      code: "TOO_MANY_UNKNOWN_KEYS",
      retryable: true,
    })
    // A key that this isolate knows, and one that it does not.
    for (const { key } of [client, other]) {
      const { status, headers } = await withKey(key, address)
      expect([status, headers.get("server-timing")]).toEqual([
        200,
        expect.stringMatching(/redis;dur=0.0;desc="calls=0"/),
      ])
    }
    expect((await withKey(madeUp(), "203.0.113.4")).status).toBe(401)
  })

  test("Few unknown keys are looked up concurrently from a refused address", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
    const address = "203.0.113.5"
    for (let n = 0; n <= UNKNOWN_KEYS.burst; n++) await withKey(madeUp(), address)
    await world.plan([])
    const seen = await Promise.all(Array.from({ length: 200 }, () => withKey(madeUp(), address)))
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([429]))
    const statements = (await world.plan([])).filter(({ service }) => service === "pg")
    expect(statements.length).toBeLessThanOrEqual(8)
  })
})

test("Without Redis new sign-ins fail, and keys and sessions work", async () => {
  const client = await world.createAccount()
  const { userId } = await createPerson(world)
  const person = await world.signIn(userId)
  await world.plan([...REDIS_DOWN])
  try {
    const address = "203.0.113.6"
    for (const door of Object.keys(DOORS)) {
      const { status, retry } = await knock(door, address)
      expect([status, retry], door).toEqual([503, 60])
    }
    expect((await withKey(client.key, address)).status).toBe(200)
    expect((await withKey(madeUp(), address)).status).toBe(401)
    expect((await person.call("GET", "/api/auth/me", undefined, { "cf-connecting-ip": address })).status).toBe(200)
  } finally {
    await world.clearFaults()
  }
})
