import type { Context } from "../actor/context.ts"
import { newId } from "../base/ids.ts"
import { storable } from "../base/storable.ts"
import { callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { PUSH_POLICY, TURN_POLICY } from "../turns/policies.ts"
import { draftEvent, type EventDraft, type TextPlace } from "../turns/turn-event.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import type { CallPush } from "./push-text.ts"
import { markOf } from "./running-marks.ts"

/** Writes the text of one model call to the event log. */
export interface TextStream {
  onText(piece: string): void
  /** Stops, and returns the events for the step's commit: its start and the rest of its text. */
  finish(): Promise<EventDraft[]>
}

interface CallStart {
  model: string
  attempt: number
  leftOut: readonly string[]
  /** The settings of the call. */
  settings: Record<string, unknown>
  /** Null for a summary: its text is only in the log. */
  push: CallPush | null
}

/**
 * Writes the text of a model call as events while a reader follows the turn (`stream_until`), and checks for a reader
 * less and less often. Without a reader it writes no text, so a short call costs nothing. A failed write is repeated.
 * `push` also sends the text to readers that listen, and then the log is written less often.
 */
export function openTextStream(
  ctx: Context,
  turn: Pick<TurnRow, "turn_id" | "epoch" | "stream_until">,
  of: { step: number; agent?: string | null; delegated_by?: string } & Record<string, unknown>,
  { model, attempt, leftOut, settings, push }: CallStart,
): TextStream {
  const told = { ...settings, ...(attempt > 0 && { attempt }), ...(leftOut.length > 0 && { left_out: leftOut }) }
  const started = draftEvent("step.started", { ...of, model, ...told }, ctx.clock.now())
  const stop = new AbortController()
  let waiting: EventDraft[] = [started]
  /** Events that were sent without an answer. They are sent again, alone, before all other events. */
  let unsure: EventDraft[] = []
  /** Half of a surrogate pair, which waits for its other half. */
  let half = ""
  /** Text for the log, and where it begins. */
  let text = ""
  let at = 0
  let watched = turn.stream_until !== null && new Date(turn.stream_until) > ctx.clock.now()
  /** True if text of this call is in the log. Then the rest must follow. */
  let shown = false
  let isStartLogged = false
  let found = new AbortController()
  push?.begin({
    of: started.id,
    step: of.step,
    ...(of.delegated_by !== undefined && { agent: of.agent ?? "", delegated_by: of.delegated_by }),
    onReader: () => found.abort(new Error("a reader listens")),
  })

  function take(): EventDraft[] {
    const part: TextPlace = { of: started.id, at }
    if (text !== "") waiting.push(draftEvent("text.delta", { ...of, text, part }, ctx.clock.now()))
    at += text.length
    text = ""
    return waiting.splice(0)
  }

  async function flush(): Promise<void> {
    const drafts = unsure.length > 0 ? unsure : take()
    if (drafts.length === 0) return
    try {
      unsure = drafts
      watched = await writeForReader(ctx, turn, drafts)
      unsure = []
      if (!watched) {
        waiting = [...drafts, ...waiting]
        return
      }
      shown ||= drafts.some(({ type }) => type === "text.delta")
      isStartLogged = true
    } catch (error) {
      ctx.log("error", "turn.stream_failed", { turn_id: turn.turn_id, error: describeError(error) })
    }
  }

  /** Null: another turn's statement, which also asks for this turn, is under way. */
  async function hasReader(): Promise<boolean | null> {
    try {
      const mark = await markOf(ctx, turn.turn_id, TURN_POLICY.readerFreshMs)
      return mark && mark.streamUntil !== null && mark.streamUntil > ctx.clock.now().getTime()
    } catch (error) {
      ctx.log("error", "turn.stream_failed", { turn_id: turn.turn_id, error: describeError(error) })
      return false
    }
  }

  async function work(): Promise<void> {
    let isSoon = false
    for (let looks = 0, flushes = 0; !stop.signal.aborted; ) {
      const pause = isSoon
        ? TURN_POLICY.markAgainMs
        : watched
          ? push?.hasReaders && isStartLogged
            ? PUSH_POLICY.flushMs
            : flushes++ < TURN_POLICY.streamFlushes
              ? TURN_POLICY.streamFlushMs
              : TURN_POLICY.slowFlushMs
          : (TURN_POLICY.streamLookMs[looks++] ?? TURN_POLICY.streamLookMs.at(-1) ?? 0)
      await ctx.clock.sleep(pause, AbortSignal.any([stop.signal, found.signal])).catch(() => {})
      if (stop.signal.aborted) return
      const isAsked = found.signal.aborted
      if (isAsked) found = new AbortController()
      const isRead = watched || unsure.length > 0 || push?.hasReaders || (await hasReader())
      isSoon = isRead === null
      if (isRead) await flush()
      // A reader that has just come waits for the text so far.
      if (isAsked && isStartLogged) push?.tellGrown()
      if (watched) push?.retry()
    }
  }

  const working = work()
  return {
    onText(piece) {
      const all = half + piece
      const end = /[\ud800-\udbff]$/.test(all) ? all.length - 1 : all.length
      const ready = storable(all.slice(0, end))
      half = all.slice(end)
      push?.add(ready, at + text.length)
      text += ready
    },
    async finish() {
      push?.end()
      stop.abort(new Error("finished"))
      await working
      if (unsure.length > 0) await flush()
      // Still without an answer: these events get new ids, because the step must be committed in any case.
      const again = unsure.map((draft) => ({ ...draft, id: newId("event", draft.at) }))
      const rest = [...again, ...take()]
      // Text without a reader stays out of the log; the result has it. A reader keeps a piece that came before the start
      // of its call, and shows it when the log has the start: then the rest must follow.
      return shown || watched || push?.isShown ? rest : rest.filter(({ type }) => type !== "text.delta")
    },
  }
}

/** Writes events if a reader follows the turn; otherwise returns false. A repeated write has no effect. */
async function writeForReader(
  ctx: Context,
  turn: Pick<TurnRow, "turn_id" | "epoch">,
  drafts: EventDraft[],
): Promise<boolean> {
  const { turn_id, epoch } = turn
  const args = { turn_id, epoch, events: drafts, moment: ctx.clock.now() }
  const { write_for_reader: watched } = await callOne(ctx.db, "write_for_reader", args)
  return watched === true
}
