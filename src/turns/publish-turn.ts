import type { Context } from "../actor/context.ts"
import { inParallel } from "../base/in-parallel.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import type { Answers } from "../platform/procedures.ts"
import type { CallbackMessage, Flow } from "../platform/queue.ts"
import { TURN_POLICY } from "./policies.ts"

/** What publishing needs of a turn; wake_at: when the sweeper must publish it again, ISO 8601. */
export type Published = Omit<Answers["turn_to_publish"], "wake_at"> & { wake_at: string | null }

export const turnCallbackPath = (turnId: string) => `/callbacks/turns/${turnId}`

/**
 * Publishes the callback that advances a turn, and notes it by moving `wake_at` on, the moment at which the sweeper must publish it
 * again, `republishMs` after it should arrive. (Accepting a turn has set it already.) Never throws: the sweeper publishes what failed.
 */
export async function publishTurn(
  ctx: Context,
  turn: Published,
  { because, delayMs = 0 }: { because: string; delayMs?: number },
): Promise<boolean> {
  try {
    await ctx.queue.publish({ ...messageOf(turn, because, flowOf(turn)), delayMs })
    if (because !== "accept") await wakeAt(ctx, turn, ctx.clock.now().getTime() + delayMs + TURN_POLICY.republishMs)
    return true
  } catch (error) {
    ctx.log("error", "turn.publish_failed", { turn_id: turn.turn_id, error: describeError(error) })
    // Makes it due for the sweeper's next run. If this is lost too, the run a minute later sees it.
    if (because === "accept") await wakeAt(ctx, turn, ctx.clock.now().getTime()).catch(() => {})
    return false
  }
}

/**
 * The same for up to `MOST_TOGETHER` due turns, with one request and one statement: behind an outage a hundred thousand may be due. `again`:
 * when each is to be published again, ISO 8601. `sharers`: behind an outage, how many accounts share the slots of queued turns; else null.
 * Answers how many were published. Never throws.
 */
export async function publishDue(
  ctx: Context,
  turns: readonly (Published & { again: string })[],
  sharers: number | null,
): Promise<number> {
  const flowOfDue = (turn: Published): Flow =>
    turn.state === "queued" && sharers !== null
      ? { of: "late-turns", user_id: turn.user_id, test: turn.test, sharers }
      : flowOf(turn)
  try {
    const taken = await ctx.queue.publishAll(turns.map((turn) => messageOf(turn, "sweep", flowOfDue(turn))))
    const published = turns.filter((_, index) => taken[index])
    const wakes = published.map(({ turn_id, epoch, again }) => ({ turn_id, epoch, wake_at: again }))
    if (published.length < turns.length) {
      ctx.log("error", "turn.publish_failed", { turns: turns.length - published.length, error: "QStash refused them." })
    }
    // Where this is lost, they are due again, and their messages the same.
    await call(ctx.db, "wake_turns_at", { turns: wakes, moment: ctx.clock.now() })
    return published.length
  } catch (error) {
    ctx.log("error", "turn.publish_failed", { turns: turns.length, error: describeError(error) })
    return 0
  }
}

function flowOf({ user_id, test, state }: Published): Flow {
  return { of: state === "queued" ? "turns" : "begun-turns", user_id, test }
}

function messageOf({ turn_id, epoch, wake_at }: Published, because: string, flow: Flow): CallbackMessage {
  const wake = wake_at ? new Date(wake_at).getTime() : 0
  return {
    path: turnCallbackPath(turn_id),
    flow,
    // Two sweepers publish one message. A message with another reason is a new one, since the message of an accept may have arrived too
    // early, before the conversation was free.
    dedupe: `${turn_id}-${epoch}-${wake}-${because}`,
  }
}

async function wakeAt(
  ctx: Context,
  { turn_id, epoch }: Pick<Published, "turn_id" | "epoch">,
  ms: number,
): Promise<void> {
  await call(ctx.db, "wake_turn_at", { turn_id, epoch, wake_at: new Date(ms), moment: ctx.clock.now() })
}

/** A turn that was queued before this has waited too long: the sweeper cancels it, and no worker starts it. */
export const queueLimit = (now: Date) => new Date(now.getTime() - TURN_POLICY.queueLimitMs)

/**
 * Publishes the turns that are first in their conversations since the turn `because` ended. Never throws; the sweeper does the rest.
 */
export async function wakeNext(ctx: Context, next: Published[], because: string): Promise<void> {
  await inParallel(next, async (turn) => {
    await publishTurn(ctx, turn, { because: `after-${because}` })
  })
}
