import { type NeonDbError, neon, neonConfig } from "@neondatabase/serverless"
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely"
import { TurnpikeError } from "../base/errors.ts"
import type { DB } from "./db-types.ts"
import type { Meter } from "./meter.ts"
import { type ArgumentsOf, PROCEDURES, type ProcedureName, type Procedures, RELEASE } from "./procedures.ts"
import { type EncodedField, encodeField, readFields } from "./records.ts"
import { parseDay, parseTimestamp } from "./session-settings.ts"
import { TIME_LIMITS } from "./time-limits.ts"

/** Kysely's typed builder over our tables, for queries that are not procedures. Procedures are called with `call`. */
export interface Database extends Kysely<DB> {
  /** Sends one statement without the builder. */
  readonly run: RunStatement
}

type RunStatement = (statement: { sql: string; parameters: readonly unknown[] }) => Promise<QueryResult<unknown>>

/** A statement that PostgreSQL rejected: its SQLSTATE, and the violated constraint, if any. */
export class DatabaseError extends Error {
  readonly code: string
  readonly constraint: string | undefined

  constructor(answer: { message?: string; code?: string | null | undefined; constraint?: string | null | undefined }) {
    super(answer.message ?? "the database refused the statement")
    this.name = "DatabaseError"
    this.code = answer.code ?? ""
    this.constraint = answer.constraint ?? undefined
  }
}

/**
 * HTTP endpoints of databases, by host and path, if they differ from Neon's default. The driver accepts
 * only one endpoint for all databases and rewrites connection strings, so each spelling is parsed once.
 */
const endpoints = new Map<string, string>()
const endpointOf = new Map<string, string | null>()
neonConfig.fetchFunction = (address: string, init: RequestInit & { headers: Record<string, string> }) => {
  const given = init.headers["Neon-Connection-String"] ?? ""
  let endpoint = endpointOf.get(given)
  if (endpoint === undefined) {
    endpoint = endpoints.get(hostAndPath(given)) ?? null
    endpointOf.set(given, endpoint)
  }
  return fetch(endpoint ?? address, init)
}

function hostAndPath(connectionString: string): string {
  const { host, pathname } = new URL(connectionString)
  return host + pathname
}

/** Parses int8 as a number. Amounts are micros, far below 2^53; a larger value is a defect and must not be rounded. */
function parseInt8(text: string): number {
  const parsed = Number(text)
  if (!Number.isSafeInteger(parsed)) throw new Error(`int8 out of range: ${text}`)
  return parsed
}

const asText = (text: string) => text

/** Parsers of column values, by the OID of the PostgreSQL type (pg_type.dat). Other types stay text. */
const PARSERS: Record<number, (text: string) => unknown> = {
  16: (text) => text === "t",
  20: parseInt8,
  21: Number,
  23: Number,
  700: Number,
  701: Number,
  114: JSON.parse,
  3802: JSON.parse,
  1082: parseDay,
  1184: parseTimestamp,
}

const parserOf = (oid: number): ((text: string) => unknown) => PARSERS[oid] ?? asText

const types = { getTypeParser: parserOf }

/**
 * A database over Neon's HTTP endpoint: one statement is one round trip and one transaction.
 * Translates the driver's errors.
 */
export function createDatabase(
  env: { DATABASE_URL: string; DATABASE_HTTP_URL?: string | undefined },
  meter: Meter,
): Database {
  const query = queryOf(env)
  return databaseOver((statement) => meter.measure("pg", () => query(statement)))
}

const queries = new Map<string, RunStatement>()

/** The driver's query function for a database, shared by all requests. */
function queryOf({
  DATABASE_URL: url,
  DATABASE_HTTP_URL: endpoint,
}: Parameters<typeof createDatabase>[0]): RunStatement {
  const key = `${url} ${endpoint ?? ""}`
  const known = queries.get(key)
  if (known) return known
  if (endpoint) endpoints.set(hostAndPath(url), endpoint)
  const sql = neon(url, { fullResults: true, disableWarningInBrowsers: true })
  const run: RunStatement = async ({ sql: text, parameters }) => {
    // Not AbortSignal.timeout, whose timer would keep running after each statement.
    const over = new AbortController()
    const timer = setTimeout(() => over.abort(new Error("the statement took too long")), TIME_LIMITS.statementMs)
    try {
      const { rows, rowCount } = await sql.query(text, parameters as unknown[], {
        fetchOptions: { signal: over.signal },
        types,
      })
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
    } catch (error) {
      // A value that cannot be read is no failure of the connection.
      throw error instanceof TurnpikeError ? error : translated(error as NeonDbError)
    } finally {
      clearTimeout(timer)
    }
  }
  queries.set(key, run)
  return run
}

/** Kysely over a function that runs one statement. */
export function databaseOver(run: RunStatement): Database {
  const connection: DatabaseConnection = {
    executeQuery: <R>(query: CompiledQuery) => run(query) as Promise<QueryResult<R>>,
    // biome-ignore lint/correctness/useYield: there are no cursors
    async *streamQuery() {
      throw new Error("a statement cannot be streamed")
    },
  }
  const noTransactions = async () => {
    throw new Error("a transaction is one statement: write a procedure")
  }
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => connection,
      beginTransaction: noTransactions,
      commitTransaction: noTransactions,
      rollbackTransaction: noTransactions,
      releaseConnection: async () => {},
      destroy: async () => {},
    }),
  }
  return Object.assign(new Kysely<DB>({ dialect }), { run })
}

/**
 * Calls a procedure of this worker's release, in one statement and one transaction. `Row` narrows
 * its columns. A deadlock is retried once, since the statement was rolled back.
 */
export async function call<Name extends ProcedureName, Row extends Procedures[Name]["row"] = Procedures[Name]["row"]>(
  db: Database,
  name: Name,
  args: ArgumentsOf<Name>,
): Promise<Row[]> {
  const statement = callOf(name, args)
  const { rows } = await db.run(statement).catch((error: unknown) => {
    if (!isDeadlock(error)) throw error
    return db.run(statement)
  })
  return rows as Row[]
}

/** The statement and parameters of a call. */
export function callOf<Name extends ProcedureName>(
  name: Name,
  args: ArgumentsOf<Name>,
): { sql: string; parameters: unknown[] } {
  const { text, fields } = statementOf(name)
  return { sql: text, parameters: fields.map((field) => encodeField(field, args as Record<string, unknown>)) }
}

/** Like `call`, for a procedure that always returns one row. */
export async function callOne<
  Name extends ProcedureName,
  Row extends Procedures[Name]["row"] = Procedures[Name]["row"],
>(db: Database, name: Name, args: ArgumentsOf<Name>): Promise<Row> {
  const [row] = await call<Name, Row>(db, name, args)
  if (!row) throw new Error(`${name} has answered nothing`)
  return row
}

/** The qualified name of a function or aggregate of this release, for the builder: `fn(released("key_caps"), […])`. */
export const released = (name: ProcedureName | "added") => `${RELEASE}.${name}`

interface Statement {
  text: string
  fields: EncodedField[]
}

const statements = new Map<string, Statement>()

function statementOf(name: ProcedureName): Statement {
  const known = statements.get(name)
  if (known) return known
  const { args, columns } = PROCEDURES[name]
  const call = `${RELEASE}.${name}(${args.map((_, at) => `$${at + 1}`).join(", ")})`
  const statement = { text: selectOf(call, columns), fields: readFields(args) }
  statements.set(name, statement)
  return statement
}

/** `columns` of composite types, and lists, are returned as JSON. */
function selectOf(call: string, columns: readonly string[] | undefined): string {
  if (!columns) return `select * from ${call}`
  const [only = ""] = columns
  // In `from`, a value of a composite type would be expanded to its columns, and null to a row of nulls.
  if (columns.length === 1) return `select to_json(${call}) as ${only.replace(":json", "")}`
  const selected = readFields(columns).map(({ name, how }) => (how ? `to_json(r.${name}) as ${name}` : `r.${name}`))
  return `select ${selected.join(", ")} from ${call} r`
}

/**
 * SQLSTATEs of temporary errors: connection, resources, operator intervention, system,
 * serialization, deadlock, lock timeout, and the internal error of concurrently changed rows. An
 * empty code: the proxy could not reach the database.
 */
const TRANSIENT = /^(08|53|57|58|40|55P03|XX000|$)/

/** Errors of a wrong DATABASE_URL, where waiting does not help. Neon's proxy reports them without a SQLSTATE. */
const NOT_LET_IN = /password authentication failed|role "?[^"]*"? does not exist|endpoint could not be found/

function translated(error: Partial<NeonDbError> & Error): Error {
  if ((!error.code || /^28/.test(error.code)) && NOT_LET_IN.test(error.message)) {
    const message = "This worker cannot use what is set as DATABASE_URL: the database does not let it in."
    return new TurnpikeError("INTERNAL", message, { retryable: false, cause: error })
  }
  const refused = error.code !== undefined || error.severity !== undefined
  const own = new DatabaseError({ message: error.message, code: error.code, constraint: error.constraint })
  if (refused && !TRANSIENT.test(own.code)) return own
  return new TurnpikeError(
    "UNAVAILABLE",
    "The database does not answer. Nothing is lost. Retry the same request shortly.",
    {
      retryAfter: 1,
      cause: refused ? own : error,
    },
  )
}

function isDeadlock(error: unknown): boolean {
  const cause = error instanceof TurnpikeError ? error.cause : error
  return cause instanceof DatabaseError && cause.code === "40P01"
}
