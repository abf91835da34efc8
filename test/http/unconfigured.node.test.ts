import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest"
import { createWorker, type Group } from "../../src/http/app.ts"
import { account } from "../../src/routes/account/group.ts"
import { admin } from "../../src/routes/admin/group.ts"
import { all } from "../../src/routes/all.ts"
import { auth } from "../../src/routes/auth/group.ts"
import { callbacks } from "../../src/routes/callbacks/group.ts"
import { v1 } from "../../src/routes/v1/group.ts"

let logged: MockInstance<typeof console.error>
beforeEach(() => {
  logged = vi.spyOn(console, "error").mockImplementation(() => {})
})
afterEach(() => vi.restoreAllMocks())

const FILES = {}
const SET = {
  DATABASE_URL: "postgres://somebody:canary-password@db.test/turnpike",
  UPSTASH_REDIS_REST_URL: "https://redis.test",
  UPSTASH_REDIS_REST_TOKEN: "canary-token",
  QSTASH_TOKEN: "canary-token",
  QSTASH_CURRENT_SIGNING_KEY: "canary-key",
  QSTASH_NEXT_SIGNING_KEY: "canary-key",
  CALLBACKS_URL: "https://callbacks.test",
  SECRETS_KEYS: `k1:${btoa("0123456789abcdef0123456789abcdef")}`,
  FILES,
}

async function ask(group: Group, path: string, bindings: object = { FILES }, method = "GET") {
  const request = new Request(`https://api.test${path}`, { method })
  const response = await createWorker(group).fetch(request, bindings, {} as ExecutionContext)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe("A worker without variables", () => {
  test("A call of /v1 gets an error in its own format that names the missing variables and how to get them", async () => {
    const { status, headers, text } = await ask(v1, "/v1/me")
    const { error } = JSON.parse(text) as { error: { message: string; request_id: string } }
    expect([status, error]).toEqual([
      503,
      {
        code: "UNAVAILABLE",
        message: expect.stringMatching(
          /^This worker lacks DATABASE_URL, UPSTASH_REDIS_REST_URL, UPSTASH_REDIS_REST_TOKEN, QSTASH_TOKEN, CALLBACKS_URL, SECRETS_KEYS\. Locally, `npm run stack` /,
        ),
        retryable: false,
        request_id: headers.get("x-request-id"),
      },
    ])
    expect(headers.get("cache-control")).toBe("no-store")
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("strict-transport-security")).toBe("max-age=31536000")
    const [line] = logged.mock.calls[0] ?? []
    expect(JSON.parse(String(line))).toMatchObject({
      event: "worker.unconfigured",
      message: error.message,
      request_id: error.request_id,
    })
  })

  test.each([
    ["auth", "/api/auth/me", auth],
    ["account", "/api/account/keys", account],
    ["admin", "/api/admin/system", admin],
    ["all", "/api/nothing", all],
  ])("A call of /api gets an error in its own format: %s %s", async (_name, path, group) => {
    const { status, text } = await ask(group, path)
    expect([status, JSON.parse(text)]).toEqual([
      503,
      { code: "UNAVAILABLE", detail: expect.stringContaining("DATABASE_URL") },
    ])
  })

  test.each([
    ["callbacks", callbacks],
    ["all", all],
  ])("The queue gets the error: %s", async (_name, group) => {
    const { status, text } = await ask(group, "/callbacks/turns/turn_x", undefined, "POST")
    expect([status, text]).toEqual([503, expect.stringContaining("QSTASH_CURRENT_SIGNING_KEY")])
  })

  test("Unknown paths are answered as usual", async () => {
    const { status, text } = await ask(all, "/")
    expect([status, text]).toEqual([404, expect.stringContaining("its reference at /docs")])
  })
})

test("The answer and the log name only missing or wrong variables, and no value", async () => {
  const { QSTASH_TOKEN: _missing, ...others } = SET
  const { status, text } = await ask(all, "/v1/me", { ...others, SECRETS_KEYS: "canary-ring", CALLBACKS_URL: "canary" })
  expect([status, text]).toEqual([
    503,
    expect.stringContaining(
      "This worker lacks QSTASH_TOKEN. These variables have invalid values: CALLBACKS_URL, SECRETS_KEYS. Locally, `npm run stack` ",
    ),
  ])
  expect(text + JSON.stringify(logged.mock.calls)).not.toContain("canary")
})

test("A cron run fails with the same message", async () => {
  const run = createWorker(callbacks).scheduled({}, { FILES }, {} as ExecutionContext)
  await expect(run).rejects.toThrow(/^This worker lacks DATABASE_URL/)
})
