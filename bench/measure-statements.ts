import pg from "pg"
import { statementLabel } from "../src/local/statement-label.ts"
import { prepareStatistics, resetStatements } from "./measure-procedures.ts"
import type { Options } from "./options.ts"
import { startCpuMeter } from "./processes.ts"
import { createSiteDatabase, type Sql } from "./site.ts"
import { round } from "./statistics.ts"
import { BRAND, contextOver, readVerbs, TYPES, type Verbs } from "./verbs.ts"
import type { BenchWorld } from "./world.ts"

const CREDIT_MICROS = 1e13
/** Turns of a round are bounded, so that both versions write into tables of one size. */
const SIZES = { full: { count: 9, turns: 400 }, smoke: { count: 1, turns: 20 } }

/** The function by which the harness claims one turn (test/harness/claim.ts). */
const CLAIM_OF_HARNESS = "claim_one_"

/** How a turn goes: with its only step in the statement that ends it, or with one that is committed before. */
const SHAPES = { plain: 0, "with a step before": 1 }

interface Statement {
  label: string
  calls: number
  total: number
  planned: number
  records: number
  bytes: number
}

/**
 * Measures the statements of turns that run one after another on one connection, by PostgreSQL's clock and counters.
 * Each figure is the lowest mean of the rounds. `planning` includes the statements within procedures. `wal` and `rows`
 * are per turn, commits included.
 */
export async function measureStatements(world: BenchWorld, { size }: Options) {
  const { count, turns } = SIZES[size]
  const { url, sql } = await createSiteDatabase(world, "statements")
  await world.version.fillDatabase(url)
  if (!(await prepareStatistics({ sql }))) return { skipped: "The server has no pg_stat_statements." }
  const verbs = await readVerbs(world.version)
  const pool = new pg.Pool({ connectionString: url, max: 1, types: TYPES })
  pool.on("error", () => {})
  const turn = await createTurns(world, verbs, sql, pool)
  const answers: Record<string, unknown> = {}
  for (const [shape, steps] of Object.entries(SHAPES)) {
    const run = async () => {
      for (let ran = 0; ran < turns; ran++) await turn(steps)
    }
    await run()
    const rounds: Round[] = []
    for (let ran = 0; ran < count; ran++) rounds.push(await measureRound(world, { sql, pool }, run))
    const leastOf = (of: (one: Round) => number, digits = 3) => round(Math.min(...rounds.map(of)), digits)
    const labels = rounds[0]?.statements.map(({ label }) => label) ?? []
    for (const label of labels) {
      const meanOf = (column: "total" | "records" | "bytes", digits = 3) =>
        leastOf(({ statements }) => {
          const one = statements.find((statement) => statement.label === label)
          return (one?.[column] ?? Number.NaN) / (one?.calls ?? Number.NaN)
        }, digits)
      answers[`${shape}: ${label}`] = {
        ms: meanOf("total"),
        wal_records: meanOf("records", 1),
        wal_bytes: meanOf("bytes", 0),
      }
    }
    await pool.query("set pg_stat_statements.track = 'all'")
    const planned = await measureRound(world, { sql, pool }, run)
    await pool.query("set pg_stat_statements.track = 'top'")
    answers[`${shape}: a turn`] = {
      ms: leastOf((one) => one.statements.reduce((sum, { total }) => sum + total, 0) / turns),
      planning: round(planned.planned / turns, 4),
      cpu_ms: leastOf(({ cpu }) => (cpu * 1000) / turns),
      wal_records: leastOf((one) => one.statements.reduce((sum, { records }) => sum + records, 0) / turns, 1),
      wal_bytes: leastOf(({ wal }) => wal / turns, 0),
      inserted: leastOf(({ rows }) => rows.inserted / turns, 2),
      updated: leastOf(({ rows }) => rows.updated / turns, 2),
      updated_in_place: leastOf(({ rows }) => rows.hot / turns, 2),
      deleted: leastOf(({ rows }) => rows.deleted / turns, 2),
    }
  }
  await pool.end()
  return answers
}

/** An account, and a function that takes one turn of it from accept to its end. */
async function createTurns({ version }: BenchWorld, verbs: Verbs, sql: Sql, pool: pg.Pool) {
  const now = new Date()
  const userId = await version.seed.createUser(sql, {})
  await version.seed.topUp(sql, { userId, micros: CREDIT_MICROS, reason: "operator_topup", actor: "bench", now })
  const { value } = await version.seed.createApiKey(sql, { userId, brand: BRAND, name: "bench", caps: {}, now })
  const credential = verbs.parseApiKey(value, BRAND)
  if (!credential) throw new Error("The key is malformed.")
  const ctx = contextOver(verbs, pool)
  const { made } = await verbs.createSpace(ctx, credential, { title: "Bench", model: "rehearsal/standard" })
  let sent = 0
  return async (steps: number) => {
    const id = `statements-${sent++}`
    const body = verbs.createTurnSchema.parse({ space: made.slug, end_user_ref: id, text: "Where is my order?" })
    const { made: accepted } = await verbs.acceptTurn(ctx, credential, { idempotencyKey: id, body })
    const claim = await verbs.claimTurn(ctx, accepted.turn_id)
    if (!claim) throw new Error(`${accepted.turn_id} was not claimed.`)
    for (let step = 0; step < steps; step++) await verbs.commitAnswer(ctx, claim.turn, verbs.finishedStep(step), [])
    const end = { step: verbs.finishedStep(steps), files: false }
    await verbs.settleTurn(ctx, claim.turn, { state: "done", result: "x" }, end)
  }
}

type Round = Awaited<ReturnType<typeof measureRound>>

async function measureRound({ postgresPids }: BenchWorld, { sql, pool }: Connections, run: () => Promise<void>) {
  const before = await rowsOf(pool)
  await resetStatements(sql)
  const from = await walOf(sql)
  const meter = await startCpuMeter({ postgres: postgresPids })
  await run()
  const { cpu } = await meter()
  const wal = (await walOf(sql)) - from
  const statements = await sql<Statement & { toplevel: boolean }>(
    `select query as label, toplevel, sum(calls)::integer as calls, sum(total_exec_time) as total, sum(total_plan_time) as planned,
       sum(wal_records)::float8 as records, sum(wal_bytes)::float8 as bytes
     from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database()) group by 1, 2`,
  )
  const after = await rowsOf(pool)
  const difference = (name: keyof Rows) => after[name] - before[name]
  return {
    statements: statements
      .filter(({ toplevel, records }) => toplevel && records > 0)
      .map((row) => ({ ...row, label: row.label.includes(CLAIM_OF_HARNESS) ? "claim" : statementLabel(row.label) })),
    planned: statements.reduce((sum, row) => sum + row.planned, 0),
    cpu: cpu.postgres ?? Number.NaN,
    wal,
    rows: {
      inserted: difference("inserted"),
      updated: difference("updated"),
      hot: difference("hot"),
      deleted: difference("deleted"),
    },
  }
}

async function walOf(sql: Sql): Promise<number> {
  const [row] = await sql<{ bytes: number }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes",
  )
  return row?.bytes ?? Number.NaN
}

/** `pool`: the one connection of the turns. */
interface Connections {
  sql: Sql
  pool: pg.Pool
}

interface Rows {
  inserted: number
  updated: number
  hot: number
  deleted: number
}

async function rowsOf(pool: pg.Pool): Promise<Rows> {
  // It comes to the views with the end of the statement.
  await pool.query("select pg_stat_force_next_flush()")
  const { rows } = await pool.query<Rows>(
    `select sum(n_tup_ins)::float8 as inserted, sum(n_tup_upd)::float8 as updated, sum(n_tup_hot_upd)::float8 as hot,
       sum(n_tup_del)::float8 as deleted from pg_stat_user_tables where schemaname = 'public'`,
  )
  const [row] = rows
  if (!row) throw new Error("A database has tables.")
  return row
}
