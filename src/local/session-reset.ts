import type pg from "pg"

/**
 * Like Neon's proxy between two requests on one connection: it keeps cached plans of procedures and discards all else.
 */
const RESET =
  "CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; DEALLOCATE ALL; UNLISTEN *; DISCARD TEMP; SELECT pg_advisory_unlock_all()\0"

/** Resets a session, for `client.query`. `isOpen`: a transaction may be open. Without one, ROLLBACK makes a warning. */
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

/** Words before a parenthesis that change no session state. A missing name only causes a needless reset. */
const HARMLESS = new Set(
  `and any array_agg as cast coalesce count current_setting exists extract filter folded from greatest in join json_agg jsonb_agg
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
 * True if a statement changes no session state, because it calls only harmless functions and our procedures
 * (test/structure/sessions.test.ts). This is true for most, and a reset costs more than some of them.
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

/** True if this statement may open a transaction. */
export const begins = (text: string): boolean => /^\s*(begin|start)\b/i.test(text)
