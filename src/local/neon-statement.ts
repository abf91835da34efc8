import type pg from "pg"

/** One query as the driver sends it. An array is sent as a PostgreSQL array literal, any other object as JSON. */
export interface Query {
  query: string
  params?: unknown[]
  arrayMode?: boolean
}

export interface StatementAnswer {
  fields: unknown[]
  /** The values as the text that the server sent. */
  rows: unknown[]
  command: string | null
  rowCount: number | null
  rowAsArray: boolean
}

type Value = string | null
type Done = (error: Error | null, answer: StatementAnswer) => void

/**
 * A statement in the extended protocol, for `client.query`. Like at Neon, it is unnamed, so the server plans it each
 * time. Values stay text. The query class of `pg` clones, maps and parses them, which takes twice the CPU time.
 */
export class Statement implements pg.Submittable {
  private readonly query: Query
  private readonly done: Done
  private readonly answer: StatementAnswer
  private readonly limit: number
  private names: string[] = []
  private bytes = 0

  /** If the values have more than `limit` bytes, the connection is closed before the statement is committed. */
  constructor(query: Query, { rowAsArray, limit }: { rowAsArray: boolean; limit: number }, done: Done) {
    this.query = query
    this.limit = limit
    this.done = done
    this.answer = { fields: [], rows: [], command: null, rowCount: null, rowAsArray }
  }

  submit(connection: pg.Connection): void {
    connection.stream.write(encode(this.query.query, this.query.params ?? []))
  }

  handleRowDescription({ fields }: { fields: { name: string }[] }): void {
    this.answer.fields = fields
    if (!this.answer.rowAsArray) this.names = fields.map(({ name }) => name)
  }

  handleDataRow({ fields, length }: { fields: Value[]; length: number }): void {
    const { names } = this
    this.bytes += length
    if (this.bytes > this.limit) return
    this.answer.rows.push(
      this.answer.rowAsArray ? fields : Object.fromEntries(fields.map((value, at) => [names[at], value])),
    )
  }

  /** "SELECT 1", "INSERT 0 1", "BEGIN". */
  handleCommandComplete({ text }: { text: string }, connection: pg.Connection): void {
    // The server commits a statement when it receives Sync, which has not been sent yet.
    if (this.bytes > this.limit) {
      this.done(new TooLarge(), this.answer)
      connection.stream.destroy()
      return
    }
    connection.sync()
    const [command = "", ...counts] = text.split(" ")
    this.answer.command = command
    const count = counts.at(-1)
    if (count !== undefined && /^\d+$/.test(count)) this.answer.rowCount = Number(count)
  }

  handleEmptyQuery(connection: pg.Connection): void {
    connection.sync()
  }

  handleCopyInResponse(connection: pg.Connection & { sendCopyFail(reason: string): void }): void {
    connection.sendCopyFail("there is nothing to copy from")
  }

  handleCopyData(): void {}

  handleError(error: Error, connection: pg.Connection): void {
    if (!connection.stream.writable) {
      this.done(error, this.answer)
      return
    }
    // The server reports an error before it releases the locks of the statement.
    const over = () => {
      connection.off("readyForQuery", over)
      connection.off("end", over)
      this.done(error, this.answer)
    }
    connection.on("readyForQuery", over)
    connection.on("end", over)
    connection.sync()
  }

  handleReadyForQuery(): void {
    this.done(null, this.answer)
  }
}

/** The answer has more bytes than the limit. The statement was rolled back. */
export class TooLarge extends Error {}

const NO_VALUE = 0xffffffff
/** Describe and Execute of the unnamed portal, then Flush. */
const REST = Buffer.from("D\0\0\0\x06P\0E\0\0\0\x09\0\0\0\0\0H\0\0\0\x04", "latin1")

/**
 * Encodes Parse, Bind and the rest as one buffer (PostgreSQL, "Message Formats"), without names and types, all as text.
 */
function encode(text: string, params: unknown[]): Buffer {
  const values = params.map(toText)
  const parse = 8 + Buffer.byteLength(text)
  const bind = 12 + values.reduce((sum, value) => sum + 4 + (value === null ? 0 : Buffer.byteLength(value)), 0)
  const out = Buffer.allocUnsafe(parse + bind + 2 + REST.length)
  let at = out.write("P", 0)
  at = out.writeUInt32BE(parse, at)
  at = out.writeUInt8(0, at)
  at += out.write(text, at)
  at += out.write("\0\0\0B", at)
  at = out.writeUInt32BE(bind, at)
  at += out.write("\0\0\0\0", at)
  at = out.writeUInt16BE(values.length, at)
  for (const value of values) {
    const length = value === null ? 0 : out.write(value, at + 4)
    out.writeUInt32BE(value === null ? NO_VALUE : length, at)
    at += 4 + length
  }
  at = out.writeUInt16BE(0, at)
  REST.copy(out, at)
  return out
}

function toText(value: unknown): Value {
  if (typeof value === "string") return value
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return `{${value.map(toElement).join(",")}}`
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

function toElement(value: unknown): string {
  if (value === null || value === undefined) return "NULL"
  const text = toText(value) ?? ""
  return Array.isArray(value) ? text : `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`
}
