import { createHash } from "node:crypto"
import { ID_DIGITS } from "./ids.ts"

/** A trace that a caller began, as a turn stores it: valid headers of W3C Trace Context. */
export interface SentTrace {
  traceparent: string
  tracestate: string | null
}

/** The columns of a turn that decide its trace. Null: the caller sent no trace. */
export interface TracedRow {
  turn_id: string
  traceparent: string | null
  tracestate: string | null
}

/** The trace of a turn. */
interface TurnTraceContext {
  traceId: string
  /** The caller's span; null: the turn began the trace. */
  parentSpanId: string | null
  isSampled: boolean
  tracestate: string | null
}

export type TraceHeaders = { traceparent: string; tracestate?: string }

/** The parts of a turn that have a span, besides the turn itself. */
export type SpanPart = "turn" | `agent ${string}` | `chat ${number}` | `tool ${string}` | `delivery ${string}`

/** A later version may add fields after the flags. Version ff, and ids of zeros only, are invalid. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1

/**
 * Reads the headers of a request (W3C Trace Context, section 4.3). Null without a valid traceparent: the service then
 * begins a new trace and ignores tracestate. An invalid tracestate alone is left out.
 */
export function parseTrace(traceparent: string | undefined, tracestate: string | undefined): SentTrace | null {
  const [, version, traceId, spanId, flags = "", more] = TRACEPARENT.exec(traceparent ?? "") ?? []
  if (!traceId || (version === "00" && more !== undefined)) return null
  return {
    traceparent: parentOf(traceId, spanId as string, (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED),
    tracestate: tracestate === undefined ? null : parseState(tracestate),
  }
}

const STATE = { members: 32, length: 512, longMember: 128 }
const STATE_KEY = "(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})"
const STATE_MEMBER = new RegExp(
  `^(${STATE_KEY})=[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{0,255}[\\x21-\\x2b\\x2d-\\x3c\\x3e-\\x7e]$`,
)

/** The list in its shortest form; null if it is invalid or empty. A list that is too long loses whole members. */
function parseState(text: string): string | null {
  const members = text.split(",").flatMap((member) => member.replace(/^[\t ]+|[\t ]+$/g, "") || [])
  const keys = members.map((member) => STATE_MEMBER.exec(member)?.[1])
  if (members.length > STATE.members || keys.includes(undefined) || new Set(keys).size < keys.length) return null
  const isTooLong = () => members.join(",").length > STATE.length
  // The recommendation removes long members first, then members from the end.
  for (let at = members.length - 1; at >= 0 && isTooLong(); at--) {
    if ((members[at] as string).length > STATE.longMember) members.splice(at, 1)
  }
  while (isTooLong()) members.pop()
  return members.join(",") || null
}

const parentOf = (traceId: string, spanId: string, isSampled: boolean) =>
  `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`

/** The trace of a turn: the caller's, or one whose id is the turn's id. */
export function traceOf({ turn_id, traceparent, tracestate }: TracedRow): TurnTraceContext {
  const [, , traceId, parentSpanId = null, flags] = TRACEPARENT.exec(traceparent ?? "") ?? []
  return traceId
    ? { traceId, parentSpanId, isSampled: flags !== "00", tracestate }
    : { traceId: traceIdOf(turn_id), parentSpanId: null, isSampled: true, tracestate: null }
}

/** The 128 bits of a turn's id; the last 80 are random. So a trace needs no column and names its turn. */
function traceIdOf(turnId: string): string {
  const [, digits] = /^turn_([0-7][0-9a-hjkmnp-tv-z]{25})$/.exec(turnId) ?? []
  if (!digits) return hashed(turnId, 32)
  const bits = [...digits].reduce((number, digit) => number * 32n + BigInt(ID_DIGITS.indexOf(digit)), 0n)
  return bits === 0n ? hashed(turnId, 32) : bits.toString(16).padStart(32, "0")
}

/** The id of a span. A repeated export of a turn sends the same ids, so a receiver stores no span twice. */
export const spanIdOf = (turnId: string, part: SpanPart): string => hashed(`${turnId} ${part}`, 16)

const hashed = (text: string, length: number) => createHash("sha256").update(text).digest("hex").slice(0, length)

/** The headers for a call whose parent is this part of a turn. */
export function traceHeaders(turn: TracedRow, part: SpanPart): TraceHeaders {
  const { traceId, isSampled, tracestate } = traceOf(turn)
  const traceparent = parentOf(traceId, spanIdOf(turn.turn_id, part), isSampled)
  return { traceparent, ...(tracestate !== null && { tracestate }) }
}

/** The ids that join the log lines of a turn: of its request, its runs, its calls and its webhooks. */
export function logIds(turn: TracedRow & { user_id: number }) {
  return { turn_id: turn.turn_id, account: turn.user_id, trace_id: traceOf(turn).traceId }
}
