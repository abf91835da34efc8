import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import { WEBHOOK_POLICY } from "./policies.ts"

/**
 * Gives up what is left of endpoints that were disabled or removed: what one statement did not take, and the events whose
 * commits were under way. An endpoint is done with when nothing is left some minutes later, or when it is on again.
 */
export async function sweepStoppedWebhooks(ctx: Context): Promise<{ given_up: number }> {
  const stopping = await ctx.db
    .selectFrom("webhook_endpoints")
    .select("webhook_id")
    .where("stopping", "=", true)
    .orderBy("updated_at")
    .limit(WEBHOOK_POLICY.sweepBatch)
    .execute()
  let count = 0
  for (const { webhook_id } of stopping) {
    for (let batch = 0; batch < WEBHOOK_POLICY.stopBatches; batch++) {
      const givenUp = await giveUp(ctx, webhook_id)
      if (givenUp === 0) break
      count += givenUp
    }
  }
  return { given_up: count }
}

async function giveUp(ctx: Context, webhookId: string): Promise<number> {
  const now = ctx.clock.now()
  const { give_up_stopped } = await callOne(ctx.db, "give_up_stopped", {
    webhook_id: webhookId,
    settled: new Date(now.getTime() - WEBHOOK_POLICY.stopSettlesMs),
    stop_batch: WEBHOOK_POLICY.stopBatch,
    moment: now,
  })
  return give_up_stopped ?? 0
}
