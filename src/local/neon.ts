import pg from "pg"
import type { AskingPool, Connections } from "./connections.ts"
import { type Query, Statement, type StatementAnswer, TooLarge } from "./neon-statement.ts"
import { type Answer, jsonAnswer, type Service } from "./service.ts"
import { begins, leavesNothing, SessionReset } from "./session-reset.ts"
import { statementLabel } from "./statement-label.ts"

const LIMIT = 10 * 1024 * 1024
const ISOLATION: Record<string, string> = {
  ReadUncommitted: "read uncommitted",
  ReadCommitted: "read committed",
  RepeatableRead: "repeatable read",
  Serializable: "serializable",
}

/** Called with each successful statement and the ms from its arrival until its rows were received. */
export type OnStatement = (text: string, ms: number) => void

interface NeonOptions {
  /** The connections of each role. */
  connections: Connections
  onStatement?: OnStatement | undefined
}

/**
 * Neon's HTTP endpoint (`POST /sql`) over direct connections to a real server. Like Neon's proxy, it closes a
 * connection after any error of its statement. The next statement may get a new connection, which plans every
 * procedure again.
 */
export function createNeon({ connections, onStatement }: NeonOptions): Service {
  const poolOf = createCredentialsCheck(connections.pools)

  return async (call) => {
    if (call.method !== "POST" || call.path !== "/sql") return { status: 404 }
    if (call.body.length > LIMIT) return jsonAnswer(413, { message: "request is too large" })
    const given = call.headers["neon-connection-string"] ?? ""
    const pool = poolOf(given)
    if (!pool) return unknownUser(given)
    const options = { connections, rowAsArray: call.headers["neon-array-mode"] === "true", onStatement }
    try {
      const body = JSON.parse(call.body.toString()) as Query & { queries?: Query[] }
      const value = body.queries
        ? { results: await runBatch(pool, body.queries, call.headers, options) }
        : await runAlone(pool, body, options)
      return {
        status: 200,
        headers: { "content-type": "application/json", ...echoed(call.headers) },
        body: JSON.stringify(value),
      }
    } catch (error) {
      return toNeonError(error)
    }
  }
}

export function neonLabel(call: { body: Buffer }): string {
  const body = JSON.parse(call.body.toString()) as Query & { queries?: Query[] }
  return body.queries ? `batch(${body.queries.length})` : body.query.replace(/\s+/g, " ").trim()
}

/** Parses each connection string once, and remembers it if its credentials are right. */
function createCredentialsCheck(known: AskingPool[]): (given: string) => pg.Pool | undefined {
  const right = new Map<string, pg.Pool>()
  return (given) => {
    const found = right.get(given)
    if (found) return found
    const { username, password, pathname } = URL.parse(given) ?? new URL("postgres://nobody")
    const fits = known.find(
      ({ url }) => url.username === username && url.password === password && url.pathname === pathname,
    )
    if (fits) right.set(given, fits.pool)
    return fits?.pool
  }
}

/** Neon's proxy refuses it before there is a session, so no field is PostgreSQL's: texts are empty, all others null. */
function unknownUser(given: string): Answer {
  const message = `password authentication failed for user '${URL.parse(given)?.username ?? ""}'`
  const fields = Object.fromEntries(ERROR_FIELDS.map((name) => [name, null]))
  return jsonAnswer(400, { message, ...fields, code: "", severity: "" })
}

interface RunOptions {
  connections: Connections
  /** For queries that do not say it themselves. */
  rowAsArray: boolean
  onStatement: OnStatement | undefined
}

function run(client: pg.PoolClient, query: Query, { rowAsArray, onStatement }: RunOptions): Promise<StatementAnswer> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    const done = (error: Error | null, answer: StatementAnswer) => {
      if (error) return reject(error)
      onStatement?.(query.query, performance.now() - began)
      resolve(answer)
    }
    client.query(new Statement(query, { rowAsArray: query.arrayMode ?? rowAsArray, limit: LIMIT }, done))
  })
}

/** On any connection of the pool, which is closed if the statement fails. */
async function runAlone(pool: pg.Pool, query: Query, options: RunOptions): Promise<StatementAnswer> {
  const client = await pool.connect()
  try {
    const answer = await run(client, query, options)
    giveBack(pool, client, [query], options)
    return answer
  } catch (error) {
    drop(client, [query], options, error)
    throw error
  }
}

/** Resets the session after the response was sent. `isOpen`: the transaction was not ended. */
function giveBack(
  pool: pg.Pool,
  client: pg.PoolClient,
  queries: Query[],
  { connections }: RunOptions,
  isOpen = false,
): void {
  const texts = queries.map(({ query }) => query)
  const done = (failed?: Error) => {
    if (failed) connections.drop(client, "broken", "reset")
    else connections.giveBack(pool, client)
  }
  if (!isOpen && texts.every(leavesNothing)) done()
  else client.query(new SessionReset(isOpen || texts.some(begins), done))
}

function drop(client: pg.PoolClient, queries: Query[], { connections }: RunOptions, error: unknown): void {
  const code = error instanceof pg.DatabaseError ? error.code : undefined
  connections.drop(client, code ?? "broken", statementLabel(queries[0]?.query ?? ""))
}

/** A batch that fails is rolled back, and its connection stays. */
async function runBatch(
  pool: pg.Pool,
  queries: Query[],
  headers: Record<string, string | undefined>,
  options: RunOptions,
) {
  const isolation = ISOLATION[headers["neon-batch-isolation-level"] ?? ""]
  const modes = [
    isolation && `isolation level ${isolation}`,
    headers["neon-batch-read-only"] === "true" && "read only",
    headers["neon-batch-deferrable"] === "true" && "deferrable",
  ].filter(Boolean)
  const client = await pool.connect()
  try {
    await client.query(`begin ${modes.join(", ")}`)
    const results: StatementAnswer[] = []
    let size = 0
    for (const query of queries) {
      const answer = await run(client, query, options)
      size += JSON.stringify(answer.rows).length
      if (size > LIMIT) throw new TooLarge()
      results.push(answer)
    }
    await client.query("commit")
    giveBack(pool, client, queries, options)
    return results
  } catch (error) {
    const isAlive = error instanceof pg.DatabaseError && error.severity === "ERROR"
    if (isAlive) giveBack(pool, client, queries, options, true)
    else drop(client, queries, options, error)
    throw error
  }
}

function echoed(headers: Record<string, string | undefined>): Record<string, string> {
  const names = ["neon-batch-isolation-level", "neon-batch-read-only", "neon-batch-deferrable"]
  const out: Record<string, string> = { "access-control-allow-origin": "*" }
  for (const name of names) if (headers[name] !== undefined) out[name] = headers[name]
  return out
}

const ERROR_FIELDS = [
  "code",
  "detail",
  "hint",
  "position",
  "internalPosition",
  "internalQuery",
  "severity",
  "where",
  "table",
  "column",
  "schema",
  "dataType",
  "constraint",
  "file",
  "line",
  "routine",
] as const

function toNeonError(error: unknown): Answer {
  if (error instanceof TooLarge) return jsonAnswer(507, { message: "response is too large" })
  if (error instanceof pg.DatabaseError) {
    const fields = Object.fromEntries(ERROR_FIELDS.map((name) => [name, (error as never)[name] ?? null]))
    return jsonAnswer(400, { message: error.message, ...fields })
  }
  if (error instanceof SyntaxError) return jsonAnswer(400, { message: error.message, code: null })
  return jsonAnswer(500, { message: error instanceof Error ? error.message : String(error) })
}
