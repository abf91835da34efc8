import { afterAll, beforeAll, expect, test } from "vitest"
import { RELEASE } from "../../src/platform/procedures.ts"
import { rollUp } from "../harness/analytics-world.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

// biome-ignore lint/suspicious/noExplicitAny: each report has its own shape
type Json = any

const sums = ({ billed_cost_usd: billed, turns = 0, tokens_input = 0 }: Json) => [billed, turns, tokens_input]
const ofTotal = ({ total }: Json) => sums(total)
const ofAll = (rows: Json[]) => added(rows.map(sums))
const ofItems = ({ items }: Json) => ofAll(items)

/** Every report with a brand, and its figures that add up over brands. */
const REPORTS: Record<string, (report: Json) => number[]> = {
  usage: ofAll,
  "usage?group_by=slug": ({ series }) => ofAll(Object.values<Json[]>(series).flat()),
  "context-comparison": ({ items }) =>
    added(items.map(({ orchestrator, subagent }: Json) => [orchestrator.tokens_input, subagent.tokens_input])),
  "subscriptions/usage": ({ items }) => added(items.map(({ billed_usd }: Json) => [billed_usd])),
  "analytics/top-users": ofTotal,
  "analytics/top-spaces": ofItems,
  "analytics/errors": ({ items }) => added(items.map(({ model_call }: Json) => [model_call])),
  "analytics/context-size": ({ items }) =>
    added(items.map(({ model_calls, max_tokens_input }: Json) => [model_calls, max_tokens_input])),
  "analytics/hourly": ofItems,
  "analytics/hourly-spaces?start=2026-01-01&end=2026-12-31": ({ series }) => ofAll(series),
  "analytics/costs": ofTotal,
  "analytics/costs/per-user": ofItems,
  "analytics/cpm": ofTotal,
  "analytics/breakdown?dimension=space": ofItems,
  "analytics/breakdown?dimension=user": ofTotal,
  "analytics/breakdown?dimension=model": ofItems,
  "analytics/breakdown?dimension=provider": ofItems,
  "analytics/subscription-spaces": ofItems,
  "analytics/energy-timeline": ({ totals }) => [totals.free, totals.spent],
  "analytics/balance-trend": ({ items }) => [items.at(-1).active_users],
}

const added = (rows: number[][]) => rows.reduce((sum, row) => row.map((one, at) => one + (sum[at] ?? 0)), [])
const withBrand = (report: string, brand: string) => `${report}${report.includes("?") ? "&" : "?"}brand=${brand}`

let world: World
let admin: Admin
let userId = 0
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  await world.sql("insert into brands (brand, created_at, updated_at) values ('other', now(), now())")
  for (const [brand, tokens] of [
    ["turnpike", 100],
    ["other", 700],
    ["other", 30],
  ] as const) {
    const client = await world.createAccount({ brand })
    const turn = await client.runTurn({ space: await client.space(), text: `[use input=${tokens} output=10]\nhello` })
    await world.sql(`select ${RELEASE}.note_infrastructure_error('model_call', 'n', 'c', $1, null, null, $2)`, [
      turn.turn_id,
      world.clock.now(),
    ])
    userId = client.userId
  }
  await world.sweep()
})
afterAll(() => world.close())

const read = async (report: string): Promise<Json> => {
  const [status, answer] = await admin.json("GET", `/api/admin/${report}`)
  expect(status, report).toBe(200)
  return answer
}

/** A report without the time at which it was made. */
const figures = (report: Json) => JSON.stringify(report, (name, value) => (name === "as_of" ? null : value))

test("The reports on each brand add up to the report on all, before and after the roll-up", async () => {
  for (const rolled of [false, true]) {
    if (rolled) await rollUp(world)
    for (const [report, of] of Object.entries(REPORTS)) {
      const [all, own, others] = await Promise.all(["all", "turnpike", "other"].map((b) => read(withBrand(report, b))))
      expect(figures(await read(report)), report).toBe(figures(all))
      const [first, second] = [of(own), of(others)]
      const sum = first.map((one, at) => expect.closeTo(one + (second[at] ?? 0), 7))
      expect(of(all), `${report}, ${rolled}`).toEqual(sum)
      if (report.startsWith("subscriptions") || report === "context-comparison") continue
      expect(first[0], report).toBeGreaterThan(0)
      expect(second[0], report).toBeGreaterThan(0)
    }
  }
})

test("An account stays in the reports of its first brand after a change of its brand", async () => {
  const before = await Promise.all(Object.keys(REPORTS).map((report) => read(withBrand(report, "other"))))
  const [status, user] = await admin.json("PUT", `/api/admin/users/${userId}`, { brand: "turnpike" })
  expect([status, user.brand]).toEqual([200, "turnpike"])
  await world.sql("update users set first_brand = brand")
  const after = await Promise.all(Object.keys(REPORTS).map((report) => read(withBrand(report, "other"))))
  expect(after.map(figures)).toEqual(before.map(figures))
})

test("A filter of a report by an account or a chat finds nothing in another brand", async () => {
  const [space] = await world.sql<{ slug: string; chat_key: string }>(
    "select slug, chat_key from spaces where user_id = $1",
    [userId],
  )
  const filters = [`user_id=${userId}`, `chat_key=${space?.chat_key}`, `user_id=${userId}&chat_key=${space?.chat_key}`]
  for (const filter of filters) {
    for (const [report, of] of [
      ["usage", ofAll],
      ["usage?group_by=slug", REPORTS["usage?group_by=slug"] ?? ofAll],
      ["analytics/cpm", ofTotal],
    ] as const) {
      const asked = (brand: string) => read(withBrand(`${report}${report.includes("?") ? "&" : "?"}${filter}`, brand))
      expect(of(await asked("other"))[1], `${report} ${filter}`).toBe(1)
      expect(of(await asked("turnpike"))[1] ?? 0, `${report} ${filter}`).toBe(0)
    }
  }
  expect((await read(`analytics/context-size?space=${space?.slug}&brand=other`)).total).toBe(1)
  expect((await read(`analytics/context-size?space=${space?.slug}&brand=turnpike`)).total).toBe(0)
  const chat = `analytics/subscription-spaces?chat_key=${space?.chat_key}`
  expect([(await read(`${chat}&brand=other`)).pairs, (await read(`${chat}&brand=turnpike`)).pairs]).toEqual([1, 0])
})

test("Few accounts of a brand are found among many of others, also at the end of a list", async () => {
  for (let n = 0; n < 6; n++) {
    const client = await world.createAccount()
    await client.runTurn({ space: await client.space(), text: "[use input=9000 output=10]\nhello" })
  }
  const items = async (report: string) => (await read(`${report}limit=1&brand=other`)).items.map(sums)
  for (const report of ["analytics/top-users?", "analytics/top-spaces?", "analytics/breakdown?dimension=user&"])
    expect(await items(report), report).toEqual([[expect.any(Number), 1, 700]])
})

test("The usage of subscriptions of a brand has the plans of its users, and no provider account", async () => {
  const now = world.clock.now()
  const [plan] = await world.sql<{ sub_id: number }>(
    `insert into subscriptions (user_id, plan, starts_at, ends_at, created_at, updated_at) values ($1, 'pro', $2, $2::timestamptz + interval '9 days', $2, $2)
     returning sub_id`,
    [userId, now],
  )
  await world.sql(
    `insert into subscription_days (day, subscription_id, model_calls, tokens_input, tokens_cached, tokens_output, billed_credit_micros)
     select $1::date, unnest(array['ada', $2]), 2, 10, 4, 6, 15000000`,
    [now.toISOString().slice(0, 10), String(plan?.sub_id)],
  )
  const found = async (brand: string) => {
    const { items, total } = await read(withBrand("subscriptions/usage", brand))
    return [total, items.map(({ subscription_id }: Json) => subscription_id).sort()]
  }
  const id = String(plan?.sub_id)
  expect([await found("all"), await found("other"), await found("turnpike")]).toEqual([
    [2, [id, "ada"].sort()],
    [1, [id]],
    [0, []],
  ])
})

test("An unknown brand is refused, and the report on one account has no brand", async () => {
  for (const report of Object.keys(REPORTS)) {
    const [status, answer] = await admin.json("GET", `/api/admin/${withBrand(report, "nobody")}`)
    expect([status, JSON.stringify(answer)], report).toEqual([422, expect.stringContaining("there is no brand")])
  }
  const [status] = await admin.json("GET", `/api/admin/analytics/end-users?user_id=${userId}&brand=other`)
  expect(status).toBe(422)
})
