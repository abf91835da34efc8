import pg from "pg"
import { type Query, Statement, type StatementAnswer } from "./neon-statement.ts"
import { type Answer, jsonAnswer, type Service } from "./service.ts"

const LIMIT = 10 * 1024 * 1024
const ISOLATION: Record<string, string> = {
  ReadUncommitted: "read uncommitted",
  ReadCommitted: "read committed",
  RepeatableRead: "repeatable read",
  Serializable: "serializable",
}

/** Called with each successful statement and the ms from its arrival until its rows were here. */
export type OnStatement = (text: string, ms: number) => void

interface NeonOptions {
  databaseUrl: string
  advertisedUrl: string
  onStatement?: OnStatement | undefined
}

/** Neon's HTTP endpoint (`POST /sql`) over a pool of direct connections to a real server. */
export function createNeon({ databaseUrl, advertisedUrl, onStatement }: NeonOptions) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 24, idleTimeoutMillis: 30_000 })
  // An idle connection that the server ends is replaced at its next use; one in use has told its statement.
  pool.on("error", () => {})
  pool.on("connect", (client) => client.on("error", () => {}))
  const isKnown = createCredentialsCheck(new URL(advertisedUrl))

  const service: Service = async (call) => {
    if (call.method !== "POST" || call.path !== "/sql") return { status: 404 }
    if (call.body.length > LIMIT) return jsonAnswer(413, { message: "request is too large" })
    const given = call.headers["neon-connection-string"] ?? ""
    if (!isKnown(given)) return unknownUser(given)
    const options = { rowAsArray: call.headers["neon-array-mode"] === "true", onStatement }
    try {
      const body = JSON.parse(call.body.toString()) as Query & { queries?: Query[] }
      const value = body.queries
        ? { results: await runBatch(pool, body.queries, call.headers, options) }
        : await runAlone(pool, body, options)
      const text = JSON.stringify(value)
      if (text.length > LIMIT) return jsonAnswer(507, { message: "response is too large" })
      return { status: 200, headers: { "content-type": "application/json", ...echoed(call.headers) }, body: text }
    } catch (error) {
      return toNeonError(error)
    }
  }
  return { service, close: () => pool.end() }
}

export function neonLabel(call: { body: Buffer }): string {
  const body = JSON.parse(call.body.toString()) as Query & { queries?: Query[] }
  return body.queries ? `batch(${body.queries.length})` : body.query.replace(/\s+/g, " ").trim()
}

/** Each spelling of a connection string is parsed until it is found to be right. */
function createCredentialsCheck(expected: URL): (given: string) => boolean {
  const right = new Set<string>()
  return (given) => {
    if (right.has(given)) return true
    const url = URL.canParse(given) ? new URL(given) : null
    const isRight =
      url?.username === expected.username && url.password === expected.password && url.pathname === expected.pathname
    if (isRight) right.add(given)
    return isRight
  }
}

function unknownUser(given: string): Answer {
  const user = URL.canParse(given) ? new URL(given).username : ""
  return jsonAnswer(400, { message: `password authentication failed for user '${user}'`, code: "28P01" })
}

interface RunOptions {
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
    client.query(new Statement(query, query.arrayMode ?? rowAsArray, done))
  })
}

/** On any connection of the pool, which keeps it unless the connection itself is lost. */
async function runAlone(pool: pg.Pool, query: Query, options: RunOptions): Promise<StatementAnswer> {
  const client = await pool.connect()
  try {
    const answer = await run(client, query, options)
    client.release()
    return answer
  } catch (error) {
    client.release(!(error instanceof pg.DatabaseError && error.severity === "ERROR"))
    throw error
  }
}

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
    const results = []
    for (const query of queries) results.push(await run(client, query, options))
    await client.query("commit")
    client.release()
    return results
  } catch (error) {
    await client.query("rollback").then(
      () => client.release(),
      () => client.release(true),
    )
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
  ...[
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
  ],
  ...["schema", "dataType", "constraint", "file", "line", "routine"],
] as const

function toNeonError(error: unknown): Answer {
  if (error instanceof pg.DatabaseError) {
    const fields = Object.fromEntries(ERROR_FIELDS.map((name) => [name, (error as never)[name] ?? null]))
    return jsonAnswer(400, { message: error.message, ...fields })
  }
  if (error instanceof SyntaxError) return jsonAnswer(400, { message: error.message, code: null })
  return jsonAnswer(500, { message: error instanceof Error ? error.message : String(error) })
}
