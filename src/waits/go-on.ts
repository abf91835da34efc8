import type { Context } from "../actor/context.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import { callRunner } from "../turns/call-runner.ts"

interface Changed {
  turn: { user_id: number; test: boolean } | null
  went_on: boolean | null
  has_subscriber: boolean | null
}

/** Calls a runner for a turn that continues, and wakes webhooks. Call it after the commit. */
export function goOn(ctx: Context, { turn, went_on, has_subscriber }: Changed): void {
  if (turn && has_subscriber) wakeWebhooks(ctx, { user_id: turn.user_id, test: turn.test, has_subscriber })
  if (went_on) ctx.background(callRunner(ctx))
}
