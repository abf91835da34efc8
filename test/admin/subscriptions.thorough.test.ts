import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { setServingAccount } from "../harness/analytics-world.ts"
import { createPerson } from "../harness/auth.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { expectBooks } from "../harness/promises.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  const plans = {
    trial: { label: "Trial" },
    pro: { label: "Pro", included_credit_usd: 10 },
    max: { label: "Max", included_credit_usd: 50, daily_cap_usd: 20 },
  }
  await admin.json("PUT", "/api/admin/settings", { key: "plans", value: plans })
})
beforeEach(async () => {})
afterAll(() => world.close())

const create = (body: object) => admin.json("POST", "/api/admin/subscriptions", body)
const put = (id: number, body: object) => admin.json("PUT", `/api/admin/subscriptions/${id}`, body)
const end = (id: number) => admin.json("DELETE", `/api/admin/subscriptions/${id}`)
const at = (ms: number) => new Date(world.clock.ms() + ms).toISOString()
const HOUR = 3_600_000

const credits = (userId: number) =>
  world.sql<{ reference: string; usd: number }>(
    `select reference, amount_credit_micros / 1e7::float8 as usd from ledger
     where user_id = $1 and reason = 'admin_grant' order by ledger_id`,
    [userId],
  )

describe("A subscription", () => {
  test("A subscription can be made, shown with its user, edited and deactivated, and its credit is booked after the answer", async () => {
    const { userId } = await createPerson(world)
    const [status, made] = await create({ user_id: userId, plan: "pro", note: "On the phone." })
    expect([status, made]).toMatchObject([
      200,
      { user_id: userId, plan: "pro", note: "On the phone.", trial: false, ends_at: null, version: 1 },
    ])
    expect(made.starts_at).toBe(at(0))
    await world.settled()
    expect(await credits(userId)).toMatchObject([{ usd: 10 }])
    const shown = async () => (await admin.json("GET", `/api/admin/users/${userId}`))[1].subscription
    expect(await shown()).toMatchObject({ sub_id: made.sub_id, plan: "pro" })
    const [, edited] = await put(made.sub_id, { plan: "max", ends_at: at(HOUR), note: null })
    expect(edited).toMatchObject({ plan: "max", ends_at: at(HOUR), note: null, version: 2, updated_by: admin.userId })
    expect((await put(made.sub_id, { plan: "max" }))[1].version, "there is no change").toBe(2)
    const [, over] = await end(made.sub_id)
    expect(over).toMatchObject({ deactivated_at: at(0), version: 3 })
    await world.advance(1000)
    expect((await end(made.sub_id))[1], "a repeat books it once").toEqual(over)
    expect(await put(made.sub_id, { note: "x" })).toMatchObject([409, { code: "SUBSCRIPTION_ENDED" }])
    expect(await shown()).toBe(null)
    const actions = await world.sql(
      "select action from audit_log where subject_type = 'subscription' order by audit_id",
    )
    expect(actions.map(({ action }) => action)).toEqual([
      "subscription.create",
      "subscription.update",
      "subscription.deactivate",
    ])
  })

  test("A wrong subscription is refused", async () => {
    const { userId } = await createPerson(world)
    const wrong: object[] = [
      { user_id: userId, plan: "none" },
      { user_id: userId, plan: "toString" },
      { user_id: userId },
      { plan: "pro" },
      { user_id: userId, plan: "pro", starts_at: "yesterday" },
      { user_id: userId, plan: "pro", ends_at: at(-1) },
      { user_id: userId, plan: "pro", starts_at: at(HOUR), ends_at: at(HOUR) },
      { user_id: userId, plan: "pro", more: 1 },
    ]
    for (const body of wrong) expect((await create(body))[0], JSON.stringify(body)).toBe(422)
    expect(await create({ user_id: 999_999_999, plan: "pro" })).toMatchObject([404, { code: "NOT_FOUND" }])
    const [, { sub_id }] = await create({ user_id: userId, plan: "trial" })
    for (const body of [{ plan: "none" }, { ends_at: at(-HOUR) }, { user_id: 1 }, { starts_at: at(0) }]) {
      expect((await put(sub_id, body))[0], JSON.stringify(body)).toBe(422)
    }
    expect(await put(2_000_000_000, { note: "x" })).toMatchObject([404, { code: "NOT_FOUND" }])
    expect(await end(2_000_000_000)).toMatchObject([404, { code: "NOT_FOUND" }])
    for (const days of [0, 366, "x"]) {
      expect((await admin.json("GET", `/api/admin/subscriptions/usage?days=${days}`))[0]).toBe(422)
    }
  })

  test("A past start gets credit from the current period on, and a future start when it begins", async () => {
    const [past, future] = [await createPerson(world), await createPerson(world)]
    await create({ user_id: past.userId, plan: "pro", starts_at: at(-70 * 24 * HOUR) })
    await create({ user_id: future.userId, plan: "pro", starts_at: at(24 * HOUR) })
    await world.settled()
    await world.sweep()
    expect(await credits(past.userId)).toHaveLength(1)
    expect(await credits(future.userId)).toHaveLength(0)
    await world.advance(24 * HOUR)
    await world.sweep()
    expect(await credits(future.userId)).toHaveLength(1)
  })
})

test("A subscription that ended months ago gets no credit for those months when its end moves, and the current period is credited once", async () => {
  const DAY = 24 * HOUR
  const { userId } = await createPerson(world)
  const [, { sub_id }] = await create({ user_id: userId, plan: "pro", ends_at: at(10 * DAY) })
  await world.settled()
  await put(sub_id, { ends_at: at(20 * DAY) })
  await world.sweep()
  expect(await credits(userId), "moved within its period").toHaveLength(1)
  await world.advance(200 * DAY)
  await world.sweep()
  await put(sub_id, { note: "It ended." })
  expect((await put(sub_id, { ends_at: at(DAY) }))[0]).toBe(200)
  await world.sweep()
  await world.advance(60_000)
  await world.sweep()
  expect(await credits(userId), "the current period").toHaveLength(2)
  await expectBooks(world, userId)
})

test("A request repeated under its Idempotency-Key, concurrently and later, makes one subscription with one credit", async () => {
  const { userId } = await createPerson(world)
  const body = { user_id: userId, plan: "pro" }
  const headers = { "idempotency-key": crypto.randomUUID() }
  const ask = (more = {}) => admin.json("POST", "/api/admin/subscriptions", { ...body, ...more }, headers)
  await world.plan([{ service: "pg", match: "create_subscription", when: "after", call: 1, action: "cut" }])
  expect((await ask())[0], "the answer was lost").toBe(503)
  await world.clearFaults()
  const answers = await Promise.all([ask(), ask()])
  await world.advance(1000)
  answers.push(await ask())
  expect(answers.map(([status]) => status)).toEqual([200, 200, 200])
  expect(new Set(answers.map(([, { sub_id }]) => sub_id)).size).toBe(1)
  expect(await ask({ plan: "max" })).toMatchObject([422, { detail: [{ type: "idempotency_key_reused" }] }])
  await world.settled()
  await world.sweep()
  expect(await credits(userId)).toHaveLength(1)
})

test("Usage names the active plan that started last, by day, and adds up to the bills", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const ran: string[] = []
  const run = async () => {
    const { turn_id, billed_cost_usd } = await client.runTurn({ space, text: "[use input=100 output=50]\nhello" })
    ran.push(turn_id)
    return billed_cost_usd
  }
  await run()
  const [, first] = await create({ user_id: client.userId, plan: "pro", starts_at: at(-HOUR) })
  const [, later] = await create({ user_id: client.userId, plan: "max", starts_at: at(-1), alongside: true })
  await create({ user_id: client.userId, plan: "max", starts_at: at(1000 * HOUR), alongside: true })
  const ofLater = (await run()) + (await run())
  await end(later.sub_id)
  await world.advance(24 * HOUR)
  const ofFirst = await run()
  await end(first.sub_id)
  await run()
  const named = await world.sql(
    "select subscription_id from usage where user_id = $1 order by array_position($2::text[], turn_id)",
    [client.userId, `{${ran}}`],
  )
  const [a, b] = [String(first.sub_id), String(later.sub_id)]
  expect(named.map((row) => row.subscription_id)).toEqual([null, b, b, a, null])
  await world.sql("update usage set subscription_id = 'pool-member' where subscription_id = $1", [a])
  const [status, report] = await admin.json("GET", "/api/admin/subscriptions/usage?days=2")
  expect(status).toBe(200)
  const item = (id: string) => report.items.find((one: { subscription_id: string }) => one.subscription_id === id)
  expect(item(b)).toMatchObject({
    user_id: client.userId,
    plan: "max",
    billed_usd: expect.closeTo(ofLater, 7),
    days: [
      { date: at(-24 * HOUR).slice(0, 10), model_calls: 2, tokens_input: 200, billed_usd: expect.closeTo(ofLater, 7) },
    ],
  })
  expect(item("pool-member")).toMatchObject({ user_id: null, plan: null, billed_usd: expect.closeTo(ofFirst, 7) })
  const [, today] = await admin.json("GET", "/api/admin/subscriptions/usage?days=1")
  expect(today.items.map((one: { subscription_id: string }) => one.subscription_id)).toEqual(["pool-member"])
  expect(today.total).toBe(1)
  // The report is the same after the roll-up, and includes usage that follows it.
  await world.sweep()
  expect(await world.sql("select 1 from turn_ends")).toEqual([])
  expect((await admin.json("GET", "/api/admin/subscriptions/usage?days=2"))[1]).toEqual(report)
  const [, again] = await create({ user_id: client.userId, plan: "pro", starts_at: at(0), alongside: true })
  for (let n = 1; n <= 3; n++) {
    await run()
    const [, more] = await admin.json("GET", "/api/admin/subscriptions/usage?days=1")
    const own = more.items.find((one: { subscription_id: string }) => one.subscription_id === String(again.sub_id))
    expect(own.days).toMatchObject([{ model_calls: n, tokens_input: 100 * n }])
    if (n === 2) await world.sweep()
  }
  await expectBooks(world, client.userId)
})

/**
 * The usage of each subscription and day from the raw records of API turns and web chats, without
 * test turns.
 */
const RAW = `select u.subscription_id, (u.settled_at at time zone 'UTC')::date::text as date, sum(u.calls)::int as model_calls,
    sum(u.tokens_input)::int as tokens_input, sum(u.tokens_cached)::int as tokens_cached, sum(u.tokens_output)::int as tokens_output,
    sum(u.billed_credit_micros)::float8 / 1e7 as billed_usd
  from (select n.subscription_id, n.settled_at, 1 as calls, n.tokens_input, n.tokens_cached, n.tokens_output, n.billed_credit_micros
      from usage n join turns t on t.turn_id = n.turn_id where not t.test
    union all
    select c.subscription_id, c.settled_at, 1, c.tokens_input, c.tokens_cached, c.tokens_output, c.billed_credit_micros
      from chat_calls c where not c.test) u
  where u.subscription_id is not null and u.settled_at is not null group by 1, 2 order by 1, 2`

test("Subscription usage counts web-chat calls and no test calls, before and after the roll-up", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const [, plan] = await create({ user_id: client.userId, plan: "pro", starts_at: at(-HOUR) })
  const browser = await world.signIn(client.userId)
  const tests = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
  const testSpace = await tests.space()
  const useAll = async () => {
    await client.runTurn({ space, text: "[use input=100 output=50]\nhello" })
    await browser.json("POST", "/api/account/chat/turns", { space, text: "[use input=200 cached=20 output=5]\nhello" })
    await world.drain()
    await tests.runTurn({ space: testSpace, text: "[use input=1000 output=500]\nhello" })
  }
  const reported = async () => {
    const [, { items }] = await admin.json("GET", "/api/admin/subscriptions/usage?days=365")
    const rows = items.flatMap(({ subscription_id, days }: { subscription_id: string; days: object[] }) =>
      days.map((day) => ({ subscription_id, ...day })),
    )
    const keyOf = (row: { subscription_id: string; date: string }) => `${row.subscription_id} ${row.date}`
    return rows.sort((a: Parameters<typeof keyOf>[0], b: Parameters<typeof keyOf>[0]) => (keyOf(a) < keyOf(b) ? -1 : 1))
  }
  await useAll()
  await setServingAccount(world, "member-a")
  await useAll()
  await setServingAccount(world, null)
  const raw = await world.sql<{ subscription_id: string; model_calls: number }>(RAW)
  const calls = (id: string) => raw.find(({ subscription_id }) => subscription_id === id)?.model_calls
  expect([calls(String(plan.sub_id)), calls("member-a")]).toEqual([2, 2])
  expect(await reported(), "not rolled up").toEqual(raw)
  await world.sweep()
  expect(await world.sql("select 1 from turn_ends")).toEqual([])
  expect(await reported(), "rolled up").toEqual(raw)
  await useAll()
  expect(await reported(), "partly rolled up").toEqual(await world.sql(RAW))
  await end(plan.sub_id)
})
