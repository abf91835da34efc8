import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { readTurnEvents } from "./get-turn.ts"
import { STREAM_POLICY } from "./policies.ts"
import type { TurnEventRow } from "./turn-event.ts"
import { isTerminal } from "./turn-row.ts"

interface Look {
  events: TurnEventRow[]
  /** Nothing will follow these events. */
  ended: boolean
}

/**
 * A turn's events after `afterSeq` as they come: each item is what is new, or an empty list when it is time for a sign of
 * life. Ends behind the turn's last event, or after `maxLooks`, so that the reader comes again. The first look, which throws
 * NOT_FOUND, has been taken when this resolves.
 */
export async function followTurnEvents(
  ctx: Context,
  credential: Credential,
  { turnId, afterSeq, signal }: { turnId: string; afterSeq: number; signal: AbortSignal },
): Promise<AsyncGenerator<TurnEventRow[]>> {
  const first = await look(ctx, credential, { turnId, afterSeq })
  return follow(ctx, credential, { turnId, afterSeq, signal, first })
}

async function* follow(
  ctx: Context,
  credential: Credential,
  { turnId, afterSeq, signal, first }: { turnId: string; afterSeq: number; signal: AbortSignal; first: Look },
): AsyncGenerator<TurnEventRow[]> {
  let seq = afterSeq
  let pause: number = STREAM_POLICY.leastPauseMs
  let found = first
  let saidAt = ctx.clock.now().getTime()
  for (let looks = 1; ; looks++) {
    const now = ctx.clock.now().getTime()
    if (found.events.length > 0 || now - saidAt >= STREAM_POLICY.heartbeatMs) {
      yield found.events
      saidAt = now
    }
    seq = found.events.at(-1)?.seq ?? seq
    if (found.ended || looks >= STREAM_POLICY.maxLooks || signal.aborted) return
    pause = found.events.length > 0 ? STREAM_POLICY.leastPauseMs : Math.min(pause * 1.5, STREAM_POLICY.mostPauseMs)
    // A full page is followed by the next one at once.
    if (found.events.length < STREAM_POLICY.page) {
      const slept = await ctx.clock.sleep(pause, signal).then(
        () => true,
        () => false,
      )
      if (!slept) return
    }
    found = await look(ctx, credential, { turnId, afterSeq: seq })
  }
}

/** One statement: what is new, and the note that somebody reads along. */
async function look(
  ctx: Context,
  credential: Credential,
  { turnId, afterSeq }: { turnId: string; afterSeq: number },
): Promise<Look> {
  const now = ctx.clock.now()
  const until = new Date(now.getTime() + STREAM_POLICY.readerMs)
  const soon = new Date(now.getTime() + STREAM_POLICY.readerMs / 2)
  const { state, last_seq, events } = await readTurnEvents(ctx, credential, {
    turn_id: turnId,
    after_seq: afterSeq,
    limit: STREAM_POLICY.page,
    reader_until: until,
    reader_soon: soon,
  })
  const seen = events.at(-1)?.seq ?? afterSeq
  return { events, ended: isTerminal(state) && seen >= last_seq }
}
