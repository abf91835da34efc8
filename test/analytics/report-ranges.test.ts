import { afterAll, beforeAll, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { parseCsv } from "../harness/csv.ts"
import { createWorld, type World } from "../harness/world.ts"

const DAY_MS = 86_400_000
/** Every report whose range is a number of days, `start` and `end`, or a period. */
const REPORTS = [
  "context-comparison",
  "usage",
  "usage?group_by=slug",
  "subscriptions/usage",
  ...["top-users", "top-spaces", "errors", "context-size", "hourly", "costs", "costs/per-user", "cpm"].map(ofAnalytics),
  ...["breakdown?dimension=model", "subscription-spaces", "energy-timeline", "balance-trend"].map(ofAnalytics),
]

function ofAnalytics(report: string) {
  return `analytics/${report}`
}

let world: World
let admin: Admin
/** The first days of the last month and of this month. */
let [first, next]: [string, string] = ["", ""]
let billed = { last: 0, now: 0 }

beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  const client = await world.createAccount()
  const space = await client.space()
  const before = await client.runTurn({ space, text: "[use input=1000 output=300]\nhello" })
  const started = world.clock.now()
  const month = (later: number) => new Date(Date.UTC(started.getUTCFullYear(), started.getUTCMonth() + later, 1))
  ;[first, next] = [month(0).toISOString().slice(0, 10), month(1).toISOString().slice(0, 10)]
  // The third day of the next month.
  await world.advance(month(1).getTime() + 2 * DAY_MS + DAY_MS / 2 - started.getTime())
  const after = await client.runTurn({ space, text: "[use input=10 output=30]\nhello" })
  billed = { last: before.billed_cost_usd, now: after.billed_cost_usd }
})
afterAll(() => world.close())

const read = async (report: string, query: string) => {
  const response = await admin.call("GET", `/api/admin/${report}${report.includes("?") ? "&" : "?"}${query}`)
  return { status: response.status, headers: response.headers, answer: (await response.json()) as never }
}

/** A report without the time at which it was made. */
const figures = (answer: object) => JSON.stringify(answer, (name, value) => (name === "as_of" ? null : value))

test.for(REPORTS)(
  "%s has the last month by its name, and by its first day and the day after its last",
  async (report) => {
    const named = await read(report, "period=last_month")
    const dated = await read(report, `start=${first}&end=${next}`)
    expect([named.status, dated.status]).toEqual([200, 200])
    expect(figures(named.answer)).toBe(figures(dated.answer))
    const { from = named.headers.get("x-report-from"), to = named.headers.get("x-report-to") } = named.answer as {
      from?: string
      to?: string
    }
    expect([from?.slice(0, 10), to?.slice(0, 10)]).toEqual([first, next])
    expect((await read(report, "period=last_month&end=2026-01-01")).status).toBe(422)
    expect((await read(report, "period=last_decade")).status).toBe(422)
  },
)

test("A month's report has the turns of that month, and the current month ends tonight", async () => {
  const total = async (query: string) => {
    const { answer } = await read("analytics/top-users", query)
    return (answer as { total: { billed_cost_usd: number } }).total.billed_cost_usd
  }
  expect(await total("period=last_month")).toBe(billed.last)
  expect(await total("period=this_month")).toBe(billed.now)
  const { answer } = await read("analytics/costs", "period=this_month")
  expect((answer as { items: { date: string }[] }).items.map(({ date }) => date.slice(8))).toEqual(["01", "02", "03"])
})

test("A report by day refuses a range that cuts a day, and one of more than a year", async () => {
  for (const [query, message] of [
    [`start=${first}T06:00:00Z`, "must be the start of a day"],
    ["start=2020-01-01&end=2021-01-02", "at most 366 days"],
  ]) {
    const { status, answer } = await read("analytics/costs", query ?? "")
    expect([status, JSON.stringify(answer)]).toEqual([422, expect.stringContaining(message ?? "")])
  }
})

test("The usage of subscriptions is a CSV with a row for each subscription and day", async () => {
  await world.sql(
    "insert into subscription_days (day, subscription_id, model_calls, tokens_input, tokens_cached, tokens_output, billed_credit_micros) values ($1, 'ada', 2, 10, 4, 6, 15000000)",
    [first],
  )
  const { answer } = await read("subscriptions/usage", "period=last_month")
  expect(answer).toMatchObject({ as_of: world.clock.now().toISOString(), items: [{ subscription_id: "ada" }] })
  const csv = await admin.call("GET", "/api/admin/subscriptions/usage?period=last_month&format=csv")
  const [header, ...rows] = parseCsv(await csv.text())
  expect(header?.slice(0, 4)).toEqual(["subscription_id", "user_id", "plan", "date"])
  expect(rows).toEqual([["ada", "", "", first, "2", "10", "4", "6", "1.5"]])
  expect((await read("subscriptions/usage", `start=${next}`)).answer).toMatchObject({ items: [] })
})

test("The number of a plan is refused as a provider of a report, with a hint", async () => {
  const { status, answer } = await read("analytics/subscription-spaces", "subscription_id=13")
  const msg = expect.stringContaining("is the number of a plan. Calls that a plan paid for count under their provider")
  expect([status, answer]).toEqual([422, { detail: [expect.objectContaining({ msg })] }])
  expect((await read("analytics/subscription-spaces", "subscription_id=anthropic-13")).status).toBe(200)
})
