import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { FOLLOW_TURN_EVENTS_ERRORS, followTurnEvents } from "../turns/follow-events.ts"
import { getTurn } from "../turns/get-turn.ts"
import { isUnavailable, unreadTurn } from "../turns/look-again.ts"
import type { OwnPushes } from "../turns/pushes.ts"
import { type Position, parsePosition } from "../turns/shown-text.ts"
import { goesOn, type StepRow } from "../turns/step-row.ts"
import type { TextPlace, TurnEventRow } from "../turns/turn-event.ts"
import { isWaiting, type StoredWaiting, type TurnRow, waitingOfEvent } from "../turns/turn-row.ts"
import { DIALECT_POLICY } from "./policies.ts"
import { turnWaiting } from "./turn-waiting.ts"

/** The next thing that a reader of a turn's text sees. */
export type TextPiece =
  | { kind: "running" }
  | { kind: "delta"; text: string }
  /** The text so far is over. `whole`: a later step answers; otherwise the text starts again. */
  | { kind: "closed"; whole: boolean }
  /** A lost worker's text is void, also text that no reader saw. `logged`: as much of it as every reader can see. */
  | { kind: "restarted"; logged: string }
  | { kind: "ended"; turn: TurnRow }
  /** The turn begins to wait, or continues (null). */
  | { kind: "waits"; waiting: StoredWaiting | null }
  /** An earlier turn of the conversation waits, so this one cannot start. */
  | { kind: "behind"; turn: TurnRow }
  /** Nothing new: a sign of life. */
  | { kind: "quiet" }

export const OPEN_TURN_TEXT_ERRORS = [...FOLLOW_TURN_EVENTS_ERRORS, "TURN_WAITING"] as const

interface OpenedTurn {
  turn: TurnRow
  signal: AbortSignal
  own?: OwnPushes | null | undefined
  /** This request has sent the turn. */
  wasSent: boolean
}

/**
 * The text of a turn's own agent while it is written, then the ended turn. At the end the text since the last `closed`
 * equals the turn's result. Throws NOT_FOUND or QUOTA_EXCEEDED before the first piece.
 */
export async function openTurnText(
  ctx: Context,
  credential: Credential,
  { turn: accepted, signal, own, wasSent }: OpenedTurn,
): Promise<AsyncGenerator<TextPiece>> {
  const turnId = accepted.turn_id
  const readTurn = () =>
    getTurn(ctx, credential, turnId).catch((error: unknown) => {
      throw isUnavailable(error) ? unreadTurn(turnId, error) : error
    })
  const now = () => ctx.clock.now().getTime()
  const first = await followTurnEvents(ctx, credential, { turnId, after: { seq: 0 }, signal, own, wasSent })
  return (async function* () {
    const text = new TurnText()
    let batches = first
    let latest = accepted
    let waitsSince: number | null = null
    for (let after: Position = { seq: 0 }; batches !== null; ) {
      for await (const events of batches) {
        if (events.length === 0) yield { kind: "quiet" }
        for (const event of events) yield* text.read(event)
        after = parsePosition(events.at(-1)?.position ?? "") ?? after
        if (!text.isBegun && events.length === 0) latest = await readTurn()
        const isBehind = !text.isBegun && (latest.waits_behind ?? null) !== null
        if (isBehind && waitsSince === null) yield { kind: "behind", turn: latest }
        waitsSince = isBehind || text.waits ? (waitsSince ?? now()) : null
        if (waitsSince !== null && now() - waitsSince >= DIALECT_POLICY.waitingStreamMs) {
          latest = await readTurn()
          if (isWaiting(latest)) throw turnWaiting(latest)
        }
      }
      if (signal.aborted) return
      // A long turn is followed in parts. After its last event there is no further part.
      batches = text.isOver ? null : await followTurnEvents(ctx, credential, { turnId, after, signal })
    }
    const turn = await readTurn()
    yield* text.end(turn.result)
    yield { kind: "ended", turn }
  })()
}

interface StepData {
  step?: number
  text?: string
  part?: TextPlace
  finish?: StepRow["finish"]
  /** Only events of sub-agents have it. */
  agent?: string
}

/** Folds the events of a turn to its text. */
export class TurnText {
  isOver = false
  /** The turn has started. */
  isBegun = false
  waits = false
  private step: number | undefined
  private finish: StepRow["finish"] | undefined
  private text = ""
  /** How much of the text was there when its last call began, and how much of it is in the log. */
  private before = 0
  private logged = 0;

  *read({ type, data, isPushed = false }: TurnEventRow & { isPushed?: boolean }): Generator<TextPiece> {
    const { step, text = "", part, finish, agent } = data as StepData
    if (type === "turn.running") {
      this.isBegun = true
      yield { kind: "running" }
    } else if (type === "turn.waiting" || type === "turn.resumed") {
      const waiting = waitingOfEvent(data)
      this.waits = waiting !== null
      yield { kind: "waits", waiting }
    } else if (type === "turn.done" || type === "turn.failed" || type === "turn.cancelled") this.isOver = true
    else if (agent !== undefined) return
    else if (type === "step.started") {
      // The text of a lost worker starts again. The text of a call that was cut off continues in the next step.
      const isAgain = step === this.step
      if (isAgain || !goesOn(this.finish)) yield* this.close(!isAgain)
      this.step = step
      this.finish = undefined
      this.before = this.text.length
    } else if (type === "step.ended") this.finish = finish
    else if (type === "text.delta") {
      yield* this.add(text)
      if (!isPushed) this.logged = part ? this.before + part.at + text.length : this.text.length
    }
  }

  /** The rest of the result: not all text is in the log. */
  *end(result: string | null): Generator<TextPiece> {
    if (result === null) return
    if (!result.startsWith(this.text)) yield* this.close(false)
    yield* this.add(result.slice(this.text.length))
  }

  private *add(text: string): Generator<TextPiece> {
    if (text === "") return
    this.text += text
    yield { kind: "delta", text }
  }

  private *close(whole: boolean): Generator<TextPiece> {
    const { text, logged } = this
    this.text = ""
    this.before = this.logged = 0
    if (text !== "") yield { kind: "closed", whole }
    if (!whole) yield { kind: "restarted", logged: text.slice(0, logged) }
  }
}
