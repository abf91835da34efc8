import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { readAnswer } from "../harness/answers.ts"
import { HOSTILE_REFS } from "../harness/month.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
beforeAll(async () => {
  world = await createWorld()
})
beforeEach(async () => {
  const { userId } = await world.createAccount({ usd: 100 })
  client = world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)
})
afterAll(() => world.close())

const at = (ref: string, rest = "/profile") => `/v1/end-users/${encodeURIComponent(ref)}${rest}`
const ask = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
  readAnswer(client.call(method, path, body, headers))
const ADA = { name: "Ada", plan: "gold", orders: 3, trusted: true, time_zone: "Europe/London" }

test("A profile can be set before the first turn, read, replaced and deleted, for refs of every kind", async () => {
  for (const ref of HOSTILE_REFS) {
    const none = { end_user_ref: ref, profile: {}, changed_at: null }
    expect((await ask("GET", at(ref))).body).toEqual(none)
    const { status, body } = await ask("PUT", at(ref), { profile: ADA })
    expect([status, body], ref).toEqual([200, { end_user_ref: ref, profile: ADA, changed_at: expect.any(String) }])
    expect((await ask("GET", at(ref))).body).toEqual(body)
    expect((await ask("PUT", at(ref), { profile: { name: "Bob" } })).body).toMatchObject({ profile: { name: "Bob" } })
    expect((await ask("DELETE", at(ref))).body).toEqual(none)
    expect((await ask("GET", at(ref))).body).toEqual(none)
  }
})

test("A profile and limits of one end user do not change each other", async () => {
  await ask("PUT", at("ada", "/limits"), { daily_usd: 3, blocked: true })
  await ask("PUT", at("ada"), { profile: ADA })
  const limits = { daily_usd: 3, monthly_usd: null, blocked: true }
  expect((await ask("GET", at("ada", ""))).body).toMatchObject({ limits })
  await ask("PUT", at("ada", "/limits"), { monthly_usd: 5 })
  expect((await ask("GET", at("ada"))).body).toMatchObject({ profile: ADA })
})

test("A profile that breaks a bound is refused, and the refusal names the field", async () => {
  const many = Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`k${n}`, n]))
  const kept = { profile: ADA }
  await ask("PUT", at("ada"), kept)
  for (const [profile, message] of [
    [many, "must have at most 32 keys"],
    [{ note: "ü".repeat(2048) }, "is larger than 4096 bytes of JSON"],
    [{ "a b": 1 }, "may have letters, digits, _, . and - only"],
    [{ name: null }, "name"],
    [{ name: ["Ada"] }, "name"],
    [{ time_zone: "Mars/Olympus" }, "must be a time zone of the IANA database"],
    [{ time_zone: 1 }, "must be a time zone of the IANA database"],
  ] as const) {
    const refused = await ask("PUT", at("ada"), { profile })
    expect(refused.status, JSON.stringify(profile)).toBe(422)
    expect(JSON.stringify(refused.body)).toContain(message)
  }
  expect((await ask("PUT", at("ada"), ADA)).status).toBe(422)
  expect((await ask("GET", at("ada"))).body).toMatchObject(kept)
  const whole = { profile: { note: "x".repeat(4096 - '{"note":""}'.length) } }
  expect((await ask("PUT", at("ada"), whole)).status).toBe(200)
})

test("A change of a profile that another client has changed in the meantime is refused by its ETag", async () => {
  await ask("PUT", at("ada"), { profile: { name: "Ada" } })
  const etag = (await client.call("GET", at("ada"))).headers.get("etag") ?? ""
  await ask("PUT", at("ada"), { profile: { name: "Bob" } })
  const late = await ask("PUT", at("ada"), { profile: { name: "Eve" } }, { "if-match": etag })
  expect(late).toMatchObject({ status: 412, body: { error: { code: "VERSION_MISMATCH" } } })
  expect((await ask("GET", at("ada"))).body).toMatchObject({ profile: { name: "Bob" } })
})

test("An export has the profile, and an erasure deletes it and says so", async () => {
  await ask("PUT", at("ada"), { profile: { name: "Ada-canary" } })
  const { body: exported } = await ask("GET", at("ada", "/export"))
  expect(exported).toMatchObject({ profile: { profile: { name: "Ada-canary" } }, turns: [] })
  const { body: receipt } = await ask("DELETE", at("ada", ""))
  expect(receipt).toMatchObject({ state: "erased", profile: true })
  expect((await ask("GET", at("ada"))).body).toMatchObject({ profile: {}, changed_at: null })
  const left = await world.sql("select from end_users e where e::text like '%Ada-canary%'")
  expect(left).toEqual([])
  expect((await ask("DELETE", at("ada", ""))).body).toMatchObject({ profile: false })
})
