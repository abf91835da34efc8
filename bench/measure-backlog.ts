import { setTimeout as pause } from "node:timers/promises"
import pg from "pg"
import { createContext } from "../src/actor/context.ts"
import { sweepAnalytics } from "../src/analytics/roll.ts"
import { parseBaseEnv } from "../src/base/env.ts"
import { sweepPostings } from "../src/billing/post-charges.ts"
import { createRedis } from "../src/platform/redis.ts"
import { sweepTurns } from "../src/runs/sweep-turns.ts"
import { runSweeps } from "../src/sweeps.ts"
import { cloneTurns } from "./clone-turns.ts"
import { sendDuring } from "./measure-outage.ts"
import type { Options } from "./options.ts"
import { createSite, type Site } from "./site.ts"
import type { Question, StatementTimes } from "./stand-ins-process.ts"
import { round, secondsSince, timesOf } from "./statistics.ts"
import { BRAND, contextOver, readVerbs, TYPES, type Verbs } from "./verbs.ts"
import type { BenchWorld } from "./world.ts"

const SWEEP_MS = { full: 60_000, smoke: 2_000 }
const LOOK_MS = 1_000
/** One of this many turns was running when its worker died. */
const LOST_ONE_IN = 100
const TOP = 8

/**
 * Measures the recovery after an outage of the queue and the workers. SQL inserts unpublished turns (`--stored`) of
 * `--accounts`; one of a hundred is running with an expired lease. Sweeps run each minute, as deployed. It is over when
 * all charges are posted and all usage is in the reports. Statements are counted for the whole service.
 */
export async function measureBacklog(world: BenchWorld, { stored: turns, accounts, size }: Options) {
  const site = await createSite(world, "backlog", { runs: true, accounts: accounts + 1, timed: true })
  const verbs = await readVerbs(world.version)
  const pool = new pg.Pool({ connectionString: site.databaseUrl, max: 4, types: TYPES })
  world.keep(() => pool.end())
  const putting = performance.now()
  const lost = await putIn(verbs, contextOver(verbs, pool), site, { turns, accounts })
  const putSeconds = secondsSince(putting, 1)
  const question: Question = { ask: "statements" }
  await world.standIns.ask<StatementTimes[]>(question)

  const until = { isOver: false }
  const began = performance.now()
  const sweeping = sweepOften(site, until, SWEEP_MS[size])
  const [other] = site.accounts.slice(-1)
  const others = other ? sendDuring(site, other, "during", () => until.isOver) : Promise.resolve([])
  const ids = site.accounts.slice(0, accounts).map(({ userId }) => userId)
  while (await has(site, "open_turns where user_id = any ($1)", ids)) await pause(LOOK_MS)
  const ended = (performance.now() - began) / 1000
  const atEnd = await world.standIns.ask<StatementTimes[]>(question)
  while (await isBehind(site)) await pause(LOOK_MS)
  const normal = secondsSince(began, 1)
  until.isOver = true
  const sweeps = await sweeping
  const times = await others
  const afterwards = await world.standIns.ask<StatementTimes[]>(question)
  const callsOf = (all: StatementTimes[]) => all.reduce((sum, { calls }) => sum + calls, 0)
  const [ends] = await site.sql(
    `select count(*) filter (where t.state = 'done') as done, count(*) filter (where t.state <> 'done') as others,
       (select sum(w.held_credit_micros) from wallets w where w.user_id = any ($1)) as held
     from turns t where t.user_id = any ($1)`,
    [ids],
  )
  return {
    turns: `${turns} of ${accounts} accounts, ${lost} of them were running`,
    "put in in seconds": putSeconds,
    "all ended after seconds": round(ended, 1),
    "ended per second": round(turns / ended, 0),
    "all normal after seconds": normal,
    ends,
    "statements until all ended": callsOf(atEnd),
    "statements for each turn": round(callsOf(atEnd) / turns, 3),
    "statements from then on": callsOf(afterwards),
    "most of them": atEnd
      .toSorted((a, b) => b.calls - a.calls)
      .slice(0, TOP)
      .map(({ label, calls, mean, p99 }) => ({ label, calls, mean: round(mean), p99 })),
    sweeps,
    "another account": timesOf(times),
  }
}

/** By one turn of each account that its procedures have made. Returns how many were running. */
async function putIn(
  verbs: Verbs,
  ctx: ReturnType<typeof contextOver>,
  { sql, accounts }: Site,
  counts: { turns: number; accounts: number },
): Promise<number> {
  let lost = 0
  for (let n = 0; n < counts.accounts; n++) {
    const own = Math.floor(counts.turns / counts.accounts) + (n < counts.turns % counts.accounts ? 1 : 0)
    const running = Math.floor(own / LOST_ONE_IN)
    const queued = await accept(verbs, ctx, accounts[n], `queued-${n}`)
    await cloneTurns(sql, { turnId: queued, count: own - running - 1, from: 1 })
    if (running === 0) continue
    const begun = await accept(verbs, ctx, accounts[n], `running-${n}`)
    if (!(await verbs.claimTurn(ctx, begun))) throw new Error("A turn was not claimed.")
    await cloneTurns(sql, { turnId: begun, count: running - 1, from: own })
    lost += running
  }
  await sql("update turns set lease_until = now() - interval '1 minute' where state = 'running'")
  await sql("update open_turns set wake_at = now() - interval '1 minute' where state = 'running'")
  await sql("delete from runners")
  await sql("analyze")
  return lost
}

async function accept(
  verbs: Verbs,
  ctx: ReturnType<typeof contextOver>,
  account: Site["accounts"][number] | undefined,
  id: string,
): Promise<string> {
  const credential = verbs.parseApiKey(account?.key ?? "", BRAND)
  if (!account || !credential) throw new Error("A turn needs an account.")
  const body = verbs.createTurnSchema.parse({ space: account.space, end_user_ref: id, text: "Where is my order?" })
  return (await verbs.acceptTurn(ctx, credential, { idempotencyKey: id, body })).made.turn_id
}

/** Returns how often they ran. */
async function sweepOften({ env, runtime }: Site, until: { isOver: boolean }, everyMs: number): Promise<number> {
  const parsed = parseBaseEnv({ ...env, CALLBACKS_URL: runtime.url, FILES: {} })
  const sweeps = { turns: sweepTurns, postings: sweepPostings, analytics: sweepAnalytics }
  let count = 0
  for (let next = performance.now(); !until.isOver; await pause(LOOK_MS)) {
    if (performance.now() < next) continue
    next += everyMs
    const ctx = createContext(parsed, (work) => void work.catch(() => {}))
    await runSweeps({ ...ctx, redis: createRedis(parsed, ctx.meter) }, sweeps)
    count++
  }
  return count
}

async function has({ sql }: Site, rows: string, ids: number[]): Promise<boolean> {
  const [row] = await sql<{ has: boolean }>(`select exists (select from ${rows}) as has`, [ids])
  return row?.has ?? false
}

/** True while charges or usage of ended turns are queued. The other account always has a few. */
async function isBehind({ sql }: Site): Promise<boolean> {
  const few = 100
  const [row] = await sql<{ behind: boolean }>(
    `select (select count(*) from turn_ends) + (select count(*) from ledger_queue) + (select count(*) from postings) > ${few} as behind`,
  )
  return row?.behind ?? false
}
