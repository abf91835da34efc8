import { afterAll, beforeAll, expect, test } from "vitest"
import { PACE_POLICY } from "../../src/spending/policies.ts"
import { signInAdmin } from "../harness/books.ts"
import { EMAIL_HOOK, emailsTo, noticesOf, receiveEmails } from "../harness/notices.ts"
import { createWorld, type World } from "../harness/world.ts"

const DAY = 86_400_000

let world: World
let emails: ReturnType<typeof receiveEmails>
beforeAll(async () => {
  world = await createWorld({ env: EMAIL_HOOK })
  emails = receiveEmails(world)
  // Early in a month of 30 days.
  await world.advance(Date.parse("2026-06-02T00:00:00Z") - world.clock.ms())
})
afterAll(() => world.close())

async function account() {
  const client = await world.createAccount({ usd: 20 })
  const browser = await world.signIn(client.userId)
  const email = `owner-${client.userId}@example.com`
  await world.sql("update users set email = $2 where user_id = $1", [client.userId, email])
  const space = await client.space()
  const told = async () =>
    (await noticesOf(world, client.userId))
      .filter(({ type }) => type === "budget.reached")
      .map(({ data: { alert, percent } }) => (alert === "forecast" ? alert : percent))
      // Events of the same millisecond have no order of their own.
      .sort((a, b) => Number(a === "forecast") - Number(b === "forecast") || Number(a) - Number(b))
  return {
    client,
    browser,
    told,
    mails: () =>
      emailsTo(emails, email).map(({ kind, data }) => {
        expect(kind).toBe("budget_reached")
        return data.alert === "forecast" ? "forecast" : data.percent
      }),
    spend: () => client.runTurn({ space, text: "[use input=10 output=50000]\nhello" }),
    put: (body: object) => browser.json("PUT", "/api/account/budget", body),
    read: async () => (await browser.json("GET", "/api/account/budget"))[1],
  }
}

test("Each part of a budget is told once a month, to webhooks and by email, and no turn is refused", async () => {
  const { spend, put, read, told, mails } = await account()
  const { billed_cost_usd: each } = await spend()
  const amount_usd = 2 * each
  const empty = { amount_usd: null, percents: [50, 80, 100], forecast: true, told: [] }
  expect(await read()).toMatchObject({ ...empty, month: "2026-06", spent_usd: each, expected_usd: null })
  expect(await put({ amount_usd, percents: [100, 50, 80, 50] })).toMatchObject([
    200,
    { amount_usd, percents: [50, 80, 100], forecast: true, told: [] },
  ])
  await world.sweep()
  await world.sweep()
  expect(await told()).toEqual([50])
  expect(mails()).toEqual([50])
  await spend()
  await world.sweep()
  await spend()
  await world.sweep()
  expect(await told()).toEqual([50, 80, 100])
  expect(mails()).toEqual([50, 80, 100])
  const [{ at }] = (await read()).told
  expect(await read()).toMatchObject({
    spent_usd: Math.round(3 * each * 1e7) / 1e7,
    told: [
      { percent: 50, at },
      { percent: 80, at: expect.any(String) },
      { percent: 100, at: expect.any(String) },
    ],
  })
})

test("A budget that is set again tells nothing twice, a part that is added is told, and a new amount begins again", async () => {
  const { browser, spend, put, read, told } = await account()
  const { billed_cost_usd: each } = await spend()
  const amount_usd = 2 * each
  await put({ amount_usd, percents: [50] })
  await world.sweep()
  expect((await browser.json("DELETE", "/api/account/budget"))[1]).toMatchObject({ amount_usd: null, told: [] })
  await spend()
  await world.sweep()
  expect(await told()).toEqual([50])
  await put({ amount_usd, percents: [50, 90] })
  await world.sweep()
  expect(await told()).toEqual([50, 90])
  await put({ amount_usd: 4 * each, percents: [50] })
  expect((await read()).told).toEqual([])
  await world.sweep()
  expect(await told()).toEqual([50, 50, 90])
  const { items } = (await browser.json("GET", "/api/account/activity"))[1]
  const made = items.filter(({ action }: { action: string }) => action === "account.budget")
  expect(made).toHaveLength(4)
})

test("Sweeps that run at the same time tell a part once", async () => {
  const { spend, put, told, mails } = await account()
  const { billed_cost_usd: each } = await spend()
  await put({ amount_usd: each, percents: [100] })
  await Promise.all(Array.from({ length: 4 }, () => world.sweep()))
  expect(await told()).toEqual([100])
  expect(mails()).toEqual([100])
})

test("The next month tells again, and a forecast above the budget is told once", async () => {
  const { spend, put, read, told } = await account()
  const { billed_cost_usd: each } = await spend()
  for (let day = 1; day < PACE_POLICY.leastDays; day++) {
    await world.advance(DAY)
    await spend()
  }
  await put({ amount_usd: 20 * each, percents: [1] })
  await world.sweep()
  expect(await told()).toEqual([1])
  await world.advance(DAY)
  await spend()
  await world.sweep()
  await spend()
  await world.sweep()
  expect(await told()).toEqual([1, "forecast"])
  const { expected_usd, told: known } = await read()
  expect(expected_usd).toBeGreaterThan(20 * each)
  expect(known.map(({ percent }: { percent: number | null }) => percent)).toEqual([1, null])
  await world.advance(Date.parse("2026-07-01T00:00:00Z") - world.clock.ms())
  expect((await read()).told).toEqual([])
  await put({ amount_usd: 20 * each, percents: [1], forecast: false })
  await world.sweep()
  expect(await told()).toEqual([1, "forecast"])
  await spend()
  await world.sweep()
  expect(await told()).toEqual([1, 1, "forecast"])
})

test("A refund and test turns do not spend a budget", async () => {
  const { client, spend, put, told, read } = await account()
  const admin = await signInAdmin(world)
  const { billed_cost_usd: each, turn_id } = await spend()
  await admin.json("POST", `/api/admin/turns/${turn_id}/refund`, { note: "Sorry." })
  const tester = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
  await tester.runTurn({ space: await tester.space(), text: "hello" })
  await put({ amount_usd: each, percents: [1] })
  await world.sweep()
  expect(await told()).toEqual([])
  expect((await read()).spent_usd).toBe(0)
})

test("A budget of 0, parts above the highest, and too many parts are refused", async () => {
  const { put, read } = await account()
  for (const wrong of [{ amount_usd: 0 }, { amount_usd: 1, percents: [201] }, { amount_usd: 1, percents: [0] }])
    expect(await put(wrong)).toMatchObject([422, {}])
  const many = Array.from({ length: 11 }, (_, index) => index + 1)
  expect(await put({ amount_usd: 1, percents: many })).toMatchObject([422, {}])
  expect((await read()).amount_usd).toBeNull()
})

test("A part that was spent just before the end of a month is told for that month, and only once", async () => {
  const { client, spend, put } = await account()
  const notices = async () =>
    (await noticesOf(world, client.userId))
      .filter(({ type }) => type === "budget.reached")
      .map(({ data: { month, percent } }) => `${month} ${percent}`)
      .sort()
  const at = async (time: string) => {
    await world.advance(Date.parse(time) - world.clock.ms())
    await world.settled()
  }
  const month = world.clock.now()
  const next = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1)).toISOString().slice(0, 7)
  const end = Date.parse(`${next}-01T00:00:00Z`)
  const name = new Date(end - 1).toISOString().slice(0, 7)
  await put({ amount_usd: 0.01, percents: [50, 100], forecast: false })
  await world.sweep()
  await at(new Date(end - 30_000).toISOString())
  await spend()
  await at(new Date(end + 20_000).toISOString())
  await world.sweep()
  const ofLast = [`${name} 100`, `${name} 50`]
  expect(await notices()).toEqual(ofLast)
  await spend()
  await world.sweep()
  await world.sweep()
  expect(await notices()).toEqual([...ofLast, `${next} 100`, `${next} 50`])
})
