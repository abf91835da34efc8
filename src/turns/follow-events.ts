import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { readTurnEvents } from "./get-turn.ts"
import { STREAM_POLICY } from "./policies.ts"
import { SharedLooks } from "./shared-looks.ts"
import type { TurnEventRow } from "./turn-event.ts"
import { isTerminal } from "./turn-row.ts"

interface Look {
  events: TurnEventRow[]
  /** The number of the last event that the reader has then, and of the turn's last event. */
  seen: number
  lastSeq: number
  /** The turn has ended. */
  isOver: boolean
  /** For requests that wait for the turn's end. */
  waits: boolean
  /** Nothing will follow these events. */
  ended: boolean
}

export const FOLLOW_TURN_EVENTS_ERRORS = ["NOT_FOUND", "QUOTA_EXCEEDED"] as const

/**
 * Streams a turn's events after `afterSeq`: each item has the new events, or is empty as a sign of life. Ends after the
 * turn's last event, after `maxLooks` (the reader reconnects), or with `signal`. Null: the reader has all events of an
 * ended turn. The first look happens before this resolves. Throws NOT_FOUND, or QUOTA_EXCEEDED for too many waits.
 */
export async function followTurnEvents(
  ctx: Context,
  credential: Credential,
  { turnId, afterSeq, signal, reader }: { turnId: string; afterSeq: number; signal: AbortSignal; reader?: string },
): Promise<AsyncGenerator<TurnEventRow[]> | null> {
  const looks = new SharedLooks(ctx, credential, { turnId, waitsFor: "events", reader })
  const lookBehind = (seq: number) =>
    looks.look(
      () => look(ctx, credential, { turnId, afterSeq: seq }),
      ({ lastSeq, isOver, waits }) => ({ lastSeq, ended: isOver, waits }),
    )
  const first = await lookBehind(afterSeq).catch((error: unknown) => {
    looks.end()
    throw error
  })
  if (first.ended && first.events.length === 0) {
    looks.end()
    return null
  }
  return follow(ctx, { looks, lookBehind, signal, first })
}

interface Following {
  looks: SharedLooks
  lookBehind(seq: number): Promise<Look>
  signal: AbortSignal
  first: Look
}

async function* follow(ctx: Context, { looks, lookBehind, signal, first }: Following): AsyncGenerator<TurnEventRow[]> {
  const now = () => ctx.clock.now().getTime()
  let found = first
  let saidAt = now()
  try {
    for (;;) {
      if (found.events.length > 0 || now() - saidAt >= STREAM_POLICY.heartbeatMs) {
        yield found.events
        saidAt = now()
      }
      if (found.ended || looks.taken >= STREAM_POLICY.maxLooks || signal.aborted) return
      // A full page is followed by the next one at once.
      if (found.events.length < STREAM_POLICY.page) {
        const until = Math.min(now() + STREAM_POLICY.ownLookMs, saidAt + STREAM_POLICY.heartbeatMs)
        if (!(await looks.pause({ until, signal }))) return
      }
      found = await lookBehind(found.seen)
    }
  } finally {
    looks.end()
  }
}

/** Reads new events and marks the turn as followed, in one statement. */
async function look(
  ctx: Context,
  credential: Credential,
  { turnId, afterSeq }: { turnId: string; afterSeq: number },
): Promise<Look> {
  const now = ctx.clock.now()
  const until = new Date(now.getTime() + STREAM_POLICY.readerMs)
  const soon = new Date(now.getTime() + STREAM_POLICY.renewMs)
  const { state, last_seq, waits, events } = await readTurnEvents(ctx, credential, {
    turn_id: turnId,
    after_seq: afterSeq,
    limit: STREAM_POLICY.page,
    reader_until: until,
    reader_soon: soon,
  })
  const seen = events.at(-1)?.seq ?? afterSeq
  const isOver = isTerminal(state)
  return { events, seen, lastSeq: last_seq, isOver, waits, ended: isOver && seen >= last_seq }
}
