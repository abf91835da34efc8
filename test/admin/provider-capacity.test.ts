import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { PROVIDER_POLICY } from "../../src/providers/policies.ts"
import type { CapacityReport } from "../../src/providers/read-capacity.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { parseCsv } from "../harness/csv.ts"
import { storeAccount } from "../harness/provider-accounts.ts"
import { createWorld, type World } from "../harness/world.ts"

const CAPACITY = "/api/admin/providers/capacity"
const HOUR = 3_600_000

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

beforeEach(async () => {
  await world.sql("delete from provider_accounts")
  await world.sql("delete from former_providers")
  await world.sql("delete from quota_snapshots")
})

const read = async (query = ""): Promise<CapacityReport> => (await admin.json("GET", `${CAPACITY}${query}`))[1]
const ago = (ms: number) => new Date(world.clock.ms() - ms)
const point = (id: string, taken: Date, used = 10, [resource, seconds]: [string, number] = ["unified", 18_000]) =>
  world.sql("insert into quota_snapshots values ($1, $2, $3, $4, $5, $6)", [
    id,
    resource,
    seconds,
    used,
    new Date(taken.getTime() + HOUR),
    taken,
  ])
const taken = (report: CapacityReport) => report.snapshots.map(({ taken_at }) => taken_at)

describe("Snapshots", () => {
  test("A report without snapshots is empty", async () => {
    expect(await read()).toEqual({
      hours: 72,
      provider: null,
      from: ago(72 * HOUR).toISOString(),
      to: ago(0).toISOString(),
      thinned: false,
      point_seconds: null,
      snapshots: [],
      spend_seconds: 3600,
      spend: [],
    })
  })

  test("A single snapshot is shown unchanged", async () => {
    const id = await storeAccount(world)
    await point(id, ago(1234), 33.3)
    const [only, ...others] = (await read("?hours=1")).snapshots
    expect(only).toEqual({
      subscription_id: id,
      resource: "unified",
      window_seconds: 18_000,
      used_pct: 33.3,
      reset_at: ago(1234 - HOUR).toISOString(),
      taken_at: ago(1234).toISOString(),
    })
    expect(others).toEqual([])
  })

  test("Hours from 1 to 2160 are accepted, and the range is exact to the millisecond", async () => {
    const id = await storeAccount(world)
    for (const hours of [1, 72, 2160]) {
      await point(id, ago(hours * HOUR))
      await point(id, ago(hours * HOUR + 1))
    }
    await point(id, ago(0))
    await point(id, ago(-1))
    expect(taken(await read("?hours=1"))).toEqual([ago(HOUR), ago(0)].map((at) => at.toISOString()))
    expect(taken(await read())).toHaveLength(4)
    expect(taken(await read("?hours=2160"))).toHaveLength(6)
    for (const hours of [0, 2161, -1, 1.5, "x"]) {
      const answer = await admin.json("GET", `${CAPACITY}?hours=${hours}`)
      expect(answer, String(hours)).toMatchObject([422, { detail: [{ loc: ["query", "hours"] }] }])
    }
  })

  test("Snapshots filter by pool, account and window, also of removed accounts", async () => {
    const main = await storeAccount(world, { provider_id: "one" })
    const alt = await storeAccount(world, { provider_id: "two", pool: "alt-pool" })
    await point(alt, ago(5))
    await point(main, ago(1), 20)
    await point(main, ago(2), 10)
    await point(main, ago(3), 5, ["tokens", 60])
    await point(main, ago(3), 5, ["unified", 60])
    const shown = async (query: string) =>
      (await read(query)).snapshots.map(({ subscription_id, resource, window_seconds, used_pct }) =>
        [subscription_id, resource, window_seconds, used_pct].join(" "),
      )
    const ofMain = ["one tokens 60 5", "one unified 60 5", "one unified 18000 10", "one unified 18000 20"]
    expect(await shown("")).toEqual([...ofMain, "two unified 18000 10"])
    expect(await shown("?provider=main")).toEqual(ofMain)
    expect(await shown("?provider=alt-pool")).toEqual(["two unified 18000 10"])
    await admin.json("DELETE", "/api/admin/providers/one")
    expect(await shown("?provider=main")).toEqual(ofMain)
    expect((await admin.json("GET", `${CAPACITY}?provider=media`))[0]).toBe(422)
  })

  test("Above the limit, the report shows the newest snapshot of each step of every window, unchanged", async () => {
    const ids = [await storeAccount(world), await storeAccount(world, { pool: "alt-pool" })]
    const store = (count: number) =>
      world.sql(
        `insert into quota_snapshots select id, 'unified', 18000, 1 + n % 90, null, $1::timestamptz - n * interval '20 seconds'
         from unnest($2::text[]) id, generate_series(1, $3::integer) n`,
        [ago(0), ids, count],
      )
    await store(PROVIDER_POLICY.points / 2)
    const whole = await read()
    expect([whole.thinned, whole.snapshots.length]).toEqual([false, PROVIDER_POLICY.points])
    await point(ids[0] ?? "", ago(0), 77)
    const thinned = await read()
    expect(thinned).toMatchObject({ thinned: true, point_seconds: 300 })
    const all = [
      ...whole.snapshots,
      { ...whole.snapshots[0], subscription_id: ids[0], used_pct: 77, reset_at: null, taken_at: ago(0).toISOString() },
    ]
    const newest = new Map<string, string>()
    for (const { subscription_id, taken_at = "" } of all) {
      const step = `${subscription_id} ${Math.floor(Date.parse(taken_at) / 300_000)}`
      if (taken_at > (newest.get(step) ?? "")) newest.set(step, taken_at)
    }
    const shown = thinned.snapshots.map(({ subscription_id, taken_at }) => `${subscription_id} ${taken_at}`)
    expect(shown.toSorted()).toEqual([...newest].map(([step, at]) => `${step.split(" ")[0]} ${at}`).toSorted())
    expect(shown.length).toBeLessThanOrEqual(PROVIDER_POLICY.thinnedPoints)
    const long = await read("?hours=2160")
    expect(long.snapshots.length).toBeLessThanOrEqual(PROVIDER_POLICY.thinnedPoints)
    expect(long.point_seconds).toBeGreaterThan(300)
    expect(long.snapshots.at(-1)?.taken_at, "the newest of all").toBe(ago(0).toISOString())
    expect((await read("?provider=alt-pool")).thinned, "half of them").toBe(false)
  })
})

describe("Spend", () => {
  test("Spend is summed by the UTC hour in which turns ended, keyed and chat, without test data, before and after the roll-up", async () => {
    const id = await storeAccount(world)
    const other = await storeAccount(world)
    const client = await world.createAccount()
    const space = await client.space()
    const user = await world.signIn(client.userId)
    const tests = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
    const expected: Record<string, { calls: number; billed: number }> = {}
    const serve = async (by: string, run: () => Promise<unknown>, counts: boolean) => {
      await run()
      await world.drain()
      const rows = await world.sql<{ billed: number }>(
        `with u as (update usage set subscription_id = $1 where subscription_id is null returning billed_credit_micros),
           c as (update chat_calls set subscription_id = $1 where subscription_id is null returning billed_credit_micros)
         select billed_credit_micros::int as billed from u union all select billed_credit_micros::int from c`,
        [by],
      )
      expect(rows).toHaveLength(1)
      const hour = `${world.clock.now().toISOString().slice(0, 13)}:00:00.000Z`
      if (!counts) return
      const { calls, billed } = expected[hour] ?? { calls: 0, billed: 0 }
      expected[hour] = { calls: calls + 1, billed: billed + (rows[0]?.billed ?? 0) }
    }
    const keyed = () => client.runTurn({ space, text: "[use input=1000 output=500]" })
    const chat = () => user.json("POST", "/api/account/chat/turns", { space, text: "[use input=10 output=50]" })
    const expectExact = async () => {
      const { spend, spend_seconds } = await read("?hours=5")
      expect(spend_seconds).toBe(3600)
      expect(spend).toEqual(
        Object.entries(expected)
          .toSorted()
          .map(([starts_at, { calls, billed }]) => {
            const usd = billed / 1e7
            return { subscription_id: id, starts_at, model_calls: calls, cost_usd: usd, billed_usd: usd }
          }),
      )
    }
    await serve(id, keyed, true)
    await serve(id, chat, true)
    await serve(other, keyed, false)
    expect((await read()).spend, "no snapshot names the account").toEqual([])
    await point(id, ago(0))
    await expectExact()
    await world.sweep()
    await expectExact()
    await world.advance(HOUR)
    await serve(id, keyed, true)
    await serve(id, async () => tests.runTurn({ space: await tests.space() }), false)
    await expectExact()
    await world.advance(2 * HOUR)
    await serve(id, chat, true)
    await world.sweep()
    await serve(id, keyed, true)
    await expectExact()
    await world.advance(6 * HOUR)
    admin = await signInAdmin(world)
    expect((await read("?hours=5")).spend, "its snapshot is older").toEqual([])
  })

  test("Spend is summed by day when there are too many hours", async () => {
    const id = await storeAccount(world)
    await point(id, ago(0))
    const rows = (table: string, column: string, unit: string, count: number) =>
      world.sql(
        `insert into ${table} (${column}, subscription_id, model_calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
           billed_credit_micros, last_call_at)
         select date_trunc('${unit}', $1::timestamptz, 'UTC') - n * interval '1 ${unit}', $2, 1, 1, 0, 1, 20000000, 10000000, $1
         from generate_series(0, $3::integer) n`,
        [ago(0), id, count],
      )
    await rows("account_hours", "hour", "hour", 2159)
    await rows("account_days", "day", "day", 90)
    const report = await read("?hours=2159")
    expect([report.spend_seconds, report.spend.length]).toEqual([3600, 2160])
    expect(report.spend[0]).toMatchObject({ model_calls: 1, cost_usd: 2, billed_usd: 1 })
    // More accounts with the same hours would give too many rows, so the answer has days.
    for (const other of [1, 2, 3, 4]) {
      await storeAccount(world, { provider_id: `more-${other}` })
      await point(`more-${other}`, ago(0))
      await world.sql(
        `insert into account_hours select hour, $1, model_calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
           billed_credit_micros, last_call_at from account_hours where subscription_id = $2`,
        [`more-${other}`, id],
      )
    }
    const days = await read("?hours=2160")
    expect(days).toMatchObject({ spend_seconds: 86_400, thinned: false })
    expect(days.spend).toHaveLength(91)
    expect(days.spend[0]?.starts_at).toMatch(/T00:00:00\.000Z$/)
  })
})

test("The CSV has snapshots and spend and marks the kind of each line", async () => {
  const id = await storeAccount(world)
  await point(id, ago(5), 12.5)
  await world.sql(
    "insert into account_hours values (date_trunc('hour', $1::timestamptz), $2, 3, 1, 0, 1, 30000000, 20000000, $1)",
    [ago(0), id],
  )
  const response = await admin.call("GET", `${CAPACITY}?hours=1&format=csv`)
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="capacity.csv"')
  const [header, ...lines] = parseCsv(await response.text())
  expect(header?.slice(0, 3)).toEqual(["row", "subscription_id", "resource"])
  expect(lines.map(([row, subscription]) => [row, subscription])).toEqual([
    ["snapshot", id],
    ["spend", id],
  ])
})
