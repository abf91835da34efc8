import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { creditSubscription, PLAN_POLICY, sweepPlans } from "../../src/subscriptions/credit-plans.ts"
import { authContextOf } from "../harness/auth.ts"
import { signInAdmin } from "../harness/books.ts"
import { expectBooks } from "../harness/promises.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  const admin = await signInAdmin(world)
  const value = { pro: { label: "Pro", included_credit_usd: 1.5 }, free: { label: "Free" } }
  await admin.json("PUT", "/api/admin/settings", { key: "plans", value })
})
afterEach(() => world.clearFaults())
afterAll(() => world.close())

const booked = async (userId: number) =>
  (
    await world.sql<{ reference: string; micros: number }>(
      "select reference, amount_credit_micros::float8 as micros from ledger where user_id = $1 order by ledger_id",
      [userId],
    )
  ).map(({ reference, micros }) => {
    expect(micros).toBe(15_000_000)
    return reference.split(":")[2]
  })

async function subscribe(startsAt: string, more: { ends_at?: string; deactivated_at?: string; plan?: string } = {}) {
  const { userId } = await world.createAccount({ usd: 0 })
  const [{ sub_id } = { sub_id: 0 }] = await world.sql<{ sub_id: number }>(
    `insert into subscriptions (user_id, plan, starts_at, ends_at, deactivated_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, now(), now()) returning sub_id`,
    [userId, more.plan ?? "pro", startsAt, more.ends_at ?? null, more.deactivated_at ?? null],
  )
  return { userId, subId: sub_id }
}

async function goTo(instant: string) {
  await world.advance(new Date(instant).getTime() - world.clock.ms())
}

/** The starts of periods, computed without the database: the same day, or the last day of a shorter month. */
function periods(start: string, until: string): string[] {
  const first = new Date(start)
  const all: string[] = []
  for (let n = 0; ; n++) {
    const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + n + 1, 0)).getUTCDate()
    const day = Math.min(first.getUTCDate(), last)
    const begin = new Date(first)
    begin.setUTCDate(1)
    begin.setUTCFullYear(first.getUTCFullYear(), first.getUTCMonth() + n, day)
    if (begin.toISOString() >= until) return all
    all.push(begin.toISOString().slice(0, 10))
  }
}

test("Fourteen months with a leap day are credited once per period before an end or deactivation, whenever a sweeper dies", async () => {
  await goTo("2027-12-30T12:00:00.000Z")
  const END = "2029-03-15T00:00:00.000Z"
  const kinds = [
    { starts: "2027-12-31T18:30:00.000Z", until: END },
    { starts: "2028-01-30T23:59:59.999Z", until: END },
    { starts: "2028-02-29T00:00:00.000Z", until: END },
    {
      starts: "2028-01-15T06:00:00.000Z",
      until: "2028-07-15T06:00:00.000Z",
      more: { ends_at: "2028-07-15T06:00:00.000Z" },
    },
    {
      starts: "2028-01-15T06:00:00.000Z",
      until: "2028-07-15T06:00:00.001Z",
      more: { ends_at: "2028-07-15T06:00:00.001Z" },
    },
    {
      starts: "2028-01-31T00:00:00.000Z",
      until: "2028-09-30T00:00:00.000Z",
      more: { deactivated_at: "2028-09-30T00:00:00.000Z" },
    },
    {
      starts: "2028-01-31T00:00:00.000Z",
      until: "2028-09-30T00:00:00.001Z",
      more: { deactivated_at: "2028-09-30T00:00:00.001Z" },
    },
    { starts: "2028-01-01T00:00:00.000Z", until: "2028-01-01T00:00:00.000Z", more: { plan: "free" } },
    { starts: "2028-01-01T00:00:00.000Z", until: "2028-01-01T00:00:00.000Z", more: { plan: "gone" } },
  ]
  const all = await Promise.all(kinds.map(async (kind) => ({ ...kind, ...(await subscribe(kind.starts, kind.more)) })))
  expect(periods("2027-12-31T18:30:00.000Z", END).slice(0, 4)).toEqual([
    "2027-12-31",
    "2028-01-31",
    "2028-02-29",
    "2028-03-31",
  ])
  expect(periods("2027-12-31T18:30:00.000Z", END)).toContain("2029-02-28")
  const ctx = authContextOf(world)
  const actions = ["fail", "cut"] as const
  const whens = ["before", "after"] as const
  let way = 0
  const step = 24
  for (; world.clock.now().toISOString() < END; way++) {
    await world.advance(step * 3_600_000)
    // The sweeper crashes at this database call, before or after its effect.
    for (const match of ["take_subscriptions_to_credit", "credit_subscription"]) {
      const [action, when] = [actions[way % 2], whens[Math.floor(way / 2) % 2]] as const
      const call = 1 + (Math.floor(way / 4) % 2)
      if (action && when) await world.plan([{ service: "pg", match, call, action, when }])
      await Promise.allSettled([sweepPlans(ctx), sweepPlans(ctx)])
      await world.clearFaults()
    }
    await world.advance(1)
    await sweepPlans(ctx)
  }
  for (const { userId, starts, until } of all) {
    expect(await booked(userId), starts).toEqual(periods(starts, until))
    await expectBooks(world, userId)
  }
  const left = await world.sql<{ sub_id: number }>("select sub_id from subscriptions where crediting order by sub_id")
  expect(left.map((row) => row.sub_id)).toEqual(
    [0, 1, 2, 7, 8].map((place) => all[place]?.subId ?? 0).sort((a, b) => a - b),
  )
  expect(await sweepPlans(ctx), "a repeat books nothing").toEqual({ booked: 0, failed: 0 })
})

test("A sweeper that returns after 14 months books each period, also if there are more than one statement can process", async () => {
  const start = world.clock.now().toISOString()
  const { userId } = await subscribe(start)
  await world.advance(14 * 31 * 86_400_000)
  const ctx = authContextOf(world)
  await sweepPlans(ctx)
  const expected = periods(start, new Date(world.clock.ms() + 1).toISOString())
  expect(expected.length).toBeGreaterThan(PLAN_POLICY.periods)
  expect(await booked(userId)).toEqual(expected)
})

test("A failing subscription delays no other and is tried again after the others", async () => {
  const start = world.clock.now().toISOString()
  const bad = await subscribe(start)
  const good = await Promise.all([1, 2, 3].map(() => subscribe(start)))
  const ctx = authContextOf(world)
  await world.sql(`alter table wallets add constraint planted check (user_id <> ${bad.userId}) not valid`)
  expect(await sweepPlans(ctx)).toEqual({ booked: 3, failed: 1 })
  for (const { userId } of good) expect(await booked(userId)).toHaveLength(1)
  await world.advance(60_000)
  expect(await sweepPlans(ctx)).toEqual({ booked: 0, failed: 1 })
  await world.sql("alter table wallets drop constraint planted")
  await world.advance(60_000)
  expect(await sweepPlans(ctx)).toEqual({ booked: 1, failed: 0 })
  expect(await booked(bad.userId)).toHaveLength(1)
})

test("A plan that is missing from the settings for a while loses no credit, and an ended subscription is no longer due", async () => {
  const ctx = authContextOf(world)
  // Written directly, because the API refuses it. A setting can also be changed by hand or by a restore.
  const put = (value: object) =>
    world.sql("update settings set value = $1 where key = 'plans'", [JSON.stringify(value)])
  const start = world.clock.now().toISOString()
  const kept = await subscribe(start)
  const over = await subscribe(start, { ends_at: new Date(world.clock.ms() + 86_400_000).toISOString() })
  await put({ free: { label: "Free" } })
  await sweepPlans(ctx)
  await world.advance(2 * 86_400_000)
  await sweepPlans(ctx)
  expect(await booked(kept.userId)).toEqual([])
  const crediting = "select sub_id from subscriptions where crediting and sub_id = any ($1) order by sub_id"
  await world.advance(40 * 86_400_000)
  await sweepPlans(ctx)
  expect(await world.sql(crediting, [[kept.subId, over.subId]])).toEqual([{ sub_id: kept.subId }])
  await put({ pro: { label: "Pro", included_credit_usd: 1.5 }, free: { label: "Free" } })
  await world.advance(60_000)
  await sweepPlans(ctx)
  expect(await booked(kept.userId)).toHaveLength(2)
})

test("Eight concurrent sweepers book one credit", async () => {
  for (let round = 0; round < 100; round++) {
    const { userId, subId } = await subscribe(world.clock.now().toISOString())
    const ctx = authContextOf(world)
    await Promise.all([
      ...Array.from({ length: 6 }, () => creditSubscription(ctx, subId)),
      sweepPlans(ctx),
      sweepPlans(ctx),
    ])
    expect(await booked(userId)).toHaveLength(1)
  }
})
