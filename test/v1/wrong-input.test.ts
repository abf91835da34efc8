import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { MESSAGE_POLICY } from "../../src/turns/policies.ts"
import type { Turn } from "../../src/turns/schemas.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount()
  space = await client.space()
})
afterAll(() => world.close())

interface ApiError {
  error: { code: string; message: string; param?: string; retryable: boolean; request_id: string }
}

/** Asserts a documented refusal with a useful message, and that no row was written. */
async function expectRefused(send: () => Promise<Response>, status: number, code: string, param?: string) {
  const before = await fingerprint()
  const response = await send()
  const body = (await response.json()) as ApiError
  expect([response.status, body.error?.code], JSON.stringify(body)).toEqual([status, code])
  if (param !== undefined) expect(body.error.param).toBe(param)
  expect(body.error.message.length).toBeGreaterThan(10)
  expect(body.error.request_id).toBe(response.headers.get("x-request-id"))
  await world.settled()
  expect(await fingerprint(), "nothing was written").toEqual(before)
}

function fingerprint() {
  const tables = ["spaces", "conversations", "turns", "turn_log", "ledger", "usage"]
  const counts = tables.map((name) => `(select count(*) from ${name}) as ${name}`).join(", ")
  return world.sql(`select ${counts}, (select sum(held_credit_micros) from wallets) as held`)
}

const long = (length: number) => "x".repeat(length)

const TURN_FAULTS: Record<string, unknown[]> = {
  space: [undefined, null, 7, "", long(65), [], {}, "spc_\u0000"],
  end_user_ref: [undefined, null, 7, "", long(129), [], {}, "a\u0000b", "\ud800"],
  text: [undefined, null, 7, "", " \n\t", long(100_001), [], {}, "a\u0000b"],
  conversation: [null, 7, "", long(129), [], "\u0000"],
  model: [null, 7, "", long(129), [], "no/such-model", "\u0000"],
  max_cost_usd: [null, "1e0", "one", "0", 0, -1, 1_000_001, 0.00000001, [], {}],
  timeout_seconds: [null, "1", 0, -1, 1.5, 3601, {}],
  metadata: [
    null,
    "x",
    7,
    [],
    { a: 1 },
    { [long(65)]: "x" },
    { a: long(513) },
    tooManyPairs(),
    { "": "x" },
    { a: "\u0000" },
    { "b\udc00": "x" },
  ],
  unknown_field: ["x"],
}

const SPACE_FAULTS: Record<string, unknown[]> = {
  title: [undefined, null, 7, "", "   ", long(201), [], {}, "a\u0000b", "\ud800"],
  model: [null, 7, "", long(129), "no/such-model", "\u0000"],
  manifest: [
    { instructions: "\u0000" },
    { instructions: "\udfff" },
    null,
    7,
    "x",
    [],
    { unknown: 1 },
    { temperature: 3 },
    { max_steps: 0 },
    { history: { max_turns: -1 } },
  ],
  metadata: [null, "x", { a: 1 }, { a: "\u0000" }, { "\u0000": "x" }],
  unknown_field: ["x"],
}

function tooManyPairs() {
  return Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, "v"]))
}

describe("Each field of each body", () => {
  test.each(Object.entries(TURN_FAULTS))("The operation POST /v1/turns refuses a wrong %s", async (field, values) => {
    for (const value of values) {
      const body = { space, end_user_ref: "c", text: "t", [field]: value }
      const send = () => client.call("POST", "/v1/turns", body, { "idempotency-key": crypto.randomUUID() })
      await expectRefused(send, 422, "VALIDATION_FAILED")
    }
  })
  test.each(Object.entries(SPACE_FAULTS))("The operation POST /v1/spaces refuses a wrong %s", async (field, values) => {
    for (const value of values) {
      const send = () => client.call("POST", "/v1/spaces", { title: "t", [field]: value })
      await expectRefused(send, 422, "VALIDATION_FAILED")
    }
  })
  test("The message names the wrong field", async () => {
    const turn = (body: object) => () =>
      client.call("POST", "/v1/turns", body, { "idempotency-key": crypto.randomUUID() })
    await expectRefused(turn({ space, text: "t" }), 422, "VALIDATION_FAILED", "end_user_ref")
    await expectRefused(turn({ space, end_user_ref: "c", text: "t", txt: "t" }), 422, "VALIDATION_FAILED", "txt")
    await expectRefused(turn({ space, end_user_ref: "c", text: "t", model: "a/b" }), 422, "VALIDATION_FAILED", "model")
  })
  test("A body that is not an object is refused", async () => {
    for (const body of ["[]", "null", "7", '"x"']) {
      const send = () => client.call("POST", "/v1/turns", body, { "idempotency-key": "k" })
      await expectRefused(send, 422, "VALIDATION_FAILED")
    }
  })
})

describe("The envelope", () => {
  const headers = { "idempotency-key": "envelope" }
  const good = () => JSON.stringify({ space, end_user_ref: "c", text: "t" })

  test("Broken JSON and an empty body are refused", async () => {
    for (const body of ["{", "{'a':1}", '{"space":', "", "\u0000"]) {
      await expectRefused(() => client.call("POST", "/v1/turns", body, headers), 400, "INVALID_JSON")
    }
  })
  test("A wrong content type is refused", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/jsonx",
    ]) {
      const send = () => client.call("POST", "/v1/turns", good(), { ...headers, "content-type": type })
      await expectRefused(send, 415, "UNSUPPORTED_MEDIA_TYPE")
    }
  })
  test("A wrong method and an unknown path are refused", async () => {
    await expectRefused(() => client.call("PUT", "/v1/turns", good()), 405, "METHOD_NOT_ALLOWED")
    await expectRefused(() => client.call("DELETE", "/v1/me"), 405, "METHOD_NOT_ALLOWED")
    await expectRefused(() => client.call("GET", "/v1/nothing"), 404, "NOT_FOUND")
    await expectRefused(() => client.call("GET", "/elsewhere"), 404, "NOT_FOUND")
    const response = await client.call("PATCH", "/v1/turns", {})
    expect(response.headers.get("allow")).toBe("POST, GET, HEAD")
  })
  test("A body above the size limit is refused, with and without a declared length", async () => {
    const body = JSON.stringify({ space, end_user_ref: "c", text: long(MESSAGE_POLICY.bodyBytes) })
    await expectRefused(() => client.call("POST", "/v1/turns", body, headers), 413, "PAYLOAD_TOO_LARGE")
    const stream = new Blob([body]).stream()
    const request = new Request("https://api.test/v1/turns", {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${client.key}`, "content-type": "application/json" },
      body: stream,
    })
    await expectRefused(() => world.invoke(request), 413, "PAYLOAD_TOO_LARGE")
  })
  test("A body with only unknown fields, or with too many values, is refused", async () => {
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [n.toString(36), 1]))
    const response = await client.call("POST", "/v1/turns", fields(40_000), headers)
    const text = await response.text()
    expect([response.status, JSON.parse(text).error.details.length]).toEqual([422, 100])
    expect(text.length).toBeLessThan(50_000)
    await expectRefused(() => client.call("POST", "/v1/turns", fields(121_836), headers), 422, "VALIDATION_FAILED")
    const login = { method: "POST", headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" } }
    const attack = new Request("https://api.test/api/auth/login", { ...login, body: JSON.stringify(fields(121_836)) })
    expect((await world.invoke(attack)).status).toBe(413)
  })
  test("A missing or malformed Idempotency-Key is refused", async () => {
    await expectRefused(() => client.call("POST", "/v1/turns", good()), 400, "IDEMPOTENCY_KEY_REQUIRED")
    for (const key of [long(256), "clé", '"unclosed', "tab\there"]) {
      const send = () => client.call("POST", "/v1/turns", good(), { "idempotency-key": key })
      if (key === '"unclosed') expect((await send()).status).toBe(202)
      else await expectRefused(send, 400, "IDEMPOTENCY_KEY_INVALID")
    }
  })
  test("Wrong query parameters are refused", async () => {
    for (const query of [
      "limit=0",
      "limit=101",
      "limit=x",
      "state=gone",
      "created_after=yesterday",
      "foo=1",
      "cursor=zzz",
    ]) {
      await expectRefused(() => client.call("GET", `/v1/turns?${query}`), 422, "VALIDATION_FAILED", query.split("=")[0])
    }
    const instants = [
      "0000-01-01T00:00:00Z",
      "2026-02-30T00:00:00Z",
      "0001-01-01T00:00:00Z",
      "9999-12-31T23:59:59-23:59",
    ]
    for (const instant of instants) {
      const path = `/v1/turns?created_before=${instant}`
      await expectRefused(() => client.call("GET", path), 422, "VALIDATION_FAILED", "created_before")
    }
    for (const good of ["2026-01-01T00:00:00%2B23:59", "9999-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z"]) {
      expect((await client.call("GET", `/v1/turns?created_after=${good}`)).status).toBe(200)
    }
    for (const name of ["space", "end_user_ref", "conversation", "key"]) {
      await expectRefused(() => client.call("GET", `/v1/turns?${name}=a%00`), 422, "VALIDATION_FAILED", name)
    }
    await expectRefused(() => client.call("GET", "/v1/turns/%00"), 422, "VALIDATION_FAILED", "turn_id")
    await expectRefused(() => client.call("POST", "/v1/turns/%00/cancel"), 422, "VALIDATION_FAILED", "turn_id")
    await expectRefused(() => client.call("GET", "/v1/turns/turn_x?wait=31"), 422, "VALIDATION_FAILED", "wait")
  })
})

describe("Keys", () => {
  const asKey = (authorization: string | null) => () =>
    world.invoke(new Request("https://api.test/v1/me", { headers: authorization === null ? {} : { authorization } }))

  test("Malformed and mistyped keys are refused without a database call", async () => {
    const key = client.key
    const mistyped = key.slice(0, 20) + (key[20] === "a" ? "b" : "a") + key.slice(21)
    const bad = [null, "", "Bearer", "Bearer ", `Basic ${key}`, key, `Bearer ${key}x`, `Bearer ${key.slice(0, -1)}`]
    for (const header of [
      ...bad,
      `Bearer ${mistyped}`,
      `Bearer ${key.replace("turnpike", "other")}`,
      "Bearer \u00e9",
    ]) {
      const response = await asKey(header)()
      const body = (await response.json()) as ApiError
      expect([response.status, body.error.code], String(header)).toEqual([401, "INVALID_API_KEY"])
      expect(response.headers.get("server-timing")).toContain('pg;dur=0.0;desc="calls=0"')
    }
  })
  test("Unknown, revoked and expired keys, and keys of a disabled user, are refused", async () => {
    const { generateApiKey } = await import("../../src/keys/api-key.ts")
    const unknown = generateApiKey("turnpike", false)
    await expectRefused(asKey(`Bearer ${unknown.value}`), 401, "INVALID_API_KEY")
    const revoked = await world.makeKey(client.userId)
    await world.sql("update api_keys set revoked_at = now() where key_id = $1", [revoked.key_id])
    await expectRefused(asKey(`Bearer ${revoked.value}`), 401, "INVALID_API_KEY")
    const expired = await world.makeKey(client.userId, { expiresAt: world.clock.now() })
    await expectRefused(asKey(`Bearer ${expired.value}`), 401, "API_KEY_EXPIRED")
    const other = await world.createAccount()
    await world.sql("update users set disabled_at = now() where user_id = $1", [other.userId])
    await expectRefused(() => other.call("GET", "/v1/me"), 401, "INVALID_API_KEY")
  })
})

describe("Another tenant's ids", () => {
  test("No operation finds another tenant's ids", async () => {
    const other = await world.createAccount()
    const theirs = await other.space()
    const turn = (await (await other.sendTurn({ space: theirs })).json()) as Turn
    await world.settled()
    const turnPath = `/v1/turns/${turn.turn_id}`
    await expectRefused(() => client.call("GET", `/v1/spaces/${theirs}`), 404, "NOT_FOUND")
    await expectRefused(() => client.sendTurn({ space: theirs }), 404, "NOT_FOUND", "space")
    await expectRefused(() => client.call("GET", turnPath), 404, "NOT_FOUND")
    await expectRefused(() => client.call("GET", `${turnPath}/events`), 404, "NOT_FOUND")
    await expectRefused(() => client.call("POST", `${turnPath}/cancel`), 404, "NOT_FOUND")
    const conversation = turn.conversation
    await expectRefused(() => client.sendTurn({ space, conversation }), 404, "NOT_FOUND", "conversation")
    const list = (await (await client.call("GET", "/v1/turns?limit=100")).json()) as { data: Turn[] }
    expect(list.data.map((row) => row.space)).not.toContain(theirs)
    expect((await (await client.call("GET", `/v1/turns?space=${theirs}`)).json()) as object).toMatchObject({ data: [] })
    expect((await other.getTurn(turn.turn_id)).state).toBe("queued")
  })
})
