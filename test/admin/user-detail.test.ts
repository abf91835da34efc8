import { afterAll, beforeAll, expect, test } from "vitest"
import { RELEASE } from "../../src/platform/procedures.ts"
import { createPerson } from "../harness/auth.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { parseCsv } from "../harness/csv.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const DAY_MS = 86_400_000
const read = (path: string) => admin.json("GET", `/api/admin/users/${path}`)

test("A user's detail has identities, sessions, wallet, plan, referral and the spend of 30 days", async () => {
  const client = await world.createAccount()
  const id = client.userId
  const { userId: other } = await createPerson(world)
  await world.sql(
    `insert into identities (issuer, subject, user_id, email, email_verified, created_at)
     values ('https://id.example.com', 'sub-1', $1, 'a@b.test', true, now()), ('messenger:turnpike', '4711', $1, null, false, now())`,
    [id],
  )
  await world.sql(
    "insert into referrals (referred_user_id, referrer_user_id, ref_code, created_at) values ($1, $2, 'x', now())",
    [other, id],
  )
  const space = await client.space()
  const before = await client.runTurn({ space, text: "[use input=1000 output=300]\nhello" })
  // The first day of the range begins in less than 30 times 24 hours from the turn, but after its UTC day.
  await world.advance(Math.ceil(world.clock.ms() / DAY_MS) * DAY_MS + 29 * DAY_MS - world.clock.ms())
  const after = await client.runTurn({ space, text: "[use input=10 output=30]\nhello" })
  const owner = await world.signIn(id)
  await owner.json("POST", "/api/account/chat/turns", { space, text: "hello" })
  await world.drain()
  await client.sendTurn({ space, max_cost_usd: 0.5 })
  const [status, user] = await read(String(id))
  const [{ charged } = { charged: 0 }] = await world.sql<{ charged: number }>(
    "select sum(billed_credit_micros)::float8 as charged from turns where user_id = $1",
    [id],
  )
  expect(status).toBe(200)
  expect(user).toMatchObject({
    user_id: id,
    messenger_id: "4711",
    version: 1,
    subscription: null,
    teams: [],
    workspaces: [],
    identities: expect.arrayContaining([
      expect.objectContaining({ issuer: "https://id.example.com", subject: "sub-1", email: "a@b.test" }),
    ]),
    sessions: [{ session_id: owner.sessionId }],
    wallet: { balance_usd: user.balance_usd, held_usd: 0.5, available_usd: expect.closeTo(user.balance_usd - 0.5, 7) },
    referral: { referred_by: null, referred: 1, ref_code: expect.any(String) },
    spend_30_days_usd: expect.closeTo(charged / 1e7 - before.billed_cost_usd, 7),
  })
  expect(user.spend_30_days_usd).toBeGreaterThan(after.billed_cost_usd)
  const [, { items }] = await admin.json("GET", "/api/admin/analytics/top-users?days=30")
  const inReport = items.find(({ user_id }: { user_id: number }) => user_id === id)
  expect(inReport.billed_cost_usd, "as the report says").toBe(user.spend_30_days_usd)
  expect((await read(String(other)))[1].referral.referred_by).toBe(id)
  expect(await read("999999999")).toMatchObject([404, { code: "NOT_FOUND" }])
  expect((await read("me"))[0]).toBe(422)
  await world.drain()
})

test("The detail lists the spaces that the user owns, whatever was spent in them", async () => {
  const client = await world.createAccount()
  const [first, second] = [await client.space(), await client.space()]
  await client.call("POST", `/v1/spaces/${first}/archive`)
  const tests = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
  const rehearsal = await tests.space()
  const [, list] = await read(`${client.userId}/spaces`)
  expect(list.items.map(({ slug, role, test }: Record<string, unknown>) => [slug, role, test])).toEqual([
    [rehearsal, "owner", true],
    [second, "owner", false],
    [first, "owner", false],
  ])
  expect(list.total).toBe(3)
  expect((await read(`${client.userId}/spaces?limit=1&offset=2`))[1].items[0].slug).toBe(first)
  expect((await read(`${admin.userId}/spaces`))[1]).toMatchObject({ items: [], total: 0 })
  expect(await read("999999999/spaces")).toMatchObject([404, { code: "NOT_FOUND" }])
})

test("The energy report has balance, holds, totals by bucket, a series of days that adds up, and the paged ledger", async () => {
  const client = await world.createAccount({ usd: 5 })
  const id = client.userId
  const book = (reason: string, micros: number | null) =>
    world.sql(`select * from ${RELEASE}.book_entry($1, $2, $3, null, null, $4, $5, 'test', null, $6)`, [
      id,
      reason,
      micros,
      ...(micros === null ? ["EUR", 500] : [null, null]),
      world.clock.now(),
    ])
  await book("signup_credit", 2_000_000)
  await book("credit_purchase", 30_000_000)
  await book("referral_credit_commission", null)
  await world.advance(3 * DAY_MS)
  await book("admin_action", 4_000_000)
  await book("admin_action", -1_000_000)
  const space = await client.space()
  const { turn_id } = await client.runTurn({ space, text: "[use input=1000 output=300]\nhello" })
  const refunded = await client.runTurn({ space, text: "[use input=100 output=100]\nhello" })
  await admin.json("POST", `/api/admin/turns/${refunded.turn_id}/refund`, { note: "Sorry." })
  const [status, energy] = await read(`${id}/energy?days=5&limit=2`)
  const rows = await world.sql<{ reason: string; amount: number | null; day: string; turn: string | null }>(
    `select case when reason = 'admin_action' and turn_id is not null then 'refund' else reason end as reason, amount_credit_micros::float8 as amount, (created_at at time zone 'UTC')::date::text as day, turn_id as turn
     from ledger where user_id = $1`,
    [id],
  )
  const sum = (day: string | null, sign: number, ...reasons: string[]) =>
    rows
      .filter(
        (row) => reasons.includes(row.reason) && (day === null || row.day === day) && (row.amount ?? 0) * sign > 0,
      )
      .reduce((all, row) => all + Math.abs(row.amount ?? 0), 0) / 1e6
  const buckets = (day: string | null) => ({
    free: expect.closeTo(sum(day, 1, "admin_grant", "admin_action", "operator_topup"), 6),
    bonus: expect.closeTo(sum(day, 1, "signup_credit", "referral_signup_credit"), 6),
    paid: expect.closeTo(sum(day, 1, "manual_topup", "credit_purchase"), 6),
    refunded: expect.closeTo(sum(day, 1, "refund"), 6),
    spent: expect.closeTo(sum(day, -1, "usage", "space_usage"), 6),
  })
  expect(status).toBe(200)
  expect(energy.totals).toEqual(buckets(null))
  expect(energy.totals.spent).toBeGreaterThan(0)
  expect(energy.days).toHaveLength(5)
  for (const { date, ...sums } of energy.days) expect(sums, date).toEqual(buckets(date))
  expect(energy.days.at(-1).date).toBe(world.clock.now().toISOString().slice(0, 10))
  const [{ balance } = { balance: 0 }] = await world.sql<{ balance: number }>(
    "select balance_credit_micros::float8 as balance from wallets where user_id = $1",
    [id],
  )
  expect([energy.balance_energy, energy.held_energy]).toEqual([balance / 1e6, 0])
  expect(energy.ledger).toMatchObject({ total: rows.length, limit: 2, offset: 0 })
  expect(energy.ledger.items).toHaveLength(2)
  const [, second] = await read(`${id}/energy?limit=200&offset=2`)
  expect(second.ledger.items).toHaveLength(rows.length - 2)
  expect(second.ledger.items.map((row: { turn_id: string }) => row.turn_id)).toContain(turn_id)
  expect((await read(`${id}/energy?days=366`))[0]).toBe(422)
  expect(await read("999999999/energy")).toMatchObject([404, { code: "NOT_FOUND" }])
})

test("The ledger's CSV has harmless notes and only the user's own entries", async () => {
  const { userId: id } = await world.createAccount({ usd: 5 })
  await world.createAccount({ usd: 7 })
  const credit = { reason: "admin_grant", amount_usd: 1, note: "=1+1" }
  const key = { "idempotency-key": "ledger as a file" }
  expect((await admin.call("POST", `/api/admin/users/${id}/credits`, credit, key)).status).toBe(201)
  const response = await admin.call("GET", `/api/admin/users/${id}/energy?format=csv&limit=1`)
  expect(response.headers.get("content-type")).toMatch(/^text\/csv/)
  const [names = [], ...rows] = parseCsv(await response.text())
  const entries = rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])))
  expect(entries).toHaveLength(2)
  expect(entries[0]).toMatchObject({
    reason: "admin_grant",
    amount_usd: "1",
    balance_after_usd: "6",
    actor: `admin:${admin.userId}`,
    note: "'=1+1",
  })
  expect(entries[1]).toMatchObject({ amount_usd: "5", turn_id: "", balance_after_credit_micros: "50000000" })
  expect(await read("999999999/energy?format=csv")).toMatchObject([404, { code: "NOT_FOUND" }])
})
