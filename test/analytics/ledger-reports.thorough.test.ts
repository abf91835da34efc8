import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { readReport, rollUp } from "../harness/analytics-world.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { parseCsv } from "../harness/csv.ts"
import { closeDays, type LedgerEntry, plantLedger, timelineOf, trendOf } from "../harness/ledger-reference.ts"
import { declaredReport } from "../harness/report-world.ts"
import { createWorld, type World } from "../harness/world.ts"

// The world's clock shows noon on Friday, 20 November 2026.
const TONIGHT = "2026-11-21T00:00:00Z"
const DAY_MS = 86_400_000
const REASONS = [
  "admin_grant",
  "operator_topup",
  "signup_credit",
  "referral_signup_credit",
  "manual_topup",
  "credit_purchase",
]

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const get = async (path: string) => declaredReport(path, await readReport(admin, path))
const before = (to: string, days: number) => new Date(Date.parse(to) - days * DAY_MS).toISOString()

/** Requested ranges and their expected start and end. `begin` is the day of the earliest row. */
const rangesFrom = (begin: string): [query: string, from: string, to: string][] => [
  ["", before(TONIGHT, 30), TONIGHT],
  ["days=1", before(TONIGHT, 1), TONIGHT],
  ["days=92", before(TONIGHT, 92), TONIGHT],
  ["days=93", before(TONIGHT, 93), TONIGHT],
  ["days=730", before(TONIGHT, 730), TONIGHT],
  ["days=731", before(TONIGHT, 731), TONIGHT],
  ["days=3650", before(TONIGHT, 3650), TONIGHT],
  ["days=3&end=2026-11-16", "2026-11-13T00:00:00Z", "2026-11-16T00:00:00Z"],
  ["days=3&start=2026-11-16", "2026-11-16T00:00:00Z", TONIGHT],
  ["start=2024-02-29&end=2024-03-01", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"],
  ["start=2026-10-01&end=2026-11-01", "2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"],
  ["start=2026-11-09&end=2026-11-16", "2026-11-09T00:00:00Z", "2026-11-16T00:00:00Z"],
  ["start=2026-11-15T10:00:00Z&end=2026-11-16T00:00:00.001Z", "2026-11-15T10:00:00Z", "2026-11-16T00:00:00.001Z"],
  ["start=2026-11-20T08:00:00Z&end=2026-11-20T11:30:00Z", "2026-11-20T08:00:00Z", "2026-11-20T11:30:00Z"],
  ["start=2026-06-11T15:00:00%2B03:00&end=2026-11-18T08:00:00Z", "2026-06-11T12:00:00Z", "2026-11-18T08:00:00Z"],
  ["start=2026-11-18&end=2026-12-05", "2026-11-18T00:00:00Z", "2026-12-05T00:00:00Z"],
  ["all_time=true", begin, TONIGHT],
  ["all_time=true&days=2&start=2026-12-24", begin, TONIGHT],
  ["all_time=true&end=2026-10-31T23:00:00Z", begin, "2026-10-31T23:00:00Z"],
  ["all_time=true&end=2031-01-01", begin, TONIGHT],
]

test("Without ledger rows the series is zero, and the range of all time is today", async () => {
  const nothing = { free: 0, bonus: 0, paid: 0, refunded: 0, spent: 0, unbucketed: 0, change: 0 }
  const timeline = await get("energy-timeline?days=2")
  expect(timeline).toEqual({
    from: "2026-11-19T00:00:00.000Z",
    to: "2026-11-21T00:00:00.000Z",
    granularity: "day",
    as_of: "2026-11-20T12:00:00.000Z",
    totals: nothing,
    items: ["2026-11-19", "2026-11-20"].map((date) => ({ date, ...nothing })),
  })
  expect(await get("energy-timeline?all_time=true")).toMatchObject({ items: [{ date: "2026-11-20", ...nothing }] })
  const nobody = { date: "2026-11-20", active_users: 0, average_balance: null, median_balance: null }
  const trend = await get("balance-trend?all_time=true&active_window_days=9")
  expect(trend).toMatchObject({ granularity: "day", active_window_days: 9, items: [nobody] })
})

test("A single row is in its bucket, and the range of all time starts on its day", async () => {
  const { userId: user } = await world.createAccount({ usd: 0 })
  await plantLedger(world, [{ user, reason: "space_usage", micros: -1, at: "2026-11-19T23:59:59.999Z", balance: 5 }])
  const [first, second] = (await get("energy-timeline?all_time=true")).items
  expect([first, second]).toMatchObject([
    { date: "2026-11-19", spent: 0.000001, change: -0.000001 },
    { date: "2026-11-20", spent: 0, change: 0 },
  ])
  const { items } = await get("balance-trend?days=3&active_window_days=1")
  const [none, one] = [
    { active_users: 0, average_balance: null, median_balance: null },
    { active_users: 1, average_balance: 0.000005, median_balance: 0.000005 },
  ]
  expect(items).toMatchObject([none, one, none])
})

describe("A ledger of all reasons", () => {
  const users: number[] = []
  beforeAll(async () => {
    await world.sql("insert into brands (brand, created_at, updated_at) values ('other', now(), now())")
    for (let n = 0; n < 6; n++) {
      const account = { usd: 0, brand: n % 2 === 0 ? "turnpike" : "other" }
      users.push((await world.createAccount(account)).userId)
    }
    // Reports count an account under its first brand.
    await world.sql("update users set brand = 'other' where user_id = $1", [users[0]])
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = users
    const entries: LedgerEntry[] = [
      ...REASONS.map((reason, n) => ({
        user: a,
        reason,
        micros: 1_000_001 + n,
        at: `2026-11-${10 + n}T10:00:00Z`,
        balance: 9e6,
      })),
      { user: a, reason: "operator_topup", micros: 5_000_000, at: "2024-02-29T00:00:00Z", balance: 5_000_000 },
      { user: a, reason: "usage", micros: -3, at: "2024-02-29T23:59:59.999Z", balance: 4_999_997 },
      { user: a, reason: "usage", micros: -5, at: "2024-03-01T00:00:00Z", balance: 4_999_992 },
      { user: b, reason: "credit_purchase", micros: 70_000_000, at: "2026-06-11T12:00:00Z", balance: 70_000_000 },
      { user: b, reason: "space_usage", micros: -1_250_000, at: "2026-10-31T23:59:59.999Z", balance: 68_750_000 },
      { user: b, reason: "usage", micros: -750_000, at: "2026-11-01T00:00:00Z", balance: 68_000_000 },
      // A refund, and corrections that remove credit, one of them on the same day as credit with
      // the same reason.
      { user: b, reason: "admin_action", micros: 750_000, at: "2026-11-02T09:00:00Z", balance: 68_750_000 },
      { user: b, reason: "admin_action", micros: -2_000_000, at: "2026-11-02T09:30:00Z", balance: 66_750_000 },
      { user: b, reason: "admin_action", micros: -1, at: "2026-11-20T11:59:59Z", balance: 66_749_999 },
      { user: b, reason: "referral_credit_commission", micros: null, at: "2026-11-03T09:00:00Z", balance: 66_749_999 },
      // Sunday and Monday.
      { user: c, reason: "manual_topup", micros: 20_000_000, at: "2026-11-15T23:59:59.999Z", balance: 20_000_000 },
      { user: c, reason: "usage", micros: -11, at: "2026-11-16T00:00:00Z", balance: 19_999_989 },
      { user: c, reason: "usage", micros: -13, at: "2026-11-20T11:30:00Z", balance: 19_999_976 },
      // From a worker with a slow clock: a later row with an earlier time.
      { user: c, reason: "usage", micros: -17, at: "2026-11-18T07:59:00Z", balance: 19_999_959 },
      { user: d, reason: "signup_credit", micros: 40, at: "2026-11-20T08:00:00Z", balance: 40 },
      { user: d, reason: "space_usage", micros: -40, at: "2026-11-20T08:00:00.001Z", balance: 0 },
      { user: e, reason: "usage", micros: -19, at: "2026-11-18T08:00:00Z", balance: 7 },
      { user: e, reason: "usage", micros: -23, at: "2026-10-21T12:00:00Z", balance: 3 },
      { user: e, reason: "operator_topup", micros: 1_000, at: "2026-11-19T01:00:00Z", balance: 1_003 },
    ]
    await plantLedger(world, entries)
    await world.sql(
      `insert into postings (user_id, reason, amount_credit_micros, turn_id, created_at)
       values ($1, 'usage', -31, 'turn_waiting', '2026-11-19T00:00:00Z')`,
      [a],
    )
  })

  async function expectAll() {
    for (const brand of ["all", "other"]) {
      const noon = `days=1&end=2026-11-20T12:00:00Z&brand=${brand}`
      for (const days of [1, 29, 30, 90]) {
        const trend = await get(`balance-trend?${noon}&active_window_days=${days}`)
        expect(trend).toEqual(await trendOf(world, "2026-11-19T12:00:00Z", "2026-11-20T12:00:00Z", days, brand))
      }
      let turn = 0
      for (const [range, from, to] of rangesFrom("2024-02-29T00:00:00Z")) {
        const query = `${range}&brand=${brand}`
        expect(await get(`energy-timeline?${query}`), query).toEqual(await timelineOf(world, from, to, brand))
        const days = [30, 1, 90, 7][turn++ % 4] as number
        const trend = await get(`balance-trend?${query}&active_window_days=${days}`)
        expect(trend, `${query}, ${days}`).toEqual(await trendOf(world, from, to, days, brand))
      }
    }
  }

  test("The reports are the same before, during and after the roll-up, in ranges of every kind", async () => {
    await expectAll()
    await rollUp(world, 11)
    await expectAll()
    await rollUp(world, 1_000)
    await expectAll()
    await closeDays(world, 70)
    await expectAll()
    const [kept] = await world.sql<{ count: number }>(
      "select count(*)::int from balance_days where window_days = 30 and brand = ''",
    )
    expect(kept?.count).toBe(70)
  })

  test("Rows that arrive later are counted at once, also on days that are already stored", async () => {
    const [, , , d = 0, e = 0, f = 0] = users
    await plantLedger(world, [
      { user: f, reason: "usage", micros: -100, at: "2026-11-17T23:00:00Z", balance: 50 },
      { user: d, reason: "manual_topup", micros: 900, at: "2026-11-20T11:45:00Z", balance: 900 },
    ])
    await expectAll()
    await rollUp(world, 1_000)
    await expectAll()
    await plantLedger(world, [{ user: e, reason: "usage", micros: -1, at: "2026-11-20T09:00:00Z", balance: 1_002 }])
    await rollUp(world, 1_000)
    await closeDays(world, 2)
    await expectAll()
  })

  test("All balances change by the amounts of the timeline, which equal the ledger", async () => {
    const { totals } = await get("energy-timeline?all_time=true")
    const [booked] = await world.sql<{ micros: number }>(
      `select (select sum(amount_credit_micros) from ledger)::float8 + (select sum(amount_credit_micros) from postings)::float8 as micros`,
    )
    expect(totals.change).toBe((booked?.micros ?? 0) / 1e6)
    expect(totals.free + totals.bonus + totals.paid - totals.spent + totals.unbucketed).toBeCloseTo(totals.change, 6)
    expect(totals.unbucketed).toBe(-2.000001)
  })

  test("The CSV has a row for each bucket", async () => {
    for (const path of ["energy-timeline?days=9", "balance-trend?days=100&active_window_days=40"]) {
      const { items } = await get(path)
      const response = await admin.call("GET", `/api/admin/analytics/${path}&format=csv`)
      const [head, ...rows] = parseCsv(await response.text())
      expect(response.headers.get("content-disposition")).toContain(`${path.split("?")[0]}.csv`)
      expect(head).toEqual(Object.keys(items[0]))
      expect(rows).toEqual(items.map((item: object) => Object.values(item).map((value) => String(value ?? ""))))
    }
  })
})

test("Wrong ranges and bounds are refused", async () => {
  const status = async (query: string) => (await admin.json("GET", `/api/admin/analytics/${query}`))[0]
  const wrong = [
    "days=0",
    "days=3651",
    "days=x",
    "start=yesterday",
    "end=2026-13-01",
    "all_time=maybe",
    "group=x",
    "start=2026-11-02&end=2026-11-01",
    "start=2026-11-01&end=2026-11-01",
    "start=2026-12-24",
    "start=1971-01-01",
  ]
  for (const report of ["energy-timeline", "balance-trend"]) {
    for (const query of wrong) expect(await status(`${report}?${query}`), `${report}?${query}`).toBe(422)
  }
  for (const days of [0, 91, 1.5]) expect(await status(`balance-trend?active_window_days=${days}`)).toBe(422)
  expect(await status("energy-timeline?active_window_days=3"), "the parameter belongs to the other report").toBe(422)
})
