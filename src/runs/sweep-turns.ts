import type { Context } from "../actor/context.ts"
import { chunksOf, inParallel } from "../base/in-parallel.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { MOST_TOGETHER } from "../platform/queue.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import { publishDue, queueLimit } from "../turns/publish-turn.ts"
import type { TurnState } from "../turns/schemas.ts"
import { settleTurn } from "./settle-turn.ts"

export interface Sweep {
  republished: number
  lost: number
  failed: number
}

/**
 * Finds what lost messages and dead workers left: publishes each turn whose `wake_at` has passed again, or fails it as ENGINE_LOST
 * after maxAttempts. A queued turn behind another of its conversation is not due: the end of that one wakes it. Turns that nobody
 * started for an hour are ended by sweepExpiredTurns.
 */
export async function sweepTurns(ctx: Context): Promise<Sweep> {
  const sweep: Sweep = { republished: 0, lost: 0, failed: 0 }
  // Each is tried once, so turns that fail do not stand in front of the others.
  let last: DueTurn | undefined
  let sharers: number | null = null
  for (let batch = 0; batch < TURN_POLICY.sweepBatches; batch++) {
    const due = await liveTurns(ctx, last)
    if (batch === 0) sharers = await countSharers(ctx, due)
    const failedBefore = sweep.failed
    const live = due.filter((turn) => !isLost(turn)).map((turn) => publishedOf(ctx, turn))
    await inParallel(chunksOf(live, MOST_TOGETHER), async (some) => {
      const published = await publishDue(ctx, some, sharers)
      sweep.republished += published
      sweep.failed += some.length - published
    })
    // Behind the others: each may wait for its account's wallet.
    await inParallel(due.filter(isLost), (turn) => endLost(ctx, sweep, turn))
    last = due.at(-1)
    if (due.length < TURN_POLICY.sweepBatch || sweep.failed - failedBefore === due.length) break
  }
  return sweep
}

const isLost = ({ state, attempts }: DueTurn) => state === "running" && attempts >= TURN_POLICY.maxAttempts

/** A failure is counted and does not keep the others. */
async function endLost(ctx: Context, sweep: Sweep, turn: DueTurn): Promise<void> {
  const message = "The turn was lost several times while it ran. Nothing was billed."
  const outcome = { state: "failed", code: "ENGINE_LOST", message, ours: true, result: null } as const
  try {
    // A slow worker may have committed a step in the meantime; then the turn is not lost.
    await settleTurn(ctx, turn, outcome, { lostAfter: TURN_POLICY.maxAttempts })
    sweep.lost++
  } catch (error) {
    sweep.failed++
    ctx.log("error", "sweep.turn_failed", { turn_id: turn.turn_id, error: describeError(error) })
  }
}

interface DueTurn {
  turn_id: string
  user_id: number
  test: boolean
  state: TurnState
  epoch: number
  attempts: number
  wake_at: Date
  created_at: Date
  /** wake_at to the microsecond, as the keyset needs it. */
  wake_key: string
}

/** Turns to publish again: running ones, and queued ones that are first in their conversation and not too old. */
function liveTurns(ctx: Context, after: DueTurn | undefined): Promise<DueTurn[]> {
  const now = ctx.clock.now()
  return call<"due_turns", DueTurn>(ctx.db, "due_turns", {
    after_wake: after?.wake_key ?? null,
    after_id: after?.turn_id ?? null,
    queued_after: queueLimit(now),
    limit: TURN_POLICY.sweepBatch,
    moment: now,
  })
}

/**
 * How many accounts have queued turns whose messages were lost, where there are so many that the cause is an outage: those that are due now and
 * those that were published again and still wait. Null: there are few, which take their account's own slots.
 */
async function countSharers(ctx: Context, due: DueTurn[]): Promise<number | null> {
  if (due.length < TURN_POLICY.sweepBatch) return null
  const before = new Date(ctx.clock.now().getTime() - TURN_POLICY.republishMs)
  try {
    const [answer] = await call<"count_late_accounts">(ctx.db, "count_late_accounts", { before })
    return Math.max(1, Number(answer?.accounts ?? 1))
  } catch (error) {
    ctx.log("error", "sweep.uncounted", { error: describeError(error) })
    return new Set(due.map(({ user_id, test }) => `${user_id} ${test}`)).size
  }
}

/**
 * A due turn as publishDue takes it. The longer it has been queued, the later it is published again: its message may well be waiting for
 * one of its account's slots, and each of thousands of such turns would get another message every minute.
 */
function publishedOf({ clock }: Context, { turn_id, epoch, user_id, test, state, wake_at, created_at }: DueTurn) {
  const { republishMs, republishLimitMs } = TURN_POLICY
  const now = clock.now().getTime()
  const waited = Math.min(Math.max(republishMs, now - created_at.getTime()), republishLimitMs)
  const again = new Date(now + (state === "queued" ? waited : republishMs)).toISOString()
  return { turn_id, epoch, user_id, test, state, wake_at: wake_at.toISOString(), again }
}
