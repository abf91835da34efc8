import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { sweepSnapshots } from "../../src/providers/sweep-snapshots.ts"
import { authContextOf } from "../harness/auth.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { storeAccount, windowNow } from "../harness/provider-accounts.ts"
import { createWorld, type World } from "../harness/world.ts"

const [HOUR, DAY] = [3_600_000, 86_400_000]

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.sql("delete from provider_accounts")
  await world.sql("delete from quota_snapshots")
  await world.sql("delete from quota_thinning")
})

const pools = () => admin.json("GET", "/api/admin/providers/pool")
const later = (ms: number) => new Date(world.clock.ms() + ms)
const none = {
  accounts: 0,
  usable: 0,
  cooling: 0,
  suspended: 0,
  needs_login: 0,
  contained: 0,
  disabled: 0,
  in_flight: 0,
}

test("The pools match the last published snapshot, and a missing snapshot is reported", async () => {
  const missing = { available: false, published_at: null, capacity: null }
  expect(await pools()).toEqual([
    200,
    {
      available: false,
      pools: [
        { pool: "main", ...missing },
        { pool: "alt-pool", ...missing },
      ],
    },
  ])
  await storeAccount(world, {
    windows: { "unified:18000": windowNow(world, 20, 2 * HOUR), "unified:604800": windowNow(world, 90, -1) },
  })
  await storeAccount(world, { windows: { "unified:18000": windowNow(world, 130, HOUR) } })
  await storeAccount(world, { cool_until: later(2 * HOUR), windows: { "unified:18000": windowNow(world, 0) } })
  await storeAccount(world, { cool_until: later(HOUR) })
  await storeAccount(world, { health: "needs_login" })
  await storeAccount(world, { health: "contained" })
  await storeAccount(world, { disabled_at: later(0) })
  await storeAccount(world, { provider_id: "media", pool: "media" })
  await world.sweep()
  const main = {
    accounts: 7,
    usable: 2,
    cooling: 2,
    suspended: 0,
    needs_login: 1,
    contained: 1,
    disabled: 1,
    in_flight: 0,
    recovers_at: later(HOUR).toISOString(),
    windows: [
      {
        resource: "unified",
        window_seconds: 18_000,
        accounts: 2,
        room_pct: 40,
        best_room_pct: 80,
        next_reset_at: later(HOUR).toISOString(),
      },
    ],
  }
  const published = { available: true, published_at: later(0).toISOString() }
  const empty = { ...none, recovers_at: null, windows: [] }
  expect(await pools()).toEqual([
    200,
    {
      available: true,
      pools: [
        { pool: "main", ...published, capacity: main },
        { pool: "alt-pool", ...published, capacity: empty },
      ],
    },
  ])
  const [, overview] = await admin.json("GET", "/api/admin/overview")
  expect(overview.pools).toEqual([
    { pool: "main", ...main },
    { pool: "alt-pool", ...empty },
  ])
})

test("Each change by an admin is published at once, also with turns in progress", async () => {
  const id = await storeAccount(world)
  const client = await world.createAccount()
  await client.sendTurn({ space: await client.space() })
  await world.sql("update open_turns set provider_id = $1", [id])
  const main = async () => {
    await world.settled()
    return (await pools())[1].pools[0].capacity
  }
  await admin.json("POST", `/api/admin/providers/${id}/disable`, {})
  expect(await main()).toMatchObject({ accounts: 1, usable: 0, disabled: 1, in_flight: 1 })
  await admin.json("POST", `/api/admin/providers/${id}/enable`)
  expect(await main()).toMatchObject({ usable: 1, disabled: 0 })
  await admin.json("DELETE", `/api/admin/providers/${id}`)
  expect(await main()).toMatchObject(none)
})

test("A slower publisher with an older snapshot changes nothing", async () => {
  await storeAccount(world)
  await world.sweep()
  const before = await pools()
  const redis = authContextOf(world).redis
  const text = (await redis.get("capacity:main")) ?? ""
  const newer = `${Number.parseInt(text, 10) + 60_000_000} ${text.slice(text.indexOf(" ") + 1)}`
  await redis.set("capacity:main", newer, { ttlMs: HOUR })
  await world.sql("update provider_accounts set disabled_at = now()")
  await world.sweep()
  expect((await pools())[1].pools[0]).toEqual(before[1].pools[0])
  await redis.take("capacity:main")
  await world.sweep()
  expect((await pools())[1].pools[0].capacity).toMatchObject({ disabled: 1 })
})

test("Without Redis the pools cannot be read, and everything else works", async () => {
  const id = await storeAccount(world)
  await world.plan([{ service: "redis", call: 1, times: 1e9, when: "before", action: "fail" }])
  expect(await pools()).toMatchObject([503, { code: "UNAVAILABLE" }])
  expect((await admin.json("POST", `/api/admin/providers/${id}/disable`, {}))[0]).toBe(200)
  await world.sweep()
  const [, overview] = await admin.json("GET", "/api/admin/overview")
  expect(overview.pools[0]).toMatchObject({ accounts: 1, disabled: 1 })
  await world.settled()
  const [, { sweeps }] = await admin.json("GET", "/api/admin/system")
  const failed = sweeps.filter(({ ok }: { ok: boolean }) => !ok).map(({ name }: { name: string }) => name)
  expect(failed).toEqual(["capacity"])
  await world.plan([])
  await world.sweep()
  expect((await pools())[1].pools[0].capacity).toMatchObject({ disabled: 1 })
})

const snapshots = async () =>
  (
    await world.sql<{ name: string }>(
      `select provider_id || ' ' || to_char(taken_at at time zone 'UTC', 'MM-DD HH24:MI') as name from quota_snapshots
     order by provider_id, window_seconds, taken_at`,
    )
  ).map(({ name }) => name)

test("Snapshots are deleted after 92 days, and after 7 days only the newest of each window and hour is kept", async () => {
  const ctx = authContextOf(world)
  const start = Math.floor(world.clock.ms() / HOUR) * HOUR
  const store = (id: string, from: number, to: number, minutes: number) =>
    world.sql(
      `insert into quota_snapshots select $1, 'unified', 18000, 10, null, t
       from generate_series($2::timestamptz, $3::timestamptz, $4::integer * interval '1 minute') t`,
      [id, new Date(start - from), new Date(start - to), minutes],
    )
  expect(await sweepSnapshots(ctx), "no snapshots").toEqual({ deleted: 0 })
  await store("old", 93 * DAY, 92 * DAY + HOUR, 60)
  await store("a", 7 * DAY + 2 * HOUR, 7 * DAY - HOUR, 5)
  await store("b", 7 * DAY + HOUR, 7 * DAY + HOUR, 5)
  const sum = async () => {
    let deleted = 0
    // The sweep starts at the oldest hour and covers 24 hours per run.
    for (let run = 0; run < 100; run++) deleted += (await sweepSnapshots(ctx)).deleted
    return deleted
  }
  expect(await sum()).toBe(24 + 2 * 11)
  const left = await snapshots()
  const shown = (ago: number) => new Date(start - ago).toISOString().slice(5, 16).replace("T", " ")
  expect(left.slice(0, 3)).toEqual([
    `a ${shown(7 * DAY + HOUR + 5 * 60_000)}`,
    `a ${shown(7 * DAY + 5 * 60_000)}`,
    `a ${shown(7 * DAY)}`,
  ])
  expect(left.filter((name) => name.startsWith("a"))).toHaveLength(2 + 13)
  expect(left.filter((name) => !name.startsWith("a"))).toEqual([`b ${shown(7 * DAY + HOUR)}`])
  expect(await sweepSnapshots(ctx), "no work is left").toEqual({ deleted: 0 })
  await world.advance(HOUR)
  expect(await sweepSnapshots(authContextOf(world))).toEqual({ deleted: 11 })
})
