import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { creditAccount } from "../../src/billing/credit-account.ts"
import { RECONCILIATION_POLICY } from "../../src/billing/policies.ts"
import { sweepBooks } from "../../src/billing/reconcile.ts"
import { refundTurn } from "../../src/billing/refund-turn.ts"
import { type Admin, reconcileAsAdmin, signInAdmin } from "../harness/books.ts"
import { contextOf } from "../harness/context.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const openTurns = async (clients: TestClient[]) => {
  const ids = clients.map(({ userId }) => userId)
  return (await world.sql("select 1 from open_turns where user_id = any($1)", [ids])).length
}
const passes = () =>
  world.sql<{ started_by: string; findings: number; finished: boolean }>(
    "select started_by, findings::int, finished_at is not null as finished from reconciliations order by started_at, reconciliation_id",
  )

const EACH = 120

test("Reconciliations during turns, cancels, credits and refunds find nothing", async () => {
  const random = createRandom("passes under load")
  const clients = await Promise.all([1, 2, 3].map(() => world.createAccount({ usd: 3 })))
  await world.sql(
    "update api_keys set window_credit_micros = 100000000, window_seconds = 60, daily_credit_micros = 100000000",
  )
  const spaces = await Promise.all(clients.map((client) => client.space()))
  const seen = { passes: 0, turns: 0, refunds: 0 }
  const load = async () => {
    for (let n = 0; n < EACH; n++) {
      const at = random.int(3)
      const [client, space] = [clients[at] as (typeof clients)[0], spaces[at] as string]
      const text = random.pick([
        "hello",
        "[write a.txt x]\n[fail MINE]",
        "[fail MODEL_REJECTED]",
        "[use input=300000 output=10]",
      ])
      const sent = await client.sendTurn({ space, text, end_user_ref: `c${random.int(3)}` })
      const { turn_id } = await turnOf(sent)
      if (sent.status !== 202) continue
      seen.turns++
      if (random.int(3) === 0) await client.call("POST", `/v1/turns/${turn_id}/cancel`)
      if (random.int(3) === 0) {
        const credit = {
          userId: client.userId,
          micros: 1 + random.int(1000),
          reference: `load:${random.seed}:${turn_id}`,
        }
        await creditAccount(contextOf(world), { ...credit, reason: "manual_topup", actor: "payment:x" })
      }
      await world.drain()
      if (random.int(2) === 0) {
        const refund = refundTurn(contextOf(world), { turnId: turn_id, actor: "operator", note: "x" })
        seen.refunds += await refund.then(
          () => 1,
          () => 0,
        )
      }
      if (random.int(10) === 0) await world.advance(61_000)
    }
  }
  let loading = 4
  const found: object[] = []
  const look = async () => {
    while (loading > 0) {
      found.push(...(await reconcileAsAdmin(admin)).findings)
      seen.passes++
    }
  }
  await Promise.all([...Array.from({ length: 4 }, () => load().finally(() => loading--)), look()])
  console.log(`under load: ${JSON.stringify(seen)}, seed ${random.seed}`)
  expect(found).toEqual([])
  expect(Math.min(seen.passes, seen.turns, seen.refunds)).toBeGreaterThan(10)
  // A jump of the clock can time out a request while its body is read. The queue delivers it again later.
  for (let round = 0; (await openTurns(clients)) > 0; round++) {
    expect(round, "a turn is stuck").toBeLessThan(10)
    await world.advance(20_000)
    await world.drain()
  }
  for (const { userId } of clients) await expectPromises(world, userId)
  // The passes really compare: one credit micro too many is found.
  const [one] = clients
  await world.sql("update wallets set balance_credit_micros = balance_credit_micros + 1 where user_id = $1", [
    one?.userId,
  ])
  expect((await reconcileAsAdmin(admin)).findings).toMatchObject([{ kind: "balance", user_id: one?.userId }])
  await world.sql("update wallets set balance_credit_micros = balance_credit_micros - 1 where user_id = $1", [
    one?.userId,
  ])
})

test("One reconciliation begins per hour, however many sweepers run", async () => {
  const others = await createWorld()
  try {
    const ctx = contextOf(others)
    const count = async () => (await others.sql("select 1 from reconciliations")).length
    for (let hour = 1; hour <= 3; hour++) {
      for (const minutes of [0, 20, 39]) {
        await others.advance(minutes * 60_000)
        await Promise.all(Array.from({ length: 6 }, () => sweepBooks(ctx)))
        expect(await count(), `hour ${hour}, ${minutes} minutes on`).toBe(hour)
      }
      await others.advance(60_000)
    }
    expect(await others.sql("select distinct started_by, finished_at is null as open from reconciliations")).toEqual([
      { started_by: "schedule", open: false },
    ])
    await others.advance((RECONCILIATION_POLICY.keepDays + 1) * 86_400_000)
    await sweepBooks(ctx)
    expect(await count(), "old passes are deleted").toBe(1)
  } finally {
    await others.close()
  }
})

test("A reconciliation that runs out of time or fails resumes at its last position and counts nothing twice", async () => {
  const ctx = contextOf(world)
  const { runMs } = RECONCILIATION_POLICY
  // Every reading of the clock takes longer than a run may, so each run processes one slice.
  let now = world.clock.ms()
  const later = () => {
    now += runMs
    return new Date(now)
  }
  const hurried = { ...ctx, clock: { ...world.clock, now: later } }
  await world.advance(RECONCILIATION_POLICY.allEveryMs)
  now = world.clock.ms()
  const before = (await passes()).length
  let runs = 0
  await world.plan([{ service: "pg", match: "check_slice", call: 2, action: "cut", when: "after" }])
  for (let finished = false; !finished; runs++) {
    finished = await sweepBooks(hurried).then(
      (result) => result.finished,
      () => false,
    )
  }
  await world.clearFaults()
  expect(runs).toBeGreaterThan(3)
  const all = await passes()
  expect(all.slice(before)).toEqual([{ started_by: "schedule", findings: 0, finished: true }])
  const [counts] = await world.sql(
    `select r.accounts = (select count(*) from users) and r.ledger_rows = (select count(*) from ledger)
       and r.turns = (select count(*) from turns) and r.counters = (select count(*) from spend_counters) as exact
     from reconciliations r order by started_at desc limit 1`,
  )
  expect(counts).toEqual({ exact: true })
})

test("Each finding and each reconciliation is one line of the log, without any customer's text", async () => {
  const client = await world.createAccount()
  await world.sql(
    `update wallets set end_user_daily_credit_micros = 50000000, end_user_monthly_credit_micros = 50000000 where user_id = $1`,
    [client.userId],
  )
  const { turn_id } = await client.runTurn({ space: await client.space(), end_user_ref: "canary@customer.com" })
  await world.sql("update wallets set balance_credit_micros = balance_credit_micros + 5 where user_id = $1", [
    client.userId,
  ])
  await world.sql(
    "update spend_counters set spent_credit_micros = spent_credit_micros + 5 where subject = 'canary@customer.com'",
  )
  await world.sql("alter table model_calls disable trigger all")
  await world.sql("update usage set cost_credit_micros = 1, billed_credit_micros = 1 where turn_id = $1", [turn_id])
  const lines: Record<string, unknown>[] = []
  const spies = (["info", "error"] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(JSON.parse(line))),
  )
  try {
    world.rebind({ LOG_LEVEL: "info" })
    await reconcileAsAdmin(admin)
  } finally {
    world.rebind({ LOG_LEVEL: "silent" })
    for (const spy of spies) spy.mockRestore()
  }
  const found = lines.filter(({ event }) => event === "reconciliation.finding")
  expect(found).toHaveLength(4)
  expect(found.every(({ level }) => level === "error")).toBe(true)
  expect(found[0]).toMatchObject({ kind: "balance", user_id: client.userId, repaired: false })
  expect(found[1]).toMatchObject({ kind: "usage_bills", user_id: client.userId, turn_id })
  expect(found.slice(2)).toMatchObject(Array(2).fill({ kind: "counter_spent", user_id: client.userId, repaired: true }))
  expect(JSON.stringify(lines)).not.toContain("canary")
  const ends = lines.filter(({ event }) => event === "reconciliation.finished")
  expect(ends).toMatchObject([{ level: "info", findings: 4, accounts: expect.any(Number) }])
})
