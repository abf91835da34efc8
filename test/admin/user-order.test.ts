import { afterAll, beforeAll, expect, test } from "vitest"
import { sweepAnalytics } from "../../src/analytics/roll.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { contextOf } from "../harness/context.ts"
import { parseCsv } from "../harness/csv.ts"
import { createWorld, type World } from "../harness/world.ts"

const HOUR_MS = 3_600_000

let world: World
let admin: Admin
/** Accounts of the brand `sorted`, in the order of their ids. */
let poor: number
let rich: number
let even: number
let unseen: number
/** The refunds of accounts, in USD. */
const refunds = new Map<number, number>()
/** The instant between the second and the third account. */
let middle: string

beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  await world.sql("insert into brands (brand, created_at, updated_at) values ('sorted', now(), now())")
  const clients = []
  for (const usd of [2, 20, 5, 0]) clients.push(await world.createAccount({ usd }))
  const ids = clients.map(({ userId }) => userId)
  ;[poor, rich, even, unseen] = ids as [number, number, number, number]
  middle = new Date(world.clock.ms() - 5000).toISOString()
  await world.sql(
    "update users set brand = 'sorted', created_at = $2::timestamptz + (user_id - $3::bigint - 2) * interval '1 hour' where user_id = any($1)",
    [ids, middle, ids[0]],
  )
  const [first, , third] = clients
  for (const [client, output] of [
    [first, 3000],
    [third, 100],
  ] as const) {
    if (!client) throw new Error("There are four accounts.")
    const space = await client.space()
    const turn = await client.runTurn({ space, text: `[use input=1000 output=${output}]\nhello` })
    // A part of the spend and the first refund are in the rollups, the rest still in the queue.
    await sweepAnalytics(contextOf(world))
    const small = await client.runTurn({ space, text: "[use input=10 output=30]\nhello" })
    const { turn_id, billed_cost_usd } = client === first ? turn : small
    expect((await admin.json("POST", `/api/admin/turns/${turn_id}/refund`, { note: "Sorry." }))[0]).toBe(200)
    refunds.set(client.userId, billed_cost_usd)
  }
  await world.signIn(rich)
  await world.advance(2 * HOUR_MS)
  await world.signIn(even)
  await world.signIn(poor)
  await world.sql("update sessions set last_seen_at = $1 where user_id = $2", [
    new Date(world.clock.ms() - HOUR_MS),
    even,
  ])
})
afterAll(() => world.close())

const listed = async (query: string) => (await admin.json("GET", `/api/admin/users?brand=sorted${query}`))[1]
const ids = async (query: string) => (await listed(query)).items.map(({ user_id }: { user_id: number }) => user_id)

test("Users are sorted by balance, last session, spend or creation, in both directions, with ties by id", async () => {
  expect(await ids("")).toEqual([unseen, even, rich, poor])
  expect(await ids("&direction=asc")).toEqual([poor, rich, even, unseen])
  expect(await ids("&sort=balance")).toEqual([rich, even, poor, unseen])
  expect(await ids("&sort=balance&direction=asc")).toEqual([unseen, poor, even, rich])
  expect(await ids("&sort=spend")).toEqual([poor, even, unseen, rich])
  expect(await ids("&sort=spend&direction=asc")).toEqual([rich, unseen, even, poor])
  expect(await ids("&sort=last_seen")).toEqual([poor, even, rich, unseen])
  expect(await ids("&sort=last_seen&direction=asc"), "users without a session come last").toEqual([
    rich,
    even,
    poor,
    unseen,
  ])
})

test("A user's spend and refunds are those of their turns, rolled up or queued, with the time of the last session", async () => {
  const billed = await world.sql<{ user_id: number; usd: number }>(
    "select user_id::float8, sum(billed_credit_micros)::float8 / 1e7 as usd from turns where not test group by 1",
  )
  const { items } = await listed("&sort=spend&direction=asc")
  for (const { user_id, spend_usd, refunded_usd, net_usd } of items) {
    expect(spend_usd).toBe(billed.find((one) => one.user_id === user_id)?.usd ?? 0)
    expect(refunded_usd).toBe(refunds.get(user_id) ?? 0)
    expect(net_usd).toBeCloseTo(spend_usd - refunded_usd, 7)
  }
  expect(items.map(({ last_seen_at }: { last_seen_at: string | null }) => last_seen_at)).toEqual([
    new Date(world.clock.ms() - 2 * HOUR_MS).toISOString(),
    null,
    new Date(world.clock.ms() - HOUR_MS).toISOString(),
    world.clock.now().toISOString(),
  ])
})

test("Pages of a sorted list have each user once, and the CSV has the same order", async () => {
  const paged = []
  for (const offset of [0, 1, 2, 3, 4]) {
    const { items, total } = await listed(`&sort=balance&limit=1&offset=${offset}`)
    expect(total).toBe(4)
    paged.push(...items.map(({ user_id }: { user_id: number }) => user_id))
  }
  expect(paged).toEqual([rich, even, poor, unseen])
  const csv = await admin.call("GET", "/api/admin/users?format=csv&brand=sorted&sort=spend&direction=asc")
  const [header = [], ...rows] = parseCsv(await csv.text())
  expect(header.slice(-4)).toEqual(["last_seen_at", "spend_usd", "refunded_usd", "net_usd"])
  expect(rows.map(([id]) => Number(id))).toEqual([rich, unseen, even, poor])
})

test("Users are filtered by brand, active plan and time of creation", async () => {
  expect((await listed(`&created_after=${middle}`)).total).toBe(2)
  expect(await ids(`&created_after=${middle}`)).toEqual([unseen, even])
  expect(await ids(`&created_before=${middle}`)).toEqual([rich, poor])
  expect(await admin.json("GET", "/api/admin/users?brand=nowhere")).toMatchObject([
    422,
    { detail: [{ loc: ["query", "brand"] }] },
  ])
  const plan = (user_id: number, more = {}) =>
    admin.json("POST", "/api/admin/subscriptions", { user_id, plan: "trial", ...more })
  const [, ended] = await plan(rich)
  await plan(poor)
  await plan(even, { starts_at: new Date(world.clock.ms() + HOUR_MS).toISOString() })
  await admin.json("DELETE", `/api/admin/subscriptions/${ended.sub_id}`)
  expect(await ids("&plan=trial")).toEqual([poor])
  expect(await ids("&plan=pro")).toEqual([])
  await world.advance(HOUR_MS)
  expect(await ids("&plan=trial&sort=balance")).toEqual([even, poor])
})
