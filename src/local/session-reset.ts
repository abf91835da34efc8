import type pg from "pg"

/** What Neon's proxy does between two requests on one connection: plans of procedures stay, everything else of a session goes. */
const RESET =
  "CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; DEALLOCATE ALL; UNLISTEN *; DISCARD TEMP; SELECT pg_advisory_unlock_all()\0"

/** Makes a session as it was when it began, for `client.query`. `isOpen`: a transaction may be open; the server warns when none is. */
export class SessionReset implements pg.Submittable {
  private readonly isOpen: boolean
  private done: (error?: Error) => void

  constructor(isOpen: boolean, done: (error?: Error) => void) {
    this.isOpen = isOpen
    this.done = (error) => {
      this.done = () => {}
      done(error)
    }
  }

  submit(connection: pg.Connection): void {
    const text = Buffer.from(this.isOpen ? `ROLLBACK; ${RESET}` : RESET)
    const head = Buffer.from("Q\0\0\0\0", "latin1")
    head.writeUInt32BE(4 + text.length, 1)
    connection.stream.write(Buffer.concat([head, text]))
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.done(error)
  }

  handleReadyForQuery(): void {
    this.done()
  }
}

/** What stands before a bracket and leaves nothing in a session. A name that is missing here only costs a reset. */
const HARMLESS = new Set(
  `and any array_agg as cast coalesce count exists extract filter from greatest in join json_agg jsonb_agg
  jsonb_build_object jsonb_object_agg lateral least lower materialized max min not nullif numeric on or over
  pg_backend_pid row_number select sum to_json to_jsonb unnest values when where`.split(/\s+/),
)
const OURS = /^"?turnpike_[0-9a-f]{12}"?\."?\w+"?$/
const CALLED = /([\w".$]+)\s*\(/g
/** The columns of an insert. */
const COLUMNS = /\binsert\s+into\s+[\w"]+\s*\(/gi
const PLAIN = /^\s*(select|with|insert|update|delete)\b/i
const HIDDEN = /--|\/\*|\btemp|pg_temp|'/i
const KNOWN = 2_000

const known = new Map<string, boolean>()

/**
 * Whether a statement leaves nothing in its session: it calls our procedures (test/structure/sessions.test.ts) and what is harmless,
 * and nothing else. Most do, and a reset costs the server more than some of them.
 */
export function leavesNothing(text: string): boolean {
  const found = known.get(text)
  if (found !== undefined) return found
  const answer =
    PLAIN.test(text) &&
    !HIDDEN.test(text) &&
    [...text.replace(COLUMNS, "").matchAll(CALLED)].every(([, name]) => isHarmless(name ?? ""))
  if (known.size >= KNOWN) known.clear()
  known.set(text, answer)
  return answer
}

const isHarmless = (name: string) => HARMLESS.has(name.toLowerCase()) || OURS.test(name)

/** Whether a transaction may be open behind this statement, which began none before. */
export const begins = (text: string): boolean => /^\s*(begin|start)\b/i.test(text)
