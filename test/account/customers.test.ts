import { afterAll, beforeAll, expect, test } from "vitest"
import type { Customer, CustomerTotals } from "../../src/end-users/list-customers.ts"
import { parseCsv } from "../harness/csv.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

interface Ranking {
  items: Customer[]
  total: number
  totals: CustomerTotals
}

/** An account whose customers spent different amounts today, this month and before. */
async function account() {
  const client = await world.createAccount({ usd: 100 })
  const owner = await world.signIn(client.userId)
  const space = await client.space()
  let reader = owner
  const spend = (end_user_ref: string, output: number, text = "hello") =>
    client.runTurn({ space, end_user_ref, text: `[use input=10 output=${output}]\n${text}` })
  const list = async (query = ""): Promise<Ranking> => {
    const [status, answer] = await reader.json("GET", `/api/account/customers${query}`)
    expect(status, JSON.stringify(answer)).toBe(200)
    return answer
  }
  const names = async (query: string) => (await list(query)).items.map(({ end_user_ref }) => end_user_ref)
  /** Time in which a session may end. */
  const advance = async (days: number) => {
    await world.advance(days * 86_400_000)
    reader = await world.signIn(client.userId)
  }
  return { client, owner, space, spend, list, names, advance }
}

const limitsOf = (client: TestClient, ref: string, limits: object) =>
  world.createClient(client.userId, client.key).call("PUT", `/v1/end-users/${ref}/limits`, limits)

test("Customers are sorted by what they spent today, this month and ever, also before their turns are rolled up", async () => {
  const { spend, list, names, advance } = await account()
  await spend("old", 900)
  await advance(32)
  await spend("month", 600)
  await world.sweep()
  await advance(1)
  await spend("today", 300)
  await spend("month", 1)
  for (const isRolled of [false, true]) {
    if (isRolled) await world.sweep()
    expect(await names("?sort=today"), `rolled up: ${isRolled}`).toEqual(["today", "month", "old"])
    expect(await names("?sort=month")).toEqual(["month", "today", "old"])
    expect(await names("?sort=all_time")).toEqual(["old", "month", "today"])
    expect(await names("?sort=all_time&direction=asc")).toEqual(["today", "month", "old"])
    expect(await names("?sort=name&direction=desc")).toEqual(["today", "old", "month"])
    const { items, totals } = await list()
    const [month] = items
    expect(month).toMatchObject({ turns: 2, month: { turns: 2, done: 2, failed: 0, success_rate: 1 } })
    expect(month?.trend_usd).toHaveLength(30)
    expect(month?.trend_usd.slice(-2).map((usd) => usd > 0)).toEqual([true, true])
    expect(month?.trend_usd.at(-1)).toBe(month?.billed_today_usd)
    const sum = (pick: (one: Customer) => number) =>
      items.reduce((total, one) => total + Math.round(pick(one) * 1e7), 0) / 1e7
    expect(totals).toMatchObject({
      customers: 3,
      turns: 4,
      billed_usd: sum(({ billed_usd }) => billed_usd),
      billed_this_month_usd: sum(({ billed_this_month_usd }) => billed_this_month_usd),
      billed_today_usd: sum(({ billed_today_usd }) => billed_today_usd),
    })
  }
})

test("The figures of a customer equal those of the end user that the public API returns", async () => {
  const { client, spend, list, advance } = await account()
  await spend("a", 100)
  await advance(1)
  await world.sweep()
  await spend("a", 20)
  await spend("a", 10, "[fail OUT_OF_STOCK]")
  const answer = await client.call("GET", "/v1/end-users/a")
  const { billed_usd, billed_this_month_usd, billed_today_usd, turns } = (await answer.json()) as Customer
  const [customer] = (await list()).items
  expect(customer).toMatchObject({ billed_usd, billed_this_month_usd, billed_today_usd, turns })
  expect(customer?.month).toMatchObject({ turns: 3, done: 2, failed: 1, success_rate: 2 / 3 })
})

test("Customers are sorted by the share of their nearest limit, and a limit of the account applies to the others", async () => {
  const { client, owner, spend, list, names } = await account()
  const all = world.createClient(client.userId, (await world.makeKey(client.userId, { scope: "all" })).value)
  await all.call("PUT", "/v1/end-users/own/limits", { daily_usd: 0.05, monthly_usd: 50 })
  await all.call("PUT", "/v1/end-users/barred/limits", { daily_usd: 0, blocked: true })
  await spend("own", 300)
  await spend("plain", 600)
  expect((await list()).items.map(({ end_user_ref, cap_share }) => [end_user_ref, cap_share === null])).toEqual([
    ["plain", true],
    ["own", false],
    ["barred", false],
  ])
  await owner.json("PUT", "/api/account/limits", { end_user_daily_usd: 0.04 })
  const { items } = await list("?sort=share")
  const [, plain, own] = items
  expect(items.map(({ end_user_ref }) => end_user_ref)).toEqual(["barred", "plain", "own"])
  expect(plain?.daily).toMatchObject({ source: "account", limit_usd: 0.04, spent_usd: plain?.billed_today_usd })
  expect(own?.daily).toMatchObject({ source: "end_user", limit_usd: 0.05, spent_usd: own?.billed_today_usd })
  expect(own?.cap_share).toBeCloseTo((own?.billed_today_usd ?? 0) / 0.05, 9)
  expect(items[0]).toMatchObject({ blocked: true, cap_share: 1, turns: 0, last_turn_at: null })
  expect(await names("?blocked=true")).toEqual(["barred"])
  expect((await list("?blocked=false")).totals).toMatchObject({ customers: 2, blocked: 0 })
  expect((await limitsOf(client, "own", {})).status, "a key of narrower scope cannot set limits").toBe(403)
})

test("A search finds a part of the name in any case, its totals are those of the search, and pages are complete", async () => {
  const { spend, list, names } = await account()
  for (const ref of ["Acme-1", "acme-2", "other_%", "x'\"<&"]) await spend(ref, 10)
  expect((await names("?q=ACME&sort=name")).sort()).toEqual(["Acme-1", "acme-2"])
  expect((await list("?q=acme")).totals.customers).toBe(2)
  expect(await names(`?q=${encodeURIComponent("_%")}`)).toEqual(["other_%"])
  const pages = [
    await names("?sort=name&direction=asc&limit=3"),
    await names("?sort=name&direction=asc&limit=3&offset=3"),
  ]
  expect(pages.flat()).toEqual(["Acme-1", "acme-2", "other_%", "x'\"<&"])
  expect((await list("?limit=1")).total).toBe(4)
})

test("The CSV has every customer of the search in the same order, and is in the audit log", async () => {
  const { owner, spend, names } = await account()
  for (const [ref, output] of [
    ["a", 10],
    ["b", 30],
    ["=c", 20],
  ] as const)
    await spend(ref, output)
  const response = await owner.call("GET", "/api/account/customers?sort=month&format=csv&limit=1")
  const [head, ...rows] = parseCsv(await response.text())
  expect(rows.map(([ref]) => ref)).toEqual(["b", "'=c", "a"])
  expect(await names("?sort=month")).toEqual(["b", "=c", "a"])
  expect(head).toContain("billed_this_month_usd")
  expect(await world.sql("select 1 from audit_log where action = 'export' and subject_id = 'customers'")).toHaveLength(
    1,
  )
})

test("Test data and the web chat are not among the live customers", async () => {
  const client = await world.createAccount({ usd: 10, test: true })
  const owner = await world.signIn(client.userId)
  await client.runTurn({ space: await client.space(), end_user_ref: "rehearsed" })
  const live = (await owner.json("POST", "/api/account/spaces", { title: "Live" }))[1].space_id
  await owner.json("POST", "/api/account/chat/turns", { space: live, text: "hello" })
  await world.drain()
  expect((await owner.json("GET", "/api/account/customers"))[1].items).toEqual([])
  const [, tested] = await owner.json("GET", "/api/account/customers?test=true")
  expect(tested.items).toMatchObject([
    { end_user_ref: "rehearsed", turns: 1, billed_usd: 0, daily: null, cap_share: null },
  ])
})

test.each(["sort=cheap", "direction=up", "limit=0", "limit=201", "offset=-1", "format=xml"])(
  "A list of customers refuses %s",
  async (query) => {
    const { owner } = await account()
    expect((await owner.json("GET", `/api/account/customers?${query}`))[0]).toBe(422)
  },
)
