import type { Context } from "../actor/context.ts"
import { inParallel } from "../base/in-parallel.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import { call, callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"

export const PLAN_POLICY = {
  /** The maximum number of periods that one statement credits: a year, in case the sweeper was down for long. */
  periods: 12,
  /** The number of subscriptions per batch, and the time in milliseconds after which the sweep starts no new batch. */
  sweepBatch: 300,
  sweepMs: 40_000,
} as const

/** Adds the credit that is due for one subscription, once per period. Returns the number of processed periods. */
export async function creditSubscription(ctx: Context, subId: number): Promise<number> {
  let booked = 0
  for (let isMore = true; isMore; ) {
    const args = { sub_id: subId, most: PLAN_POLICY.periods, moment: ctx.clock.now() }
    const answer = await callOne(ctx.db, "credit_subscription", args)
    booked += answer.booked ?? 0
    isMore = answer.is_more === true
    if (answer.user_id === null) continue
    if (answer.booked) await ctx.refusals.free(answer.user_id)
    wakeWebhooks(ctx, { user_id: answer.user_id, test: false, has_subscriber: answer.has_subscriber === true })
  }
  return booked
}

/**
 * Adds the credit of plans for each period that has started. A subscription that fails does not block others: the next
 * run tries it after all others.
 */
export async function sweepPlans(ctx: Context): Promise<{ booked: number; failed: number }> {
  const sweep = { booked: 0, failed: 0 }
  const began = ctx.clock.now()
  while (ctx.clock.now().getTime() < began.getTime() + PLAN_POLICY.sweepMs) {
    const args = { moment: began, limit: PLAN_POLICY.sweepBatch }
    const due = await call(ctx.db, "take_subscriptions_to_credit", args)
    await inParallel(due, async ({ sub_id }) => {
      try {
        const booked = await creditSubscription(ctx, sub_id as number)
        sweep.booked += booked
      } catch (error) {
        sweep.failed++
        ctx.log("error", "plans.credit_failed", { sub_id, error: describeError(error) })
      }
    })
    if (due.length < PLAN_POLICY.sweepBatch) break
  }
  return sweep
}
