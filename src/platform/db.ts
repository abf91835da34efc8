import { NeonDbError, neon, neonConfig, types } from "@neondatabase/serverless"
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely"
import { TurnpikeError } from "../errors.ts"
import type { DB } from "./db-types.ts"
import type { Meter } from "./meter.ts"

export type Database = Kysely<DB>

const INT8 = 20

/** A statement that has no answer by then counts as lost, long before a lease ends. */
const STATEMENT_MS = 25_000

/** int8 as a number: amounts are micros, far below 2^53; anything above is a defect and must not be rounded. */
function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`int8 out of range: ${text}`)
  return value
}

const parsers = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === INT8 ? parseInt8 : types.getTypeParser(oid, format as "text")) as typeof types.getTypeParser,
}

/** Kysely over Neon's HTTP endpoint: one statement, one round trip, one transaction. */
export function createDatabase(env: { DATABASE_URL: string; DATABASE_HTTP_URL?: string | undefined }, meter: Meter) {
  if (env.DATABASE_HTTP_URL) neonConfig.fetchEndpoint = env.DATABASE_HTTP_URL
  const query = neon(env.DATABASE_URL)
  // The parsers must come with each query: the options of neon() itself do not take them.
  const options = () => ({
    fullResults: true as const,
    types: parsers,
    fetchOptions: { signal: AbortSignal.timeout(STATEMENT_MS) },
  })
  const connection: DatabaseConnection = {
    async executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
      const result = await meter.measure("pg", () =>
        query.query(compiled.sql, compiled.parameters as unknown[], options()).catch(rethrow),
      )
      return { rows: result.rows as R[], numAffectedRows: BigInt(result.rowCount ?? 0) }
    },
    // biome-ignore lint/correctness/useYield: there are no cursors over HTTP
    async *streamQuery() {
      throw new Error("Neon over HTTP cannot stream")
    },
  }
  const refuse = async () => {
    throw new Error("Neon over HTTP has no interactive transactions: write one statement")
  }
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: async () => {},
  }
  return new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

/** SQLSTATE classes that mean "not now": connection, resources, operator intervention, serialization, deadlock. */
const TRANSIENT = /^(08|53|57|58|40)/

function rethrow(error: unknown): never {
  if (error instanceof NeonDbError && error.code && !TRANSIENT.test(error.code)) throw error
  throw new TurnpikeError("UNAVAILABLE", "The database does not answer. Retry the same request shortly.", {
    retryAfter: 1,
    cause: error,
  })
}

/** Whether `error` is a violation (23505, 23514, …) of the named constraint or index. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof NeonDbError && error.constraint === constraint
}
