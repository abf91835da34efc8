import type { Context } from "../actor/context.ts"
import { newId } from "../base/ids.ts"
import { postBehind } from "../billing/post-charges.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import { callOne } from "../platform/db.ts"
import { TURN_WAIT_POLICY } from "../turns/policies.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import type { HoldBound } from "./grow-hold.ts"
import { repeatCommit } from "./repeat-commit.ts"

/** A call for which a turn has waited (turn_calls). */
export interface KeptCall {
  step: number
  call: number
  state: "asked" | "allowed" | "denied" | "awaited" | "answered" | "early"
  offered: boolean
  edited_input: Record<string, unknown> | null
  message: string | null
}

/** A call that a turn waits for (the type `wait_call` of waiting.sql). */
export interface WaitCall {
  step: number
  call: number
  agent: string | null
  tool: string
  input: Record<string, unknown>
  input_schema: Record<string, unknown>
  /** asked: for a decision. awaited: for its result. */
  state: "asked" | "awaited"
  /** True if a worker of the owner takes the call. */
  offered: boolean
}

/** A limit that does not pay for the next model call. Amounts are credit micros. */
export interface WaitLimit {
  boundBy: HoldBound
  /** The subject of the cap's counter; null without a cap. */
  counter: string | null
  resetsAt: string | null
  needed: number
  wanted: number
}

type Waiting = "waiting" | "ready" | "cancel" | "stale"

/**
 * Lets a running turn wait: it gives back its lease, its slot and the rest of its hold. `ready`: the results came in
 * the meantime, so a runner must be called. `cancel`: it was asked to stop, and does not wait.
 */
export async function waitTurn(
  ctx: Context,
  { turn_id, epoch }: Pick<TurnRow, "turn_id" | "epoch">,
  { calls, limit, maxSeconds }: { calls: WaitCall[]; limit: WaitLimit | null; maxSeconds: number },
): Promise<Waiting> {
  const now = ctx.clock.now()
  const args = {
    turn_id,
    epoch,
    reason: {
      calls,
      bound_by: limit?.boundBy ?? null,
      counter: limit?.counter ?? null,
      resets_at: limit?.resetsAt ? new Date(limit.resetsAt) : null,
      needed: limit?.needed ?? null,
      wanted: limit?.wanted ?? null,
      again_at: new Date(now.getTime() + TURN_WAIT_POLICY.againMs),
    },
    max_seconds: maxSeconds,
    event_id: newId("event", now),
    moment: now,
  }
  const begun = await repeatCommit(ctx, () => callOne(ctx.db, "begin_wait", args))
  const { outcome, turn, has_subscriber, posts } = begun
  if (turn && has_subscriber) wakeWebhooks(ctx, { ...turn, has_subscriber })
  if (turn && posts) postBehind(ctx, turn.user_id)
  return outcome as Waiting
}
