/** A statement that PostgreSQL refused: its SQLSTATE and, where a constraint did it, that constraint. */
export class DatabaseError extends Error {
  readonly code: string
  readonly constraint: string | undefined

  constructor(answer: { message?: string; code?: string | null; constraint?: string | null }) {
    super(answer.message ?? "the database refused the statement")
    this.name = "DatabaseError"
    this.code = answer.code ?? ""
    this.constraint = answer.constraint ?? undefined
  }
}

interface Answer {
  fields: { name: string; dataTypeID: number }[]
  rows: (string | null)[][]
  rowCount: number | null
}

export interface QueryAnswer {
  rows: Record<string, unknown>[]
  rowCount: number
}

/**
 * One statement over Neon's HTTP endpoint, as its driver sends it (@neondatabase/serverless 1.2, `neon()`). Not that driver
 * itself: it comes as one file of 146 KB, of which this is the only part that a worker uses. Throws DatabaseError, or
 * whatever fetch throws; any other answer is an Error.
 */
export async function queryNeon(
  { endpoint, connectionString }: { endpoint: string; connectionString: string },
  { query, params, signal }: { query: string; params: readonly unknown[]; signal: AbortSignal },
): Promise<QueryAnswer> {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: {
      "neon-connection-string": connectionString,
      "neon-raw-text-output": "true",
      "neon-array-mode": "true",
    },
    body: JSON.stringify({ query, params: params.map(toText) }),
    signal,
  })
  if (response.status === 400) throw new DatabaseError(await response.json())
  if (!response.ok) throw new Error(`HTTP ${response.status} ${(await response.text()).slice(0, 300)}`)
  const { fields, rows, rowCount } = (await response.json()) as Answer
  const columns = fields.map(({ name, dataTypeID }) => ({ name, parse: PARSERS[dataTypeID] }))
  const read = (row: (string | null)[]) =>
    Object.fromEntries(columns.map(({ name, parse }, at) => [name, value(row[at] ?? null, parse)]))
  return { rows: rows.map(read), rowCount: rowCount ?? 0 }
}

/** Neon's endpoint of a connection string: `https://api.<rest of the host>/sql`. */
export function neonEndpoint(connectionString: string): string {
  return `https://${new URL(connectionString).hostname.replace(/^[^.]+\./, "api.")}/sql`
}

const value = (text: string | null, parse: ((text: string) => unknown) | undefined) =>
  text === null || parse === undefined ? text : parse(text)

/** Parameters travel as text. */
function toText(param: unknown): string | null {
  if (param === null || param === undefined) return null
  if (typeof param === "string") return param
  if (typeof param === "number" || typeof param === "bigint" || typeof param === "boolean") return String(param)
  if (param instanceof Date) return param.toISOString()
  throw new TypeError(`A parameter cannot be a ${typeof param}: write JSON`)
}

/** int8 as a number: amounts are micros, far below 2^53; anything above is a defect and must not be rounded. */
function parseInt8(text: string): number {
  const parsed = Number(text)
  if (!Number.isSafeInteger(parsed)) throw new Error(`int8 out of range: ${text}`)
  return parsed
}

/** By the OID of PostgreSQL's type (pg_type.dat); every other type stays text. */
const PARSERS: Record<number, (text: string) => unknown> = {
  16: (text) => text === "t",
  20: parseInt8,
  21: Number,
  23: Number,
  700: Number,
  701: Number,
  114: JSON.parse,
  3802: JSON.parse,
  // timestamptz, as `2026-11-20 12:00:00.123+00`: sessions are in UTC
  1184: (text) => new Date(text.replace(" ", "T").replace(/\+00$/, "Z")),
}
