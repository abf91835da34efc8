import { afterAll, beforeAll, expect, test } from "vitest"
import { reconcileNow, sweepBooks } from "../../src/billing/reconcile.ts"
import { reconcileAsAdmin, signInAdmin } from "../harness/books.ts"
import { contextOf } from "../harness/context.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Awaited<ReturnType<typeof signInAdmin>>
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  const client = await world.createAccount({ usd: 20 })
  // A subject without a limit has no counter.
  const limits = "end_user_daily_credit_micros = 50000000, end_user_monthly_credit_micros = 50000000"
  await world.sql(`update wallets set ${limits} where user_id = $1`, [client.userId])
  const space = await client.space()
  for (let n = 0; n < 30; n++) await client.sendTurn({ space, end_user_ref: `c${n}` })
  await world.drain()
})
afterAll(() => world.close())

/** Makes the database reject every slice of more rows from now on, as if it had timed out. */
async function refuseAbove(rows: number) {
  await world.sql(`create or replace function refuse_slice() returns trigger language plpgsql as $f$ begin
    if new.accounts + new.ledger_rows + new.turns + new.counters
      > old.accounts + old.ledger_rows + old.turns + old.counters + ${rows} then
      raise exception 'canceling statement due to statement timeout' using errcode = '57014';
    end if;
    return new;
  end $f$`)
  await world.sql(
    "create or replace trigger refuse_slice before update on reconciliations for each row execute function refuse_slice()",
  )
}

const lastPass = async () => {
  const [pass] = await world.sql<{ finished: boolean; exact: boolean; sizes: Record<string, number> }>(
    `select r.finished_at is not null as finished, r.sizes, r.accounts = (select count(*) from users)
       and r.ledger_rows = (select count(*) from ledger) and r.turns = (select count(*) from turns)
       and r.counters = (select count(*) from spend_counters) as exact
     from reconciliations r order by started_at desc limit 1`,
  )
  return pass
}

test("A reconciliation whose large slices fail still reads everything, and remembers the smaller sizes", async () => {
  await refuseAbove(3)
  let runs = 0
  for (let finished = false; !finished && runs < 60; runs++) {
    finished = await sweepBooks(contextOf(world)).then(
      (result) => result.finished,
      () => false,
    )
  }
  console.log(`a database that refuses slices of more than 3 rows: ${runs} runs`)
  const pass = await lastPass()
  expect(pass).toMatchObject({ finished: true, exact: true })
  for (const phase of ["ledger", "turns", "counters"]) expect(pass?.sizes[phase], phase).toBeLessThanOrEqual(6)
  // The next pass begins with the sizes that this pass learnt, and grows them again once it may.
  await world.sql("drop trigger refuse_slice on reconciliations")
  await world.advance(1)
  expect(await reconcileAsAdmin(admin)).toMatchObject({ findings_total: 0, turns: 30 })
  expect((await lastPass())?.sizes.turns).toBeGreaterThan(6)
})

test("An operator's pass and an admin's pass also read everything", async () => {
  await refuseAbove(2)
  await world.advance(1)
  expect(await reconcileNow(contextOf(world))).toMatchObject({ findings: 0, turns: 30 })
  expect(await lastPass()).toMatchObject({ finished: true, exact: true })
  await world.advance(1)
  expect(await reconcileAsAdmin(admin)).toMatchObject({ findings_total: 0, turns: 30 })
  expect(await lastPass()).toMatchObject({ finished: true, exact: true })
  await world.sql("drop trigger refuse_slice on reconciliations")
})

test("A slice that never answers leaves half its size to the next run", async () => {
  await world.advance(3_600_000)
  const ctx = contextOf(world)
  const sizes: number[] = []
  // The worker dies before its slice has answered, so nothing comes back, not even a failure.
  const { run } = ctx.db
  let hung = () => {}
  const db = new Proxy(ctx.db, {
    get(target, property) {
      if (property !== "run") return Reflect.get(target, property, target)
      return (statement: Parameters<typeof run>[0]) => {
        if (!statement.sql.includes("check_slice") || sizes.length >= 5) return run(statement)
        sizes.push(statement.parameters[3] as number)
        hung()
        return new Promise<never>(() => {})
      }
    },
  })
  for (let runs = 0; runs < 5; runs++) {
    const stuck = new Promise<void>((resolve) => {
      hung = resolve
    })
    void sweepBooks({ ...ctx, db })
    await stuck
  }
  expect(sizes).toEqual([0, 1, 2, 3, 4].map((halvings) => Math.max(1, Math.floor((sizes[0] ?? 0) / 2 ** halvings))))
  expect(sizes[0]).toBeGreaterThan(16)
  expect(await sweepBooks({ ...ctx, db })).toEqual({ findings: 0, finished: true })
})
