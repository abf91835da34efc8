import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { UNUSUAL_POLICY } from "../../src/spending/policies.ts"
import { plantAnomaly } from "../harness/anomalies.ts"
import { EMAIL_HOOK, emailsTo, noticesOf, receiveEmails } from "../harness/notices.ts"
import { createWorld, type World } from "../harness/world.ts"

const DAY = 86_400_000
/** In credit micros: 0.01 USD. */
const USUAL = 100_000
const above = (usual: number) => (usual * UNUSUAL_POLICY.times + UNUSUAL_POLICY.floor) / 1e7

let world: World
let emails: ReturnType<typeof receiveEmails>
beforeAll(async () => {
  world = await createWorld({ env: EMAIL_HOOK })
  emails = receiveEmails(world)
  await world.advance(Date.parse("2026-06-17T12:00:00Z") - world.clock.ms())
})
afterAll(() => world.close())

const dayBefore = (days: number) => new Date(world.clock.ms() - days * DAY).toISOString().slice(0, 10)

/** An account whose end users and whose space have spent the usual amount on each of the last days. */
async function account({ days = 20, customers = ["customer-1", "customer-2"], ofKey = false } = {}) {
  const client = await world.createAccount({ usd: 20 })
  const browser = await world.signIn(client.userId)
  const email = `spender-${client.userId}@example.com`
  await world.sql("update users set email = $2 where user_id = $1", [client.userId, email])
  const space = await client.space()
  for (let day = 1; day <= days; day++) {
    await world.sql(
      `insert into end_user_days (user_id, test, day, end_user_ref, turns, done, failed, billed_credit_micros, took_us)
       select $1, false, $2, ref, 1, 1, 0, $4, 1 from unnest($3::text[]) ref`,
      [client.userId, dayBefore(day), customers, USUAL],
    )
    await world.sql(
      `insert into space_days (day, space_id, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
         billed_credit_micros, keyed_calls, duration_us, tokens_input_most, pictures)
       select $1, s.space_id, 1, 1, 0, 0, 0, 0, $3, 1, 0, 0, 0 from spaces s where s.slug = $2`,
      [dayBefore(day), space, USUAL * customers.length],
    )
  }
  const [key] = await world.sql<{ key_id: string; name: string }>(
    `with stored as (
       insert into key_days (day, user_id, key_id, turns, billed_credit_micros)
       select day::date, k.user_id, k.key_id, 1, $3::bigint from unnest($2::text[]) day, api_keys k
       where k.user_id = $1
     ) select key_id, name from api_keys where user_id = $1`,
    [client.userId, ofKey ? Array.from({ length: days }, (_, day) => dayBefore(day + 1)) : [], USUAL],
  )
  const spend = async (end_user_ref: string) =>
    (await client.runTurn({ space, end_user_ref, text: "[use input=10 output=50000]\nhello" })).billed_cost_usd
  return {
    client,
    browser,
    space,
    key,
    spend,
    spendAbove: async (end_user_ref: string, usd: number) => {
      let spent = 0
      while (spent <= usd) spent += await spend(end_user_ref)
      return spent
    },
    list: async (query = "") => (await browser.json("GET", `/api/account/anomalies${query}`))[1],
    mails: () => emailsTo(emails, email).filter(({ kind }) => kind === "anomaly_found"),
    told: async () =>
      (await noticesOf(world, client.userId)).filter(({ type }) => type === "anomaly.found").map(({ data }) => data),
  }
}

/** All sweeps run at the same time. So the next round sees the rollups of the first sweep. */
async function sweep() {
  await world.sweep()
  await world.advance(UNUSUAL_POLICY.everyMs)
  await Promise.all([world.sweep(), world.sweep()])
}

test("An end user who spends far above its pattern is told once, with its turns, and can be dismissed", async () => {
  const { browser, spend, spendAbove, list, told, mails } = await account()
  await spend("customer-2")
  await sweep()
  expect(await list("?end_user_ref=customer-2")).toMatchObject({ total: 0 })
  const spent = await spendAbove("customer-1", above(USUAL))
  await sweep()
  await sweep()
  const ofCustomer = async (query = "") => (await list(`?end_user_ref=customer-1${query}`)).items
  const [one, ...others] = await ofCustomer()
  expect(others).toEqual([])
  expect(one).toMatchObject({
    kind: "end_user",
    end_user_ref: "customer-1",
    space: null,
    usual_usd: USUAL / 1e7,
    from: `${dayBefore(0)}T00:00:00.000Z`,
    to: `${dayBefore(-1)}T00:00:00.000Z`,
    state: "open",
    dismissed_at: null,
  })
  expect(one.spent_usd).toBeCloseTo(spent, 6)
  const oneTold = async () => (await told()).filter(({ end_user_ref }) => end_user_ref === "customer-1")
  expect(await oneTold()).toMatchObject([{ anomaly_id: one.anomaly_id, space: null, day: dayBefore(0) }])
  const mailed = () => mails().filter(({ data }) => JSON.stringify(data).includes('"customer-1"'))
  expect(mailed()).toHaveLength(1)
  const turns = `/api/account/turns?end_user_ref=customer-1&created_after=${one.from}&created_before=${one.to}`
  expect((await browser.json("GET", turns))[1].total).toBeGreaterThan(0)
  const path = `/api/account/anomalies/${one.anomaly_id}`
  expect(await browser.json("PUT", path, { state: "dismissed" })).toMatchObject([200, { state: "dismissed" }])
  expect(await ofCustomer("&state=open")).toEqual([])
  // It continues: the next day is part of the same anomaly.
  await world.advance(DAY)
  await spendAbove("customer-1", above(USUAL))
  await sweep()
  expect(await ofCustomer()).toMatchObject([{ anomaly_id: one.anomaly_id, to: `${dayBefore(-1)}T00:00:00.000Z` }])
  expect(await oneTold()).toHaveLength(1)
  expect(mailed()).toHaveLength(1)
  expect(await browser.json("PUT", path, { state: "open" })).toMatchObject([200, { state: "open", dismissed_at: null }])
})

test("A space whose many new end users spend far above its pattern is told, and the end users are not", async () => {
  const { spend, space, list } = await account()
  let spent = 0
  for (let number = 1; spent <= above(2 * USUAL); number++) spent += await spend(`new-${number}`)
  await sweep()
  const { items } = await list()
  expect(items).toMatchObject([{ kind: "space", space, end_user_ref: null, usual_usd: (2 * USUAL) / 1e7 }])
})

test("A key that spends far above its pattern in a new space, for new end users, is told with its name", async () => {
  const { client, key, list, told, browser } = await account({ ofKey: true })
  const other = await client.space()
  let spent = 0
  for (let number = 1; spent <= above(USUAL); number++) {
    const text = "[use input=10 output=50000]\nhello"
    spent += (await client.runTurn({ space: other, end_user_ref: `new-${number}`, text })).billed_cost_usd
  }
  await sweep()
  const { items } = await list()
  const [one] = items
  const of = { end_user_ref: null, key_id: key?.key_id, space: null }
  expect(items).toMatchObject([{ kind: "key", ...of, key_name: key?.name, usual_usd: USUAL / 1e7 }])
  expect(one.spent_usd).toBeCloseTo(spent, 6)
  expect((await list(`?key_id=${key?.key_id}`)).items).toEqual(items)
  expect((await list("?key_id=key_other")).items).toEqual([])
  expect(await told()).toMatchObject([{ anomaly_id: one.anomaly_id, ...of }])
  const [, attention] = await browser.json("GET", "/api/account/attention")
  expect(attention.items).toMatchObject([
    { kind: "spend_unusual", id: one.anomaly_id, title: key?.name, subject: key?.key_id, text: "key" },
  ])
  const turns = `/api/account/turns?key=${key?.key_id}&created_after=${one.from}&created_before=${one.to}`
  expect((await browser.json("GET", turns))[1].total).toBeGreaterThan(0)
})

test("Spend of days on which no sweep ran is compared after them", async () => {
  const { spendAbove, list } = await account()
  await spendAbove("customer-2", above(USUAL))
  const day = dayBefore(0)
  await world.advance(2 * DAY)
  await sweep()
  const { items } = await list("?end_user_ref=customer-2")
  expect(items).toMatchObject([{ from: `${day}T00:00:00.000Z`, state: "open" }])
})

test("Home lists open anomalies and a budget that is spent, but not in test data", async () => {
  const { browser, client, space } = await account({ days: 0 })
  const { billed_cost_usd } = await client.runTurn({ space, text: "[use input=10 output=50000]\nhello" })
  await browser.json("PUT", "/api/account/budget", { amount_usd: billed_cost_usd })
  const id = await plantAnomaly(world, client.userId, "customer-1")
  const needs = async (query = "") => (await browser.json("GET", `/api/account/attention${query}`))[1].items
  const budget = { kind: "budget_passed", used_usd: billed_cost_usd, limit_usd: billed_cost_usd }
  expect(await needs()).toMatchObject([
    budget,
    {
      kind: "spend_unusual",
      id,
      title: "customer-1",
      subject: "customer-1",
      text: "end_user",
      used_usd: 2e-7,
      limit_usd: 1e-7,
    },
  ])
  expect(await needs("?test=true")).toEqual([])
  await browser.json("PUT", `/api/account/anomalies/${id}`, { state: "dismissed" })
  expect(await needs()).toMatchObject([budget])
})

test("Home asks for no forecast and does not count anomalies", async () => {
  const { browser, client } = await account({ days: 0 })
  await plantAnomaly(world, client.userId, "customer-1")
  const fetched = vi.spyOn(globalThis, "fetch")
  expect((await browser.json("GET", "/api/account/attention"))[1].items).toMatchObject([{ kind: "spend_unusual" }])
  const statements = fetched.mock.calls.map(([, init]) => String(init?.body))
  fetched.mockRestore()
  const ofAnomalies = statements.filter((statement) => statement.includes("anomalies"))
  expect(ofAnomalies).toHaveLength(1)
  expect(ofAnomalies[0]).not.toContain("count(*)")
  expect(statements.filter((statement) => statement.includes("get_forecast"))).toEqual([])
})

test("An end user without a pattern has no anomaly, and no other account dismisses one", async () => {
  const { spendAbove, list } = await account({ days: UNUSUAL_POLICY.leastDays - 1 })
  await spendAbove("customer-1", above(USUAL))
  await sweep()
  expect(await list()).toMatchObject({ total: 0 })
  const { browser, client } = await account({ days: 0 })
  const id = await plantAnomaly(world, client.userId, "customer-1")
  const stranger = await account({ days: 0 })
  const put = (by: typeof browser) => by.json("PUT", `/api/account/anomalies/${id}`, { state: "dismissed" })
  expect(await put(stranger.browser)).toMatchObject([404, { code: "NOT_FOUND" }])
  expect(await stranger.list()).toMatchObject({ total: 0 })
  expect(await put(browser)).toMatchObject([200, { state: "dismissed" }])
})
