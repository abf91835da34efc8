import type { Context } from "../actor/context.ts"
import { call } from "../platform/db.ts"
import { TURN_POLICY } from "../turns/policies.ts"

/** The turns of this isolate with a long model call, and when each last asked, in milliseconds. */
const asking = new Map<string, number>()
/** The last answer about each of these turns, and when its statement was sent. */
const found = new Map<string, { at: number; isAsked: boolean }>()

/**
 * Returns true if a turn was asked to stop; the answer is at most `cancelFreshMs` old. One statement asks for all
 * turns of the isolate with a long call, so that many cost as much as one. Throws if the database does not answer.
 */
export async function cancelAsked({ db, clock }: Pick<Context, "db" | "clock">, turnId: string): Promise<boolean> {
  const now = clock.now().getTime()
  const isFresh = (id: string) => now - (found.get(id)?.at ?? Number.NEGATIVE_INFINITY) <= TURN_POLICY.cancelFreshMs
  asking.set(turnId, now)
  if (!isFresh(turnId)) {
    const ids = [turnId]
    for (const [id, askedAt] of asking) {
      // A turn that has stopped asking has lost its worker.
      if (now - askedAt > TURN_POLICY.leaseMs) forgetAsking(id)
      else if (ids.length < TURN_POLICY.cancelsAtOnce && id !== turnId && !isFresh(id)) ids.push(id)
    }
    const rows = await call(db, "cancels_asked", { turn_ids: ids })
    for (const { turn_id, is_asked } of rows) {
      if (asking.has(turn_id as string)) found.set(turn_id as string, { at: now, isAsked: is_asked === true })
    }
  }
  return found.get(turnId)?.isAsked === true
}

/** Stops asking for a turn, which has no running call any more. */
export function forgetAsking(turnId: string): void {
  asking.delete(turnId)
  found.delete(turnId)
}
