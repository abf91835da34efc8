import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { COUNTED_CALLS } from "../../src/environment/key-use.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { setServingAccount } from "../harness/analytics-world.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { addModel, MODEL_PIN } from "../harness/models.ts"
import { PROVIDER_URL, type ProviderScript, scriptProvider } from "../harness/scripted-provider.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const KEY = "engines.OPENAI_API_KEY"
const CANARY = "canary-sk-0123456789"
const WORKERS = "key-of-the-worker"
const FILES_URL = "https://other.test/v1"

let world: World
let admin: Admin
let client: TestClient
let space: string
/** The host and key of each model call. */
let calls: string[] = []
/** Runs before a model call is answered. */
let onCall = async () => {}
let script: (n: number) => ProviderScript = () => ({ words: ["hello"] })
const logged: string[] = []
beforeAll(async () => {
  for (const level of ["info", "error", "log", "warn"] as const) {
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => void logged.push(parts.map(String).join(" ")))
  }
  const env = { OPENAI_BASE_URL: PROVIDER_URL, OPENAI_API_KEY: WORKERS, LOG_LEVEL: "info" }
  world = await createWorld({ env })
  admin = await signInAdmin(world)
  await addModel(world)
  client = await world.createAccount()
  space = await client.space({ model: MODEL_PIN, manifest: { builtin_tools: ["list_files"] } })
  for (const host of ["model.test", "other.test"]) {
    world.serve(host, async (request) => {
      calls.push(`${host} ${request.headers.get("authorization")}`)
      await onCall()
      return scriptProvider(world, (_asked) => script(calls.length)).serve(request)
    })
  }
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})
beforeEach(() => {
  calls = []
  onCall = async () => {}
  script = () => ({ words: ["hello"] })
})

const put = (key: string, value: unknown, headers: Record<string, string> = {}) =>
  admin.call("PUT", `/api/admin/api-keys/${key}`, { value }, headers)
const list = async () => {
  const [, { items }] = await admin.json("GET", "/api/admin/api-keys")
  return new Map((items as { key_id: string }[]).map((item) => [item.key_id, item]))
}

test("The list has every key that engines know, initially without value and use", async () => {
  const keys = await list()
  expect([...keys.keys()]).toEqual([
    "engines.ANTHROPIC_API_KEY",
    "engines.ANTHROPIC_BASE_URL",
    "engines.OPENAI_API_KEY",
    "engines.OPENAI_BASE_URL",
  ])
  expect(keys.get(KEY)).toEqual({
    key_id: KEY,
    file: "engines",
    name: "OPENAI_API_KEY",
    is_set: false,
    last_four: null,
    providers: ["openai", "openai-compatible"],
    calls: 0,
    tokens_input: 0,
    tokens_cached: 0,
    tokens_output: 0,
    cost_usd: 0,
    last_used_at: null,
    counted_since: null,
    version: 0,
    updated_at: null,
    updated_by: null,
  })
})

test("Without a file the worker's variable is used; a change takes effect at the next call, also within a turn", async () => {
  await client.runTurn({ space })
  expect(calls).toEqual([`model.test Bearer ${WORKERS}`])
  calls = []
  onCall = async () => {
    if (calls.length === 1) await put(KEY, CANARY)
  }
  script = (n) => (n > 1 ? { words: ["done"] } : { calls: [{ name: "list_files", arguments: "{}" }] })
  await client.runTurn({ space })
  expect(calls).toEqual([`model.test Bearer ${WORKERS}`, `model.test Bearer ${CANARY}`])
})

test("A key that was set is shown by its last 4 characters, version and author, and its value appears nowhere", async () => {
  const response = await put(KEY, `${CANARY}-wxyz`)
  const answer = (await response.json()) as { version: number }
  expect(response.headers.get("etag")).toBe(`"${answer.version}"`)
  expect(answer).toMatchObject({
    key_id: KEY,
    is_set: true,
    last_four: "wxyz",
    updated_at: world.clock.now().toISOString(),
    updated_by: { user_id: admin.userId, name: "Ada" },
  })
  expect((await list()).get(KEY)).toEqual(answer)
  // A failed call is logged and counted, without the key.
  script = () => ({ status: 401 })
  await client.runTurn({ space })
  const [{ all } = { all: "" }] = await world.sql<{ all: string }>(
    `select concat((select string_agg(e::text, '') from environment_files e), (select string_agg(a::text, '') from audit_log a),
       (select string_agg(t::text, '') from turns t), (select string_agg(v::text, '') from turn_log v),
       (select string_agg(i::text, '') from infrastructure_errors i)) as all`,
  )
  const text = all + JSON.stringify(await (await admin.call("GET", "/api/admin/api-keys")).json()) + logged.join("\n")
  expect(text).toContain("model_call")
  expect(text).not.toContain("canary")
  expect(await put(KEY, `${CANARY}-wxyz`).then((same) => same.json())).toEqual(answer)
})

interface Use {
  calls: number
  tokens_input: number
  tokens_output: number
  cost_usd: number
  last_used_at: string | null
}
const useOf = async (key: string) => (await list()).get(key) as unknown as Use

test("A key's use counts its calls with tokens, cost and last use, for keyed turns and web chats", async () => {
  const before = await useOf(KEY)
  await world.advance(1000)
  const turn = await client.runTurn({ space })
  const browser = await world.signIn(client.userId)
  await browser.json("POST", "/api/account/chat/turns", { space, text: "hello" })
  await world.drain()
  const after = await useOf(KEY)
  const added = (name: "calls" | "tokens_input" | "tokens_output" | "cost_usd") => after[name] - before[name]
  expect(added("calls")).toBe(2)
  expect(added("tokens_input")).toBe(turn.usage.tokens_input * 2)
  expect(added("tokens_output")).toBe(turn.usage.tokens_output * 2)
  expect(added("cost_usd")).toBeCloseTo(turn.billed_cost_usd * 2, 7)
  expect(after.last_used_at).toBe(world.clock.now().toISOString())
  expect((await useOf("engines.ANTHROPIC_API_KEY")).calls).toBe(0)
})

test("Calls that a pool's account served do not count for any key", async () => {
  const before = await useOf(KEY)
  await world.advance(1000)
  await setServingAccount(world, "member-a")
  await client.runTurn({ space })
  await setServingAccount(world, null)
  expect(await useOf(KEY)).toEqual(before)
  // A numeric `subscription_id` is a plan, not a provider account, so the key served this call.
  await setServingAccount(world, "17")
  await client.runTurn({ space })
  await setServingAccount(world, null)
  expect((await useOf(KEY)).calls).toBe(before.calls + 1)
})

test("A key that was never set has no calls, and a new key has no calls from before it was set", async () => {
  await world.sql("delete from environment_keys")
  await world.sql("delete from environment_files")
  await client.runTurn({ space })
  expect(await useOf(KEY)).toMatchObject({ is_set: false, calls: 0, tokens_input: 0, cost_usd: 0, last_used_at: null })
  await world.advance(60_000)
  await put(KEY, CANARY)
  expect(await useOf(KEY)).toMatchObject({ is_set: true, calls: 0, last_used_at: null, counted_since: null })
  await world.advance(60_000)
  await client.runTurn({ space })
  expect((await useOf(KEY)).calls).toBe(1)
  await put(KEY, `${CANARY}-rotated`)
  expect((await useOf(KEY)).calls, "another value is the same key").toBe(1)
})

test("Of more calls than are counted, keyed and chat together, those of the newest turns count, since the first of them", async () => {
  const half = COUNTED_CALLS / 2
  const from = world.clock.ms() + 1
  // Of the keyed calls, which are older, the second half counts.
  for (const [key, count, at] of [
    ["key_many", COUNTED_CALLS, from],
    [null, half, from + COUNTED_CALLS],
  ] as const) {
    await world.sql(
      `insert into model_calls (turn_id, step, user_id, space_id, key_id, end_user_ref, conversation_id, test, provider, model, tokens_input,
         tokens_cached, tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, created_at)
       select 'turn_' || ${RELEASE}.id_time(m.at), 0, 1, 1, $1, '', 'conv_many', false, c.provider, c.model, 1, 0, 0, 0, 1, 0, 0, m.at
       from generate_series(0, $2::integer - 1) n, lateral (select $3::timestamptz + n * interval '1 ms' as at) m,
         (select provider, model from model_calls where user_id = $4 order by created_at desc limit 1) c`,
      [key, count, new Date(at).toISOString(), client.userId],
    )
  }
  await world.advance(2 * COUNTED_CALLS)
  expect(await useOf(KEY)).toMatchObject({
    calls: COUNTED_CALLS,
    tokens_input: COUNTED_CALLS,
    counted_since: new Date(from + half).toISOString(),
    last_used_at: new Date(from + COUNTED_CALLS + half - 1).toISOString(),
  })
  await world.sql("delete from model_calls where conversation_id = 'conv_many'")
})

describe("An edit of the keys", () => {
  test("An edit adds a key to a known file and refuses an unknown file", async () => {
    expect(await (await put("engines.SPARE_2", "12345678")).json()).toMatchObject({
      is_set: true,
      providers: [],
      version: 1,
    })
    expect((await list()).has("engines.SPARE_2")).toBe(true)
    for (const key of ["elsewhere.OPENAI_API_KEY", "OPENAI_API_KEY", "toString.KEY", "constructor.X"]) {
      const refused = await put(key, "12345678")
      expect([refused.status, await refused.json()]).toMatchObject([404, { code: "NOT_FOUND" }])
    }
  })

  test.each([
    ["engines.lower", "12345678"],
    ["engines.A.B", "12345678"],
    ["engines.", "12345678"],
    [KEY, "short"],
    [KEY, "with a blank"],
    [KEY, "line\nbreak=1"],
    [KEY, "schlüssel"],
    [KEY, "x".repeat(8193)],
    [KEY, 12345678],
    [KEY, null],
    ["engines.OPENAI_BASE_URL", "ftp://model.test"],
    ["engines.OPENAI_BASE_URL", "model.test/v1"],
    ["engines.OPENAI_BASE_URL", "https://robot:canary@model.test/v1"],
    ["engines.OPENAI_BASE_URL", "https://callbacks.test/v1"],
  ])("An edit refuses %s = %j", async (key, value) => {
    const response = await put(key, value)
    expect([response.status, await response.json()]).toMatchObject([422, { detail: [{ loc: expect.any(Array) }] }])
  })

  test("An edit of another version is refused with the current version", async () => {
    const { version } = (await (await put("engines.EDITED", "12345678")).json()) as { version: number }
    const stale = await put("engines.EDITED", "87654321", { "if-match": `"${version + 1}"` })
    expect(stale.status).toBe(412)
    expect(await stale.json()).toMatchObject({
      code: "VERSION_MISMATCH",
      details: { current: { version, last_four: "5678" } },
    })
    expect((await put("engines.EDITED", "87654321", { "if-match": `"${version}"` })).status).toBe(200)
    expect((await put("engines.FRESH", "87654321", { "if-match": '"0"' })).status).toBe(200)
  })

  test("Concurrent edits of several keys are all kept", async () => {
    const names = Array.from({ length: 6 }, (_, n) => `engines.AT_ONCE_${n}`)
    const answers = await Promise.all(names.map((name) => put(name, `value-of-${name}`)))
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
    const keys = (await list()) as Map<string, unknown>
    for (const name of names)
      expect(keys.get(name)).toMatchObject({ is_set: true, last_four: name.slice(-4), version: 1 })
  })
})

test("A base URL in the file overrides the worker's and never receives the worker's key", async () => {
  const [, { items }] = await admin.json("GET", "/api/admin/api-keys")
  expect(items.length).toBeGreaterThan(4)
  await world.sql("delete from environment_keys")
  await world.sql("delete from environment_files")
  await put("engines.OPENAI_BASE_URL", FILES_URL)
  await client.runTurn({ space })
  await put(KEY, CANARY)
  await client.runTurn({ space })
  expect(calls).toEqual(["other.test null", `other.test Bearer ${CANARY}`])
})

test("A rotated key ring opens the file, which is then sealed under the newest key", async () => {
  const sealed = async () => (await world.sql<{ sealed: string }>("select sealed from environment_files"))[0]?.sealed
  const newer = `newer:${btoa("abcdef0123456789abcdef0123456789")}`
  world.rebind({ SECRETS_KEYS: `${newer},${world.env.SECRETS_KEYS}`, OPENAI_BASE_URL: PROVIDER_URL })
  await client.runTurn({ space })
  await world.settled()
  expect(await sealed()).toMatch(/^newer\./)
  world.rebind({ SECRETS_KEYS: newer, OPENAI_BASE_URL: PROVIDER_URL })
  await client.runTurn({ space })
  expect(calls).toEqual([`other.test Bearer ${CANARY}`, `other.test Bearer ${CANARY}`])
})
