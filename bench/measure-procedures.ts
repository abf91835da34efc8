import { statementLabel } from "../src/local/statement-label.ts"
import { timeTurns } from "./measure-turns.ts"
import type { Options } from "./options.ts"
import { createSite, type Site, type Sql } from "./site.ts"
import type { Question, StatementTimes } from "./stand-ins-process.ts"
import { round } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

/** Server settings for pg_stat_statements. Without them only the database's own times of statements are missing. */
export const STATEMENT_STATISTICS = {
  shared_preload_libraries: "pg_stat_statements",
  "pg_stat_statements.track_planning": "on",
}
const SETTINGS = { track_functions: "all" }
const MOST = 20

interface Spent {
  label: string
  calls: number
  total: number
}

/**
 * Measures the statements and functions of plain turns, the most expensive first. `p50` and `p99` are times in the
 * stand-in until the rows arrive, including waits for a core or a lock. `database` and `planning` are means by
 * PostgreSQL's own clock.
 */
export async function measureProcedures(world: BenchWorld, options: Options) {
  const site = await createSite(world, "procedures", { runs: true, accounts: 16, settings: SETTINGS, timed: true })
  const hasStatistics = await prepareStatistics(site)
  const question: Question = { ask: "statements" }
  await world.standIns.ask(question)
  const { finished } = await timeTurns(world, site, options)
  const statements = await world.standIns.ask<StatementTimes[]>(question)
  const spent = hasStatistics ? await readStatements(site) : []
  const meanOf = (label: string, column: "total" | "planned") => {
    const own = spent.filter((one) => one.label === label)
    const calls = own.reduce((sum, one) => sum + one.calls, 0)
    return calls === 0 ? null : round(own.reduce((sum, one) => sum + one[column], 0) / calls, 3)
  }
  return {
    turns: finished,
    statements: statements
      .sort((a, b) => b.mean * b.calls - a.mean * a.calls)
      .slice(0, MOST)
      .map(({ label, calls, mean, p50, p99 }) => ({
        label,
        calls,
        mean: round(mean),
        p50,
        p99,
        ...(hasStatistics && { database: meanOf(label, "total"), planning: meanOf(label, "planned") }),
      })),
    functions: (await readFunctions(site))
      .slice(0, MOST)
      .map(({ label, calls, total }) => ({ label, calls, mean: round(total / calls, 3) })),
  }
}

export async function prepareStatistics({ sql }: Pick<Site, "sql">): Promise<boolean> {
  try {
    await sql("create extension pg_stat_statements")
    await resetStatements(sql)
    return true
  } catch {
    // The server of DATABASE_URL may not have loaded the extension.
    return false
  }
}

/** Only those of this database, because others may share the server. */
export const resetStatements = (sql: Sql) =>
  sql("select pg_stat_statements_reset(dbid => (select oid from pg_database where datname = current_database()))")

export async function readStatements({ sql }: Site): Promise<(Spent & { planned: number })[]> {
  const rows = await sql<Spent & { planned: number }>(
    `select query as label, calls::integer, total_exec_time as total, total_plan_time as planned
     from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())`,
  )
  return rows.map((row) => ({ ...row, label: statementLabel(row.label) }))
}

/** Reads the statistics of functions. The time of a function includes the functions that it calls. */
async function readFunctions({ sql }: Site): Promise<Spent[]> {
  return sql<Spent>(
    `select funcname as label, sum(calls)::integer as calls, sum(total_time)::float as total
     from pg_stat_user_functions where funcname not like 'pg\\_stat%' group by funcname order by sum(total_time) desc`,
  )
}
