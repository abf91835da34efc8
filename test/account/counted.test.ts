import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

/** The rows that an account without money may write. */
let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())
beforeEach(() => world.sql("delete from settings where key like 'max_%'"))

const allow = (key: string, value: number) =>
  world.sql("insert into settings (key, value) values ($1, to_jsonb($2::bigint))", [key, value])

async function broke() {
  const client = await world.createAccount({ usd: 0 })
  return { client, browser: await world.signIn(client.userId) }
}
type Browser = Awaited<ReturnType<typeof broke>>["browser"]
const makeKey = (browser: Browser) => browser.json("POST", "/api/account/keys", { name: "another" })
const statuses = (answers: [number, unknown][]) => answers.map(([status]) => status).sort()

test("An account cannot exceed its limit of API keys, including revoked keys and concurrent requests", async () => {
  const { browser } = await broke()
  await allow("max_keys", 4)
  expect(statuses(await Promise.all(Array.from({ length: 6 }, () => makeKey(browser))))).toEqual([
    201, 201, 201, 409, 409, 409,
  ])
  const [, { items }] = await browser.json("GET", "/api/account/keys")
  await browser.json("POST", `/api/account/keys/${items[0].key_id}/revoke`)
  expect(await makeKey(browser)).toMatchObject([
    409,
    {
      code: "LIMIT_REACHED",
      detail: "An account has at most 4 API keys, revoked and expired ones included; there are 4.",
    },
  ])
})

test("Creating, changing and rotating keys is limited per day, but revoking is always possible", async () => {
  const { browser } = await broke()
  await allow("max_daily_key_changes", 3)
  const [, made] = await makeKey(browser)
  const key = `/api/account/keys/${made.key_id}`
  const rename = (name: string) => browser.json("PATCH", key, { name })
  const racing = await Promise.all(["a", "b", "c", "d"].map(rename))
  expect(statuses(racing)).toEqual([200, 200, 429, 429])
  expect(await rename("e")).toMatchObject([429, { code: "QUOTA_EXCEEDED" }])
  const rotated = await browser.call("POST", `${key}/rotate`, {})
  expect([rotated.status, Number(rotated.headers.get("retry-after"))]).toEqual([429, 86_400])
  expect((await makeKey(browser))[0]).toBe(429)
  expect((await browser.json("POST", `${key}/revoke`))[0]).toBe(200)
  await world.advance(86_400_000)
  expect((await makeKey(await world.signIn(browser.userId)))[0]).toBe(201)
})

test("The number of end users with limits or a profile of their own is bounded, and existing limits can still be changed", async () => {
  const { browser } = await broke()
  await allow("max_end_users", 2)
  const limit = (ref: string) =>
    browser.json("PUT", `/api/account/end-users/${ref}/limits`, { daily_usd: 1, monthly_usd: null })
  expect(statuses(await Promise.all(["a", "b", "c", "d"].map(limit)))).toEqual([200, 200, 409, 409])
  expect(await limit("e")).toMatchObject([
    409,
    { code: "LIMIT_REACHED", details: { cap: "end_users", limit: 2, used: 2 } },
  ])
  const profile = (ref: string) => browser.json("PUT", `/api/account/end-users/${ref}/profile`, { profile: { a: 1 } })
  expect(await profile("e")).toMatchObject([409, { code: "LIMIT_REACHED" }])
  const [row] = await world.sql<{ end_user_ref: string }>("select end_user_ref from end_users where user_id = $1", [
    browser.userId,
  ])
  expect((await limit(row?.end_user_ref ?? ""))[0]).toBe(200)
  expect((await profile(row?.end_user_ref ?? ""))[0]).toBe(200)
})

test("An account's test turns are limited per day, and a refusal says when more are possible", async () => {
  const client = await world.createAccount({ usd: 0, test: true })
  const space = await client.space()
  await allow("max_daily_test_turns", 3)
  const sent = await Promise.all(Array.from({ length: 5 }, () => client.sendTurn({ space })))
  expect(sent.map(({ status }) => status).sort()).toEqual([202, 202, 202, 429, 429])
  await world.drain()
  const refused = await client.sendTurn({ space })
  expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([429, 86_400])
  expect(await refused.json()).toMatchObject({
    error: { code: "QUOTA_EXCEEDED", details: { cap: "daily_test_turns", limit: 3, used: 3 } },
  })
  await world.advance(86_400_000)
  expect((await client.sendTurn({ space })).status).toBe(202)
  await world.drain()
})

test("The operators' audit log hides key changes by owners unless a query includes them", async () => {
  const { browser } = await broke()
  const admin = await signInAdmin(world)
  const [, key] = await makeKey(browser)
  const shown = async (query: string) => {
    const [, { items }] = await admin.json("GET", `/api/admin/audit${query}`)
    return items.some((entry: { subject_id: string }) => entry.subject_id === key.key_id)
  }
  expect(await shown("?limit=200")).toBe(false)
  for (const query of ["?own=true", `?subject_id=${key.key_id}`, `?actor_user_id=${browser.userId}`]) {
    expect(await shown(query), query).toBe(true)
  }
})
