import type { Context } from "../actor/context.ts"
import { call } from "../platform/db.ts"
import { TURN_POLICY } from "../turns/policies.ts"

/** What others have asked of a running turn. */
interface Mark {
  /** When the statement was sent, in ms. */
  at: number
  isCancelAsked: boolean
  /** Until when a reader follows the turn, in ms. Null: none has. */
  streamUntil: number | null
}

/** The turns of this isolate with a model call, and when each last asked, in ms. */
const asking = new Map<string, number>()
/** The last mark of each of these turns. Plain values: no request may await another one's promise. */
const marks = new Map<string, Mark>()
/** When the current look at a turn was sent. An entry stays if its request is cut off, so it counts only for a time. */
const looking = new Map<string, number>()

/**
 * Returns the mark of a turn, at most `freshMs` old. One statement looks at all turns of the isolate that ask, so that
 * many cost as much as one. Null: another turn's statement is under way, so the caller asks again a moment later
 * (`markAgainMs`). Throws if the database does not answer.
 */
export async function markOf(
  { db, clock }: Pick<Context, "db" | "clock">,
  turnId: string,
  freshMs: number,
): Promise<Mark | null> {
  const now = clock.now().getTime()
  const isFresh = (id: string) => now - (marks.get(id)?.at ?? Number.NEGATIVE_INFINITY) <= freshMs
  const isLookedAt = (id: string) => now - (looking.get(id) ?? Number.NEGATIVE_INFINITY) < TURN_POLICY.markPatienceMs
  asking.set(turnId, now)
  if (isFresh(turnId)) return marks.get(turnId) ?? null
  if (isLookedAt(turnId)) return null
  const ids = [turnId]
  for (const [id, askedAt] of asking) {
    // A turn that has stopped asking has lost its worker.
    if (now - askedAt > TURN_POLICY.leaseMs) forgetMark(id)
    else if (ids.length < TURN_POLICY.marksAtOnce && id !== turnId && !isFresh(id) && !isLookedAt(id)) ids.push(id)
  }
  for (const id of ids) looking.set(id, now)
  try {
    const rows = await call(db, "running_marks", { turn_ids: ids })
    let mine: Mark = { at: now, isCancelAsked: false, streamUntil: null }
    for (const { turn_id, is_cancel_asked, stream_until } of rows) {
      const streamUntil = stream_until === null ? null : new Date(stream_until).getTime()
      const mark = { at: now, isCancelAsked: is_cancel_asked === true, streamUntil }
      if (asking.has(turn_id as string)) marks.set(turn_id as string, mark)
      if (turn_id === turnId) mine = mark
    }
    return mine
  } finally {
    for (const id of ids) looking.delete(id)
  }
}

/** Forgets a turn, which has no running call any more. */
export function forgetMark(turnId: string): void {
  asking.delete(turnId)
  marks.delete(turnId)
  looking.delete(turnId)
}
