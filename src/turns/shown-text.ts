import { PUSH_POLICY } from "./policies.ts"
import type { TextPieceOfCall } from "./pushed-text.ts"
import type { TextPlace, TurnEventRow } from "./turn-event.ts"

/**
 * How far a reader has come: the number of the last event of the log that it has, and, if it has text that is not in
 * these events, how much text it has of the current call, and of the calls of sub-agents by their steps. As text: `7`,
 * `7.120`, `7.120~5.30`.
 */
export interface Position {
  seq: number
  text?: number | undefined
  steps?: [step: number, text: number][] | undefined
}

export const positionText = ({ seq, text, steps = [] }: Position) =>
  [text === undefined ? String(seq) : `${seq}.${text}`, ...steps.map(([step, shown]) => `${step}.${shown}`)].join("~")

/** Undefined if the text is no position. */
export function parsePosition(text: string): Position | undefined {
  const [, seq, shown, rest] = /^(\d{1,9})(?:\.(\d{1,9}))?((?:~\d{1,9}\.\d{1,9}){0,64})$/.exec(text) ?? []
  if (seq === undefined) return undefined
  const steps = (rest ?? "").split("~").slice(1)
  return {
    seq: Number(seq),
    ...(shown !== undefined && { text: Number(shown) }),
    ...(steps.length > 0 && { steps: steps.map((step) => step.split(".").map(Number) as [number, number]) }),
  }
}

/** An event that a reader sees. `position`: where the reader continues after it. */
export interface ShownEvent extends TurnEventRow {
  position: string
  /** True for a piece that is not in the log yet. It has the `seq` of the last event before it. */
  isPushed: boolean
}

interface CurrentCall {
  /** The event that started the call; null if the reader began after it. */
  of: string | null
  /** How much of its text the log has, up to the reader's last event, and how much the reader has. Null: unknown. */
  logged: number | null
  shown: number | null
}

/** The current call of the turn's own agent, or the step of a sub-agent's call: sub-agents run next to each other. */
type Place = "own" | number

const placeOf = ({ agent, step }: { agent?: unknown; step?: unknown }): Place =>
  (agent ?? null) === null ? "own" : Number(step)

/**
 * The one rule for which text a reader sees, in every dialect. The log and pushed pieces both say where in the text of
 * their call they begin, and the reader gets each character once, from the source that brings it first.
 */
export class ShownText {
  private readonly turnId: string
  private seq: number
  private readonly calls = new Map<Place, CurrentCall>()
  private readonly ended = new Set<string>()
  /** Pieces that cannot be shown yet, and their length. */
  private held: TextPieceOfCall[] = []
  private heldChars = 0

  constructor(turnId: string, { seq, text, steps = [] }: Position) {
    this.turnId = turnId
    this.seq = seq
    if (seq > 0) this.calls.set("own", { of: null, logged: null, shown: text ?? null })
    for (const [step, shown] of steps) this.calls.set(step, { of: null, logged: null, shown })
  }

  get position(): Position {
    const { seq, calls } = this
    const ahead = [...calls].flatMap(([place, { logged, shown }]) =>
      shown !== null && (logged === null || shown > logged) ? [[place, shown] as const] : [],
    )
    const own = ahead.find(([place]) => place === "own")
    const steps = ahead.flatMap(([place, shown]) => (place === "own" ? [] : [[place, shown] as [number, number]]))
    return { seq, ...(own && { text: own[1] }), ...(steps.length > 0 && { steps }) }
  }

  /** True if a piece waits for the log: an event, or text that a lost piece had. */
  get needsLog(): boolean {
    return this.held.length > 0
  }

  /** Returns the events that a reader sees because of the log's next event. */
  read(row: TurnEventRow): ShownEvent[] {
    this.seq = row.seq
    const place = placeOf(row.data)
    const shown = row.type === "text.delta" ? this.readText(row, place) : row
    if (row.type === "step.started") this.begin(place, { of: row.event_id, logged: 0, shown: 0 })
    if (row.type === "step.ended") this.begin(place, null)
    if (row.type.startsWith("turn.")) for (const one of [...this.calls.keys()]) this.begin(one, null)
    return [this.eventOf(shown, false), ...this.retry()]
  }

  /** Returns the pieces that a reader sees now: this one, and earlier ones that waited for it. */
  take(piece: TextPieceOfCall): ShownEvent[] {
    const shown = this.tryPiece(piece)
    if (shown === null) this.hold(piece)
    return shown === null ? [] : [...shown, ...this.retry()]
  }

  private begin(place: Place, call: CurrentCall | null): void {
    const before = this.calls.get(place)
    if (before?.of) this.ended.add(before.of)
    if (call === null) this.calls.delete(place)
    else this.calls.set(place, call)
    // Pieces of other calls are late, or their text comes with the log.
    if (call !== null) this.keep(this.held.filter((piece) => placeOf(piece) !== place || piece.of === call.of))
  }

  private readText(row: TurnEventRow, place: Place): TurnEventRow {
    const text = String(row.data.text ?? "")
    const { of, at } = row.data.part as TextPlace
    const end = at + text.length
    const before = this.calls.get(place)?.shown ?? at
    this.calls.set(place, { of, logged: end, shown: Math.max(before, end) })
    // An event without new text is shown too, because the numbers of events have no gaps.
    const rest = text.slice(Math.max(0, before - at))
    return { ...row, data: { ...row.data, text: rest, part: { of, at: end - rest.length } } }
  }

  /** Null: the piece cannot be shown yet. */
  private tryPiece(piece: TextPieceOfCall): ShownEvent[] | null {
    const { seq } = this
    const call = this.calls.get(placeOf(piece))
    const { id, of, step, agent, delegated_by, at, text, time } = piece
    if (this.ended.has(of)) return []
    // Text is missing before the piece, or the reader does not know yet that its call has started.
    if (call?.of !== of || call.shown === null || at > call.shown) return null
    const end = at + text.length
    if (end <= call.shown) return []
    // The rest comes from the log, so that a reader is never far ahead of what can be read again.
    if (end - (call.logged ?? 0) > PUSH_POLICY.aheadChars) return []
    const part: TextPlace = { of, at: call.shown }
    const rest = text.slice(call.shown - at)
    call.shown = end
    const created_at = new Date(time).toISOString()
    const data = { step, ...(agent !== undefined && { agent, delegated_by }), text: rest, part }
    return [this.eventOf({ turn_id: this.turnId, event_id: id, seq, type: "text.delta", data, created_at }, true)]
  }

  private hold(piece: TextPieceOfCall): void {
    const chars = this.heldChars + piece.text.length
    if (chars > PUSH_POLICY.heldChars || this.held.length >= PUSH_POLICY.heldPieces) return
    this.held.push(piece)
    this.heldChars = chars
  }

  private keep(pieces: TextPieceOfCall[]): void {
    this.held = pieces
    this.heldChars = pieces.reduce((sum, { text }) => sum + text.length, 0)
  }

  /** Shows the held pieces that can be shown now, in the order of their positions. */
  private retry(): ShownEvent[] {
    if (this.held.length === 0) return []
    const held = this.held.sort((a, b) => a.at - b.at)
    this.keep([])
    return held.flatMap((piece) => {
      const shown = this.tryPiece(piece)
      if (shown === null) this.hold(piece)
      return shown ?? []
    })
  }

  private eventOf(row: TurnEventRow, isPushed: boolean): ShownEvent {
    return { ...row, position: positionText(this.position), isPushed }
  }
}
