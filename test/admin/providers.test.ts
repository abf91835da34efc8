import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { storeAccount, windowNow } from "../harness/provider-accounts.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const PROVIDERS = "/api/admin/providers"
const HOUR = 3_600_000

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

beforeEach(() => world.sql("delete from provider_accounts"))

const get = async (path: string) => (await admin.json("GET", `${PROVIDERS}${path}`))[1]
const post = (path: string, body?: object, headers = {}) => admin.json("POST", `${PROVIDERS}${path}`, body, headers)
const remove = (id: string, headers = {}) => admin.json("DELETE", `${PROVIDERS}/${id}`, undefined, headers)
const later = (ms: number) => new Date(world.clock.ms() + ms)
const audit = () =>
  world.sql<{ action: string }>("select action from audit_log where subject_type = 'provider' order by audit_id")

/** Makes an account serve the newest turn's calls, with the rows that a routing worker writes. */
async function serveBy(client: TestClient, id: string, space: string): Promise<number> {
  const { turn_id, billed_cost_usd } = await client.runTurn({ space, text: "[use input=1000 output=500]" })
  await world.sql("update usage set subscription_id = $1 where turn_id = $2", [id, turn_id])
  return billed_cost_usd ?? 0
}

describe("The list of provider accounts", () => {
  test("The list has the main pool and all accounts with an API key, with and without a trailing slash", async () => {
    const ids = [
      await storeAccount(world, { provider_id: "one" }),
      await storeAccount(world, { provider_id: "two", kind: "api_key", engine: "openai", base_url: null }),
      await storeAccount(world, { provider_id: "keyed", kind: "api_key", pool: "alt-pool" }),
    ]
    await storeAccount(world, { pool: "alt-pool", kind: "oauth_device" })
    await storeAccount(world, { provider_id: "media", pool: "media" })
    const list = await get("")
    expect(list.items.map((item: { provider_id: string }) => item.provider_id).sort()).toEqual(ids.sort())
    expect(list).toMatchObject({ total: 3, offset: 0 })
    expect(await get("/")).toEqual(list)
    expect(list.items.find((item: { provider_id: string }) => item.provider_id === "two")).toMatchObject({
      ...{ pool: "main", name: "Account two", kind: "api_key", engine: "openai", base_url: null, version: 1 },
      ...{ state: "usable", health: "healthy", disabled: false, has_credential: true, last_used_at: null },
      usage: { model_calls: 0, tokens_input: 0, tokens_cached: 0, tokens_output: 0, cost_usd: 0, billed_usd: 0 },
    })
    expect(JSON.stringify(list)).not.toMatch(/canary|sealed|external_id/)
  })

  test("The list shows the state of each account", async () => {
    const states: [string, Parameters<typeof storeAccount>[1]][] = [
      ["usable", { provider_id: "a" }],
      ["disabled", { provider_id: "b", disabled_at: later(0), health: "needs_login" }],
      ["needs_login", { provider_id: "c", health: "needs_login", cool_until: later(HOUR) }],
      ["needs_login", { provider_id: "d", credential: null }],
      ["contained", { provider_id: "e", health: "contained" }],
      ["contained", { provider_id: "f", refreshing_until: later(-1) }],
      ["usable", { provider_id: "g", refreshing_until: later(30_000), expires_at: later(1000) }],
      ["cooling", { provider_id: "h", cool_until: later(HOUR) }],
      ["usable", { provider_id: "i", cool_until: later(-1) }],
      ["cooling", { provider_id: "j", cool_until: later(-1), probe_until: later(1000) }],
    ]
    for (const [, account] of states) await storeAccount(world, account)
    const { items } = await get("")
    expect(items.map((item: { state: string }) => item.state)).toEqual(states.map(([state]) => state))
    const named = (id: string) => items.find((item: { provider_id: string }) => item.provider_id === id)
    expect(named("g")).toMatchObject({
      credential_lock: { until: later(30_000).toISOString() },
      token_expires_at: later(1000).toISOString(),
    })
    expect(named("a")).toMatchObject({ credential_lock: null, token_expires_at: null, cool_until: null, windows: [] })
    expect(named("h")).toMatchObject({ cool_until: later(HOUR).toISOString(), cool_reason: "limit_reached" })
    expect(named("d")).toMatchObject({ has_credential: false })
  })

  test("The list shows the use of windows, and an ended window as unknown, not 0", async () => {
    const taken_at = world.clock.now().toISOString()
    await storeAccount(world, {
      windows: {
        "unified:18000": windowNow(world, 37.5),
        "unified:604800": windowNow(world, 90, -1),
        "tokens:60": { used_pct: 5, reset_at: null, taken_at },
        "requests:60": { used_pct: 5, reset_at: null, taken_at: later(-60_000).toISOString() },
      },
    })
    const { items } = await get("")
    const of = (
      resource: string,
      window_seconds: number,
      used_pct: number | null,
      reset_at: string | null,
      at = taken_at,
    ) => {
      return { resource, window_seconds, used_pct, reset_at, taken_at: at }
    }
    expect(items[0].windows).toEqual([
      of("requests", 60, null, null, later(-60_000).toISOString()),
      of("tokens", 60, 5, null),
      of("unified", 18_000, 37.5, later(HOUR).toISOString()),
      of("unified", 604_800, null, null),
    ])
  })

  test("The list sums 30 days of live calls, keyed and chat, before and after the roll-up", async () => {
    const id = await storeAccount(world)
    const client = await world.createAccount()
    const space = await client.space()
    const tests = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
    const usage = async () => (await get("")).items[0]
    await serveBy(client, id, space)
    await world.sweep()
    await world.advance(31 * 24 * HOUR)
    admin = await signInAdmin(world)
    expect((await usage()).usage.model_calls).toBe(0)
    const billed = await serveBy(client, id, space)
    await serveBy(tests, id, await tests.space())
    const user = await world.signIn(client.userId)
    await user.json("POST", "/api/account/chat/turns", { space, text: "[use input=100 output=50]" })
    await world.drain()
    const [chat] = await world.sql<{ billed: number }>(
      "update chat_calls set subscription_id = $1 returning billed_credit_micros::int as billed",
      [id],
    )
    const said = await usage()
    expect(said.usage).toMatchObject({ model_calls: 2, tokens_input: 1100, tokens_output: 550, tokens_cached: 0 })
    expect(said.usage.billed_usd).toBeCloseTo(billed + (chat?.billed ?? 0) / 1e7, 7)
    expect(said.usage.cost_usd).toBe(said.usage.billed_usd)
    expect(said.last_used_at).toBe(world.clock.now().toISOString())
    await world.sweep()
    expect(await usage()).toEqual(said)
  })
})

describe("Disabling and enabling an account", () => {
  test("Disabling and enabling set and clear the flag with its reason, once each", async () => {
    const id = await storeAccount(world)
    const before = (await audit()).length
    const [, disabled] = await post(`/${id}/disable`, { reason: "Paid until Friday" })
    expect(disabled).toMatchObject({
      ...{
        disabled: true,
        disabled_reason: "Paid until Friday",
        disabled_at: later(0).toISOString(),
        state: "disabled",
      },
      ...{ version: 2, updated_by: { user_id: admin.userId, name: "Ada" } },
    })
    await world.advance(1000)
    expect(await post(`/${id}/disable`, {}), "no change").toEqual([200, disabled])
    const [, again] = await post(`/${id}/disable`, { reason: "Another" })
    expect(again).toMatchObject({ disabled_at: disabled.disabled_at, disabled_reason: "Another", version: 3 })
    const [, enabled] = await post(`/${id}/enable`)
    expect(enabled).toMatchObject({
      disabled: false,
      disabled_at: null,
      disabled_reason: null,
      state: "usable",
      version: 4,
    })
    expect(await post(`/${id}/enable`)).toEqual([200, enabled])
    expect((await audit()).slice(before).map(({ action }) => action)).toEqual([
      "provider.disable",
      "provider.disable",
      "provider.enable",
    ])
  })

  test("Enabling retries an account that needed a login or was contained if it has a credential, and keeps its cooling", async () => {
    const until = later(HOUR)
    const refused = await storeAccount(world, { health: "needs_login", cool_until: until })
    const contained = await storeAccount(world, { health: "contained", refreshing_until: later(-1) })
    const lost = await storeAccount(world, { refreshing_until: later(-1), disabled_at: later(0) })
    const bare = await storeAccount(world, { health: "needs_login", credential: null })
    const running = await storeAccount(world, { refreshing_until: until, disabled_at: later(0) })
    const enabled = async (id: string) => (await post(`/${id}/enable`))[1]
    expect(await enabled(refused)).toMatchObject({ health: "healthy", state: "cooling", version: 2 })
    expect(await enabled(contained)).toMatchObject({ health: "healthy", state: "usable", credential_lock: null })
    expect(await enabled(lost)).toMatchObject({ state: "usable", credential_lock: null, version: 2 })
    expect(await enabled(bare)).toMatchObject({ health: "needs_login", state: "needs_login", version: 1 })
    expect(await enabled(running)).toMatchObject({ credential_lock: { until: until.toISOString() } })
  })

  test("An unknown account and the media account are not found", async () => {
    await storeAccount(world, { provider_id: "media", pool: "media" })
    const main = await storeAccount(world)
    for (const id of ["nobody", "media"]) {
      for (const action of ["disable", "enable", "refresh-limits"]) {
        expect(await post(`/${id}/${action}`, {}), `${action} ${id}`).toMatchObject([404, { code: "NOT_FOUND" }])
      }
      expect(await remove(id)).toMatchObject([404, { code: "NOT_FOUND" }])
    }
    for (const action of ["disable", "enable"]) {
      expect(await post(`/alt-pool/accounts/${main}/${action}`), "an account of the main pool").toMatchObject([404, {}])
    }
    expect((await post(`/${main}/disable`, { reason: "" }))[0]).toBe(422)
    expect((await post(`/${main}/disable`, { why: "x" }))[0]).toBe(422)
  })
})

describe("Removing an account", () => {
  test("Removing deletes the account, its credential and state, and keeps its usage and snapshots", async () => {
    const id = await storeAccount(world)
    const client = await world.createAccount()
    await serveBy(client, id, await client.space())
    await world.sql("insert into quota_snapshots values ($1, 'unified', 18000, 10, null, $2)", [id, later(0)])
    await world.sweep()
    const [status, removed] = await remove(id)
    expect([status, removed]).toMatchObject([200, { provider_id: id, usage: { model_calls: 1 } }])
    const count = async (table: string, column: string) =>
      (await world.sql<{ n: number }>(`select count(*)::int as n from ${table} where ${column} = $1`, [id]))[0]?.n
    for (const table of ["provider_accounts", "provider_states", "provider_credentials"]) {
      expect(await count(table, "provider_id"), table).toBe(0)
    }
    for (const [table, column] of [
      ["usage", "subscription_id"],
      ["account_hours", "subscription_id"],
      ["account_days", "subscription_id"],
      ["quota_snapshots", "provider_id"],
    ] as const) {
      expect(await count(table, column), table).toBe(1)
    }
    expect(await remove(id)).toMatchObject([404, { code: "NOT_FOUND" }])
    const report = await get("/capacity?hours=1&provider=main")
    expect(report.snapshots.map((point: { subscription_id: string }) => point.subscription_id)).toContain(id)
    expect(report.spend.map((spend: { subscription_id: string }) => spend.subscription_id)).toContain(id)
  })
})

describe("The alt-pool", () => {
  test("The alt-pool shows its accounts, their usage, and the active one", async () => {
    expect(await get("/alt-pool")).toMatchObject({
      accounts: [],
      active: null,
      state: "empty",
      usage: { model_calls: 0 },
    })
    const full = await storeAccount(world, { pool: "alt-pool", windows: { "unified:18000": windowNow(world, 95) } })
    const free = await storeAccount(world, { pool: "alt-pool", windows: { "unified:18000": windowNow(world, 20) } })
    const down = await storeAccount(world, { pool: "alt-pool", health: "needs_login" })
    await storeAccount(world)
    const pool = await get("/alt-pool")
    expect(pool.accounts.map((account: { account_id: string }) => account.account_id)).toEqual([full, free, down])
    expect(pool.accounts[0]).toMatchObject({ account_id: full, provider_id: full, state: "usable" })
    expect(pool).toMatchObject({ active: { account_id: free, name: `Account ${free}` }, state: "usable" })
    const client = await world.createAccount()
    const space = await client.space()
    const billed = (await serveBy(client, full, space)) + (await serveBy(client, down, space))
    const used = await get("/alt-pool")
    expect(used.active.account_id, "the account that served last").toBe(full)
    expect(used.usage).toMatchObject({ model_calls: 2, tokens_input: 2000, billed_usd: Math.round(billed * 1e7) / 1e7 })
    await world.sql("update provider_states set cool_until = $1 where provider_id = $2", [later(HOUR), full])
    expect((await get("/alt-pool")).active.account_id).toBe(free)
    await post(`/alt-pool/accounts/${free}/disable`)
    expect(await get("/alt-pool")).toMatchObject({ active: null, state: "cooling" })
    await world.sql("update provider_accounts set health = 'contained'")
    expect(await get("/alt-pool")).toMatchObject({ active: null, state: "down" })
  })

  test("A suspended account does not count as healthy, and enabling it ends the suspension", async () => {
    const [a, b] = [await storeAccount(world, { pool: "alt-pool" }), await storeAccount(world, { pool: "alt-pool" })]
    await world.sql(
      "update provider_states set suspended_at = $1, suspended_reason = 'no_credit', cool_until = $2 where provider_id = $3",
      [world.clock.now(), later(HOUR), b],
    )
    expect((await get("/alt-pool")).accounts[1]).toMatchObject({ provider_id: b, state: "suspended" })
    expect(await post(`/alt-pool/accounts/${a}/disable`)).toMatchObject([409, { code: "LAST_HEALTHY_ACCOUNT" }])
    expect(await post(`/alt-pool/accounts/${b}/enable`)).toMatchObject([
      200,
      { state: "usable", health: "healthy", suspended_at: null, cool_until: null },
    ])
    expect((await post(`/alt-pool/accounts/${a}/disable`))[0]).toBe(200)
  })

  test("The alt-pool's last healthy account cannot be disabled but can be removed, and the main pool may lose all", async () => {
    const [a, b] = [await storeAccount(world, { pool: "alt-pool" }), await storeAccount(world, { pool: "alt-pool" })]
    const before = (await audit()).length
    const refused = [409, { code: "LAST_HEALTHY_ACCOUNT" }]
    expect((await post(`/alt-pool/accounts/${a}/disable`))[0]).toBe(200)
    expect(await post(`/alt-pool/accounts/${b}/disable`)).toMatchObject(refused)
    expect(await post(`/${b}/disable`, {}), "by the other path").toMatchObject(refused)
    expect((await post(`/alt-pool/accounts/${a}/disable`))[0], "it is already disabled").toBe(200)
    expect((await post(`/alt-pool/accounts/${a}/enable`))[0]).toBe(200)
    await world.sql("update provider_accounts set health = 'needs_login' where provider_id = $1", [a])
    expect(await post(`/alt-pool/accounts/${b}/disable`), "the other account is not healthy").toMatchObject(refused)
    expect((await post(`/alt-pool/accounts/${a}/disable`))[0], "it is not the last healthy account either").toBe(200)
    expect((await remove(a))[0]).toBe(200)
    const cooling = await storeAccount(world, { pool: "alt-pool", cool_until: later(HOUR) })
    expect((await post(`/alt-pool/accounts/${b}/disable`))[0], "a cooling account is healthy").toBe(200)
    expect((await remove(cooling))[0], "the last account may be removed").toBe(200)
    expect((await audit()).length - before).toBe(6)
    const main = await storeAccount(world)
    expect((await post(`/${main}/disable`, {}))[0]).toBe(200)
    expect((await remove(main))[0]).toBe(200)
  })
})
