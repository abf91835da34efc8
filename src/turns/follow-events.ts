import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { readTurnEvents } from "./get-turn.ts"
import { isUnavailable, lookAgain, unreadTurn } from "./look-again.ts"
import { PUSH_POLICY, STREAM_POLICY } from "./policies.ts"
import { type OwnPushes, Pushes } from "./pushes.ts"
import { SharedLooks } from "./shared-looks.ts"
import { type Position, type ShownEvent, ShownText } from "./shown-text.ts"
import type { TurnEventRow } from "./turn-event.ts"
import { isTerminal } from "./turn-row.ts"

interface Look {
  events: TurnEventRow[]
  /** The number of the last event that the reader has then, and of the turn's last event. */
  seen: number
  lastSeq: number
  /** The turn has ended. */
  isOver: boolean
  /** The worker that runs the turn; null: none does. */
  worker: string | null
  /** For requests that wait for the turn's end. */
  waits: boolean
  /** Nothing will follow these events. */
  ended: boolean
}

interface FollowedTurn {
  turnId: string
  after: Position
  signal: AbortSignal
  /** Whose waits count together, if not the caller's. */
  reader?: string | undefined
  /** The run of the turn, if the reader's request runs it. */
  own?: OwnPushes | null | undefined
  /** The reader's request has sent the turn, so an error must not refuse it. */
  wasSent?: boolean | undefined
}

export const FOLLOW_TURN_EVENTS_ERRORS = ["NOT_FOUND", "QUOTA_EXCEEDED"] as const

/**
 * Streams a turn's events after a position: each item has the new events, or is empty as a sign of life. Ends after the
 * turn's last event, after `maxLooks` (the reader reconnects), or with `signal`. Null: the reader has all events of an
 * ended turn. Looks once before it resolves. NOT_FOUND; QUOTA_EXCEEDED for too many waits.
 */
export async function followTurnEvents(
  ctx: Context,
  credential: Credential,
  { turnId, after, signal, reader, own = null, wasSent = false }: FollowedTurn,
): Promise<AsyncGenerator<ShownEvent[]> | null> {
  const looks = new SharedLooks(ctx, credential, { turnId, waitsFor: "events", reader })
  const lookBehind = (seq: number) =>
    looks.look(
      () => look(ctx, credential, { turnId, afterSeq: seq }),
      ({ lastSeq, isOver, waits }) => ({ lastSeq, ended: isOver, waits }),
    )
  const first = await lookBehind(after.seq).catch((error: unknown) => {
    if (wasSent && isUnavailable(error)) return null
    looks.end()
    own?.leave()
    throw error
  })
  if (first?.ended && first.events.length === 0) {
    looks.end()
    own?.leave()
    return null
  }
  return new Following(ctx, { turnId, after, own, looks, lookBehind, signal, first }).events()
}

interface Followed {
  turnId: string
  after: Position
  own: OwnPushes | null
  looks: SharedLooks
  lookBehind(seq: number): Promise<Look>
  signal: AbortSignal
  /** Null: the database was too busy. */
  first: Look | null
}

/** One reader of a turn: what its looks find and what is pushed to it, as one stream. */
class Following {
  private readonly ctx: Context
  private readonly of: Followed
  private readonly text: ShownText
  private readonly pushes: Pushes
  /** When the reader last looked itself, when it was last sent something, and the pause before a look for a piece. */
  private lookedAt: number
  private saidAt: number
  private missingMs: number = PUSH_POLICY.missingMs.least

  constructor(ctx: Context, of: Followed) {
    this.ctx = ctx
    this.of = of
    this.text = new ShownText(of.turnId, of.after)
    this.pushes = new Pushes(ctx, of.turnId, of)
    this.lookedAt = this.saidAt = this.now
  }

  async *events(): AsyncGenerator<ShownEvent[]> {
    const { looks, signal, lookBehind } = this.of
    try {
      let found = this.of.first ?? (await this.firstLook())
      for (;;) {
        const isQuiet = found.events.length === 0
        if (!isQuiet || this.now - this.saidAt >= STREAM_POLICY.heartbeatMs) {
          this.missingMs = PUSH_POLICY.missingMs.least
          yield found.events.flatMap((row) => this.text.read(row))
          this.saidAt = this.now
        }
        if (found.ended || looks.taken >= STREAM_POLICY.maxLooks || signal.aborted) return
        // A full page is followed by the next one at once.
        if (found.events.length < STREAM_POLICY.page) {
          if (!found.isOver) this.pushes.open(found.worker)
          if (!(yield* this.pushedUntilLook())) return
        }
        this.lookedAt = this.now
        found = await lookBehind(found.seen)
      }
    } catch (error) {
      throw isUnavailable(error) ? unreadTurn(this.of.turnId, error) : error
    } finally {
      this.pushes.end()
      looks.end()
    }
  }

  /** Nothing is shown before it, so the reader's right is checked first in any case. */
  private async firstLook(): Promise<Look> {
    const { lookBehind, after, signal } = this.of
    const look = () => lookBehind(after.seq)
    const found = await lookAgain(this.ctx, look, { until: this.now + STREAM_POLICY.ownLookMs, signal })
    this.lookedAt = this.now
    return found
  }

  /** Shows pieces until the reader must look. Returns false if it has left. */
  private async *pushedUntilLook(): AsyncGenerator<ShownEvent[], boolean> {
    const { looks, signal } = this.of
    let until = Math.min(this.lookedAt + STREAM_POLICY.ownLookMs, this.saidAt + STREAM_POLICY.heartbeatMs)
    for (;;) {
      if (this.text.needsLog) until = Math.min(until, this.lookedAt + this.missingMs)
      looks.isPushed = this.pushes.isLive
      const isDue = await looks.pause({ until, wake: this.pushes.news })
      if (signal.aborted) return false
      const pushed = this.pushes.take()
      const shown = pushed.flatMap((push) => (push === null ? [] : this.text.take(push)))
      if (shown.length > 0) {
        yield shown
        this.saidAt = this.now
      }
      if (isDue || pushed.includes(null)) {
        if (this.text.needsLog) this.missingMs = Math.min(2 * this.missingMs, PUSH_POLICY.missingMs.most)
        return true
      }
    }
  }

  private get now(): number {
    return this.ctx.clock.now().getTime()
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
  const { state, last_seq, waits, worker, events } = await readTurnEvents(ctx, credential, {
    turn_id: turnId,
    after_seq: afterSeq,
    limit: STREAM_POLICY.page,
    reader_until: until,
    reader_soon: soon,
  })
  const seen = events.at(-1)?.seq ?? afterSeq
  const isOver = isTerminal(state)
  return { events, seen, lastSeq: last_seq, isOver, worker, waits, ended: isOver && seen >= last_seq }
}
