import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { createPerson } from "../harness/auth.ts"
import { type Admin, reconcileAsAdmin, signInAdmin } from "../harness/books.ts"
import { expectBooks } from "../harness/promises.ts"
import { createWorld, type World } from "../harness/world.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
const PATH = "/api/admin/subscriptions"

let world: World
let admin: Admin
let userId: number
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  const plan = (label: string, usd: number) => ({ label, included_credit_usd: usd })
  const value = { pro: plan("Pro", 20), max: plan("Max", 50), free: plan("Free", 0), trial: plan("Trial", 1) }
  await admin.json("PUT", "/api/admin/settings", { key: "plans", value })
})
beforeEach(async () => {
  ;({ userId } = await createPerson(world))
})
afterAll(() => world.close())

const at = (ms: number) => new Date(world.clock.ms() + ms).toISOString()
const create = (body: object, user = userId) => admin.json("POST", PATH, { user_id: user, ...body })
const idOf = async (body: object) => {
  const [status, { sub_id }] = await create(body)
  expect(status).toBe(200)
  return sub_id as number
}
const list = async (query: string) => (await admin.json("GET", `${PATH}?${query}`))[1]
const read = (id: number) => admin.json("GET", `${PATH}/${id}`)

/** The credit of plans of a user, in USD, after all due periods were swept. */
async function credited(user = userId): Promise<number[]> {
  await world.settled()
  await world.sweep()
  const rows = await world.sql<{ usd: number }>(
    `select amount_credit_micros / 1e7::float8 as usd from ledger
     where user_id = $1 and reference like 'subscription:%' order by ledger_id`,
    [user],
  )
  return rows.map(({ usd }) => usd)
}

test("A second active subscription is refused with the first one, and nothing is written or credited", async () => {
  const first = await idOf({ plan: "pro" })
  for (const body of [
    { plan: "pro" },
    { plan: "max" },
    { plan: "free", ends_at: at(HOUR) },
    { plan: "max", starts_at: at(-40 * DAY) },
    { plan: "max", starts_at: at(400 * DAY), ends_at: at(401 * DAY) },
    { plan: "pro", alongside: false, replaces: null },
  ]) {
    const [status, error] = await create(body)
    expect([status, error.code], JSON.stringify(body)).toEqual([409, "SUBSCRIPTION_ACTIVE"])
    expect(error.details.subscription).toMatchObject({ sub_id: first, plan: "pro", user_id: userId })
    expect(error.detail).toContain(`subscription ${first} (plan pro)`)
  }
  expect(await credited()).toEqual([20])
  expect((await list(`user_id=${userId}`)).total).toBe(1)
})

test("Subscriptions whose times do not overlap are no conflict", async () => {
  const first = await idOf({ plan: "pro", ends_at: at(10 * DAY) })
  const second = await idOf({ plan: "max", starts_at: at(10 * DAY), ends_at: at(20 * DAY) })
  expect(await create({ plan: "free", starts_at: at(9 * DAY) })).toMatchObject([
    409,
    { details: { subscription: { sub_id: first } } },
  ])
  expect(await create({ plan: "free", starts_at: at(19 * DAY) })).toMatchObject([
    409,
    { details: { subscription: { sub_id: second } } },
  ])
  await idOf({ plan: "free", starts_at: at(20 * DAY) })
  await admin.json("DELETE", `${PATH}/${first}`)
  await idOf({ plan: "pro", ends_at: at(9 * DAY) })
})

test("A subscription that replaces another one ends it in the same request, and the books agree", async () => {
  const first = await idOf({ plan: "pro" })
  expect(await credited()).toEqual([20])
  const [status, made] = await create({ plan: "max", replaces: first })
  expect([status, made.alongside]).toEqual([200, false])
  expect((await read(first))[1]).toMatchObject({ deactivated_at: at(0), version: 2, updated_by: admin.userId })
  expect(await credited(), "the upgrade").toEqual([20, 50])
  await world.advance(32 * DAY)
  expect(await credited(), "a month later").toEqual([20, 50, 50])
  const actions = await world.sql<{ action: string }>(
    "select action from audit_log where subject_type = 'subscription' and subject_id = any($1) order by audit_id",
    [`{${first},${made.sub_id}}`],
  )
  expect(actions.map(({ action }) => action)).toEqual([
    "subscription.create",
    "subscription.deactivate",
    "subscription.create",
  ])
  await expectBooks(world, userId)
})

test("A replacement that starts later moves the end of the first subscription to that time", async () => {
  const first = await idOf({ plan: "pro" })
  const starts_at = at(31 * DAY)
  await idOf({ plan: "max", replaces: first, starts_at })
  expect((await read(first))[1]).toMatchObject({ ends_at: starts_at, deactivated_at: null, version: 2 })
  expect(await credited()).toEqual([20])
  await world.advance(33 * DAY)
  expect((await credited()).at(-1)).toBe(50)
})

test("A replaced subscription must be of the same user and must not have ended, and a third one is still a conflict", async () => {
  const other = await createPerson(world)
  const [, foreign] = await create({ plan: "pro" }, other.userId)
  const ended = await idOf({ plan: "pro" })
  await admin.json("DELETE", `${PATH}/${ended}`)
  const first = await idOf({ plan: "pro" })
  const second = await idOf({ plan: "max", alongside: true })
  expect((await create({ plan: "max", replaces: foreign.sub_id }))[0]).toBe(422)
  expect((await create({ plan: "max", replaces: 2_000_000_000 }))[0]).toBe(422)
  expect(await create({ plan: "max", replaces: ended })).toMatchObject([409, { code: "SUBSCRIPTION_ENDED" }])
  expect(await create({ plan: "max", replaces: second })).toMatchObject([
    409,
    { code: "SUBSCRIPTION_ACTIVE", details: { subscription: { sub_id: first } } },
  ])
  expect((await read(foreign.sub_id))[1].deactivated_at).toBe(null)
  expect((await read(second))[1].deactivated_at).toBe(null)
  await idOf({ plan: "free", replaces: second, alongside: true })
})

test("With alongside both plans give their credit, but one plan gives it once for the same time", async () => {
  await idOf({ plan: "pro" })
  const [, second] = await create({ plan: "max", alongside: true })
  expect(second.alongside).toBe(true)
  await idOf({ plan: "pro", alongside: true })
  await idOf({ plan: "pro", alongside: true, starts_at: at(-10 * DAY) })
  expect([...(await credited())].sort()).toEqual([20, 50])
  for (let month = 1; month <= 4; month++) {
    await world.advance(31 * DAY)
    await credited()
  }
  const ofPro = (await credited()).filter((usd) => usd === 20)
  // 124 days are four months and some days, and the day of the month is not the same for all.
  expect(ofPro.length).toBeGreaterThanOrEqual(4)
  expect(ofPro.length).toBeLessThanOrEqual(5)
  const twice = await world.sql(
    `select from subscription_credits c join subscription_credits d
       on d.user_id = c.user_id and d.plan = c.plan and d.starts_at > c.starts_at and d.starts_at < c.ends_at where c.user_id = $1`,
    [userId],
  )
  expect(twice).toEqual([])
  await expectBooks(world, userId)
})

test("A plan that replaces itself on another day of the month gives no second credit for the current month", async () => {
  const first = await idOf({ plan: "pro" })
  expect(await credited()).toEqual([20])
  await world.advance(12 * DAY)
  await idOf({ plan: "pro", replaces: first })
  expect(await credited()).toEqual([20])
  await world.advance(31 * DAY)
  expect(await credited()).toEqual([20, 20])
})

test("A subscription that follows one of the same plan gets its credit, whenever the first one ends", async () => {
  await idOf({ plan: "pro", ends_at: at(20 * DAY) })
  expect(await credited()).toEqual([20])
  await idOf({ plan: "pro", starts_at: at(20 * DAY), ends_at: at(40 * DAY) })
  await idOf({ plan: "pro", starts_at: at(40 * DAY) })
  await world.advance(20 * DAY)
  expect(await credited(), "the second").toEqual([20, 20])
  await world.advance(20 * DAY)
  expect(await credited(), "the third").toEqual([20, 20, 20])
  await world.advance(12 * DAY)
  expect(await credited(), "in its first month").toEqual([20, 20, 20])
  await expectBooks(world, userId)
})

test("The time by which an end moves later has its credit already", async () => {
  const first = await idOf({ plan: "pro", ends_at: at(5 * DAY) })
  expect(await credited()).toEqual([20])
  expect((await admin.json("PUT", `${PATH}/${first}`, { ends_at: at(15 * DAY) }))[0]).toBe(200)
  await world.advance(10 * DAY)
  await idOf({ plan: "pro", alongside: true })
  expect(await credited()).toEqual([20])
  await world.advance(31 * DAY)
  expect(await credited()).toEqual([20, 20])
})

test("A trial neither refuses a plan nor is refused", async () => {
  await world.sql(
    `insert into subscriptions (user_id, plan, trial, starts_at, created_at, updated_at) values ($1, 'trial', true, $2, $2, $2)`,
    [userId, world.clock.now()],
  )
  await idOf({ plan: "pro" })
  expect(await create({ plan: "max" })).toMatchObject([409, { details: { subscription: { plan: "pro" } } }])
})

test("A later end that reaches into the time of another subscription is refused, unless both are wanted", async () => {
  const first = await idOf({ plan: "pro", ends_at: at(DAY) })
  const second = await idOf({ plan: "max", starts_at: at(2 * DAY) })
  const put = (body: object) => admin.json("PUT", `${PATH}/${first}`, body)
  for (const ends_at of [null, at(3 * DAY)])
    expect(await put({ ends_at })).toMatchObject([
      409,
      { code: "SUBSCRIPTION_ACTIVE", details: { subscription: { sub_id: second } } },
    ])
  expect((await put({ ends_at: at(2 * DAY) }))[0], "up to its start").toBe(200)
  expect((await put({ ends_at: null, alongside: true }))[1]).toMatchObject({ ends_at: null, alongside: true })
  expect((await put({ ends_at: at(5 * DAY), note: "earlier" }))[0], "they overlap already").toBe(200)
})

test("Ten concurrent requests without replaces make one subscription with one credit", async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => create({ plan: "pro" })))
  expect(answers.map(([status]) => status).sort()).toEqual([200, ...Array(9).fill(409)])
  expect(await credited()).toEqual([20])
})

test("Subscriptions can be listed by user, plan and state, and read with an ETag that an edit accepts", async () => {
  const first = await idOf({ plan: "pro", note: "First" })
  const second = await idOf({ plan: "pro", alongside: true })
  const later = await idOf({ plan: "max", starts_at: at(DAY), alongside: true })
  const ids = async (query: string) =>
    (await list(`user_id=${userId}&${query}`)).items.map(({ sub_id }: { sub_id: number }) => sub_id)
  expect(await ids("")).toEqual([later, second, first])
  expect(await ids("limit=1&offset=1")).toEqual([second])
  expect(await ids("plan=pro")).toEqual([second, first])
  expect(await ids("state=active")).toEqual([second, first])
  expect(await ids("state=scheduled")).toEqual([later])
  expect(await ids("several=true")).toEqual([later, second, first])
  expect(await ids("trial=true")).toEqual([])
  await admin.json("DELETE", `${PATH}/${second}`)
  expect(await ids("state=ended")).toEqual([second])
  expect(await ids("several=true")).toEqual([])
  const response = await admin.call("GET", `${PATH}/${first}`)
  expect([response.status, response.headers.get("etag")]).toEqual([200, '"1"'])
  expect(await response.json()).toMatchObject({ sub_id: first, note: "First", plan: "pro" })
  expect((await admin.json("PUT", `${PATH}/${first}`, { note: "x" }, { "if-match": '"1"' }))[0]).toBe(200)
  expect((await admin.json("PUT", `${PATH}/${first}`, { note: "y" }, { "if-match": '"1"' }))[0]).toBe(412)
  expect((await read(2_000_000_000))[0]).toBe(404)
  const [, detail] = await admin.json("GET", `/api/admin/users/${userId}`)
  expect(detail.subscription.sub_id).toBe(first)
  expect(detail.subscriptions.map(({ sub_id }: { sub_id: number }) => sub_id)).toEqual([later, second, first])
  const owner = await world.signIn(userId)
  expect((await owner.json("GET", PATH))[0]).toBe(403)
  expect((await owner.json("GET", `${PATH}/${first}`))[0]).toBe(403)
})

test("The reconciliation finds users with several subscriptions that were not given alongside", async () => {
  const findings = async () =>
    (await reconcileAsAdmin(admin)).findings.filter(({ user_id }) => user_id === userId).map(({ kind }) => kind)
  const first = await idOf({ plan: "pro" })
  await idOf({ plan: "max", alongside: true })
  expect(await findings(), "declared").toEqual([])
  await world.sql("update subscriptions set alongside = false where user_id = $1", [userId])
  expect(await findings(), "as rows from an import").toEqual(["subscriptions"])
  await admin.json("DELETE", `${PATH}/${first}`)
  expect(await findings()).toEqual([])
})
