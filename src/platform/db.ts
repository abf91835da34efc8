import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryExecutorProvider,
  type QueryResult,
} from "kysely"
import { TurnpikeError } from "../errors.ts"
import type { Meter } from "./meter.ts"
import { DatabaseError, neonEndpoint, queryNeon } from "./neon.ts"

/** What an sql`…` statement is executed with. Only that part of Kysely: its builders would be a fifth of the smallest worker. */
export type Database = QueryExecutorProvider

/** A statement that has no answer by then counts as lost, long before a lease ends. */
const STATEMENT_MS = 25_000

/** Kysely over Neon's HTTP endpoint: one statement, one round trip, one transaction. */
export function createDatabase(
  env: { DATABASE_URL: string; DATABASE_HTTP_URL?: string | undefined },
  meter: Meter,
): Database {
  const place = {
    endpoint: env.DATABASE_HTTP_URL ?? neonEndpoint(env.DATABASE_URL),
    connectionString: env.DATABASE_URL,
  }
  return databaseOver(async ({ sql, parameters }) => {
    // Not AbortSignal.timeout: its timer would stay for all that time behind every statement.
    const over = new AbortController()
    const timer = setTimeout(() => over.abort(new Error("the statement took too long")), STATEMENT_MS)
    const statement = { query: sql, params: parameters, signal: over.signal }
    try {
      const { rows, rowCount } = await meter.measure("pg", () => queryNeon(place, statement).catch(rethrow))
      return { rows, numAffectedRows: BigInt(rowCount) }
    } finally {
      clearTimeout(timer)
    }
  })
}

/** Kysely over whatever runs one statement. */
export function databaseOver(run: (query: CompiledQuery) => Promise<QueryResult<unknown>>): Database {
  const connection: DatabaseConnection = {
    executeQuery: <R>(query: CompiledQuery) => run(query) as Promise<QueryResult<R>>,
    // biome-ignore lint/correctness/useYield: there are no cursors
    async *streamQuery() {
      throw new Error("a statement cannot be streamed")
    },
  }
  const executor = new DefaultQueryExecutor(new PostgresQueryCompiler(), new PostgresAdapter(), {
    provideConnection: (work) => work(connection),
  })
  return { getExecutor: () => executor }
}

/** SQLSTATE classes that mean "not now": connection, resources, operator intervention, serialization, deadlock. */
const TRANSIENT = /^(08|53|57|58|40)/

function rethrow(error: unknown): never {
  if (error instanceof DatabaseError && !TRANSIENT.test(error.code)) throw error
  throw new TurnpikeError("UNAVAILABLE", "The database does not answer. Retry the same request shortly.", {
    retryAfter: 1,
    cause: error,
  })
}

/** Whether `error` is a violation (23505, 23514, …) of the named constraint or index. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof DatabaseError && error.constraint === constraint
}
