import { afterAll, beforeAll, expect, test } from "vitest"
import { RECONCILIATION_POLICY } from "../../src/billing/policies.ts"
import { sweepBooks } from "../../src/billing/reconcile.ts"
import { refundTurn } from "../../src/billing/refund-turn.ts"
import { type Admin, reconcileAsAdmin, reconcileRecent, signInAdmin, tamper } from "../harness/books.ts"
import { contextOf } from "../harness/context.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const { overlapMs, everyMs, allEveryMs, allBehindFindingMs } = RECONCILIATION_POLICY
const TURNS = 20

let world: World
let admin: Admin
let client: TestClient
let space: string
let books: ReturnType<typeof tamper>
const old: string[] = []
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  client = await world.createAccount({ usd: 20 })
  space = await client.space()
  for (let n = 0; n < TURNS; n++) old.push(await run())
  books = tamper(world)
})
afterAll(() => world.close())

const run = async () => (await client.runTurn({ space, text: "[use input=100 output=10]\nhello" })).turn_id
const kinds = ({ findings }: { findings: { kind: string; turn_id: string | null }[] }) =>
  findings.map(({ kind, turn_id }) => [kind, turn_id])

/** Runs a pass over all history, which leaves its marks after all existing turns. */
async function settle() {
  await world.advance(overlapMs + 1)
  await reconcileAsAdmin(admin)
}

const setBill = (turnId: string, change: number) =>
  books.unguarded(
    `update usage set cost_credit_micros = cost_credit_micros + ${change}, billed_credit_micros = billed_credit_micros + ${change}
     where turn_id = '${turnId}'`,
  )

test("An hourly pass checks turns that ended since the marks, and all accounts and counters", async () => {
  await settle()
  expect(await reconcileRecent(world, admin)).toMatchObject({ turns: 0, ledger_rows: 0, findings_total: 0 })
  const turns = [await run(), await run(), await run()]
  const [all] = await world.sql(
    "select (select count(*) from users)::int as accounts, (select count(*) from spend_counters)::int as counters",
  )
  expect(await reconcileRecent(world, admin)).toMatchObject({ turns: 3, ledger_rows: 3, ...all })
  // For some time these turns are checked again, because rows that commit late have ids between them.
  expect(await reconcileRecent(world, admin)).toMatchObject({ turns: 3, ledger_rows: 3 })
  await world.advance(overlapMs + 1)
  expect(await reconcileRecent(world, admin)).toMatchObject({ turns: 3, ledger_rows: 3 })
  expect(await reconcileRecent(world, admin)).toMatchObject({ turns: 0, ledger_rows: 0 })
  expect(await reconcileAsAdmin(admin)).toMatchObject({ scope: "all", turns: TURNS + turns.length, findings_total: 0 })
})

test("An open turn holds the mark until it has ended and was checked", async () => {
  await settle()
  const { turn_id } = await turnOf(await client.sendTurn({ space, text: "[use input=100 output=10]\nhello" }))
  await world.settled()
  for (let passes = 0; passes < 3; passes++) {
    await world.advance(overlapMs + 1)
    expect((await reconcileRecent(world, admin)).turns).toBe(1)
  }
  await world.drain()
  await setBill(turn_id, 1)
  expect(kinds(await reconcileRecent(world, admin))).toEqual([["usage_bills", turn_id]])
  await setBill(turn_id, -1)
  await settle()
  expect((await reconcileRecent(world, admin)).turns).toBe(0)
})

test("A later booking for an old turn is checked, whether it is a refund or a charge", async () => {
  await settle()
  const [first = "", second = "", third = ""] = old
  await refundTurn(contextOf(world), { turnId: first, actor: "operator", note: "Sorry." })
  expect(await reconcileRecent(world, admin)).toMatchObject({ turns: 0, ledger_rows: 1, findings_total: 0 })
  // A refund of a smaller amount, and a charge that is booked as a correction; the running totals are correct.
  const book = (turnId: string, micros: number) => `insert into ledger (user_id, reason, amount_credit_micros,
      balance_after_credit_micros, turn_id, actor, created_at)
    select user_id, 'admin_action', ${micros}, balance_after_credit_micros + ${micros}, '${turnId}', 'operator', created_at
    from ledger where user_id = ${client.userId} order by ledger_id desc limit 1;
    insert into ledger_queue (ledger_id, user_id, amount_credit_micros, balance_after_credit_micros, created_at, reason)
    select ledger_id, user_id, amount_credit_micros, balance_after_credit_micros, created_at, reason
    from ledger order by ledger_id desc limit 1;
    update wallets set balance_credit_micros = balance_credit_micros + ${micros} where user_id = ${client.userId}`
  await books.unguarded(book(second, 1))
  expect(kinds(await reconcileRecent(world, admin))).toEqual([["refund_amount", second]])
  await books.unguarded(
    `update ledger set turn_id = '${third}' where turn_id = '${second}' and reason = 'admin_action'`,
  )
  expect(kinds(await reconcileRecent(world, admin))).toEqual([["refund_amount", third]])
  await books.unguarded(`update ledger set turn_id = null where turn_id = '${third}' and reason = 'admin_action'`)
  expect(kinds(await reconcileRecent(world, admin))).toEqual([])
})

test("A row that commits late, with an id from before a pass, is checked by the next pass", async () => {
  await settle()
  const [{ id = 0 } = {}] = await world.sql<{ id: number }>(
    "select nextval(pg_get_serial_sequence('ledger', 'ledger_id'))::int as id",
  )
  await run()
  const began = world.clock.now().toISOString()
  // Its transaction started before the pass and commits after it.
  expect(kinds(await reconcileRecent(world, admin))).toEqual([])
  await books.unguarded(`insert into ledger (ledger_id, user_id, reason, amount_credit_micros, balance_after_credit_micros, actor, created_at)
    overriding system value select ${id}, ${client.userId}, 'manual_topup', 5, 5, 'operator', '${began}'`)
  expect((await reconcileRecent(world, admin)).findings).toMatchObject([
    { kind: "running_total", ledger_id: id },
    { kind: "running_total", ledger_id: id + 1 },
  ])
  await books.unguarded(`delete from ledger where ledger_id = ${id}`)
  expect(kinds(await reconcileRecent(world, admin))).toEqual([])
})

test("The weekly pass over all history finds errors that an hourly pass cannot see", async () => {
  await settle()
  const wrong = old.at(-1) ?? ""
  await setBill(wrong, 1)
  expect(kinds(await reconcileRecent(world, admin))).toEqual([])
  const sweep = async () => {
    while (!(await sweepBooks(contextOf(world))).finished);
    return (await admin.json("GET", "/api/admin/system"))[1]
  }
  let hours = 0
  for (let scope = "recent"; scope === "recent"; ) {
    // Day by day, and the last day hour by hour.
    const passed = hours < allEveryMs / everyMs - 24 ? 24 : 1
    hours += passed
    await world.advance(passed * everyMs)
    scope = (await sweep()).reconciliation.scope
  }
  expect(hours).toBe(allEveryMs / everyMs)
  const { reconciliation, reconciliation_of_all } = (await admin.json("GET", "/api/admin/system"))[1]
  expect(kinds(reconciliation)).toEqual([["usage_bills", wrong]])
  // The status keeps the finding, whatever hourly passes find.
  await world.advance(everyMs)
  expect(await sweep()).toMatchObject({ reconciliation: { scope: "recent", findings: [] }, reconciliation_of_all })
  await setBill(wrong, -1)
})

test("After a finding, a pass over all history begins, at most once per day", async () => {
  await settle()
  await world.sql("update wallets set balance_credit_micros = balance_credit_micros + 1 where user_id = $1", [
    client.userId,
  ])
  const daily = allBehindFindingMs / everyMs
  const begun: number[] = []
  // The first hours, and the hours around the end of each day.
  const hours = [1, 2, 3, daily / 2, daily - 1, daily, daily + 1, 2 * daily - 1, 2 * daily, 2 * daily + 1]
  for (const [at, hour] of hours.entries()) {
    await world.advance((hour - (hours[at - 1] ?? 0)) * everyMs)
    while (!(await sweepBooks(contextOf(world))).finished);
    const { reconciliation } = (await admin.json("GET", "/api/admin/system"))[1]
    expect(reconciliation.findings).toMatchObject([{ kind: "balance", user_id: client.userId }])
    if (reconciliation.scope === "all") begun.push(hour)
  }
  expect(begun).toEqual([daily, 2 * daily])
  await world.sql("update wallets set balance_credit_micros = balance_credit_micros - 1 where user_id = $1", [
    client.userId,
  ])
})

test("A request during an hourly pass starts a pass over all history, from its beginning", async () => {
  await settle()
  await setBill(old.at(-1) ?? "", 1)
  await world.advance(everyMs)
  // Each reading of the clock takes as long as a run may, so the pass stays open after its first slice.
  let now = world.clock.ms()
  const hurried = {
    ...world.clock,
    now() {
      now += RECONCILIATION_POLICY.runMs
      return new Date(now)
    },
  }
  expect(await sweepBooks({ ...contextOf(world), clock: hurried })).toMatchObject({ finished: false })
  const [open] = await world.sql("select scope, phase from reconciliations where finished_at is null")
  expect(open).toMatchObject({ scope: "recent" })
  const report = await reconcileAsAdmin(admin)
  expect(report).toMatchObject({ scope: "all", started_by: `admin:${admin.userId}`, findings_total: 1 })
  expect(kinds(report)).toEqual([["usage_bills", old.at(-1)]])
  const [counts] = await world.sql(`select (select count(*) from users)::int as accounts,
    (select count(*) from ledger)::int as ledger_rows, (select count(*) from turns)::int as turns`)
  expect(report).toMatchObject(counts as object)
  await setBill(old.at(-1) ?? "", -1)
})
