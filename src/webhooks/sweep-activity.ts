import { OF_ACCOUNT } from "../actor/activity-entry.ts"
import type { Context } from "../actor/context.ts"
import { wakeWebhooksOf } from "../feed/wake-webhooks.ts"
import { call } from "../platform/db.ts"
import { WEBHOOK_POLICY } from "./policies.ts"

/** Writes the events of changes that an endpoint of their account wants, and wakes the endpoints. */
export async function sweepActivity(ctx: Context): Promise<{ taken: number }> {
  const swept = { taken: 0 }
  for (let batch = 0; batch < WEBHOOK_POLICY.sweepBatches; batch++) {
    const [row] = await call<"tell_activity", { taken: number; accounts: number[] | null }>(ctx.db, "tell_activity", {
      of_account: OF_ACCOUNT,
      most: WEBHOOK_POLICY.activityBatch,
      moment: ctx.clock.now(),
    })
    const taken = row?.taken ?? 0
    wakeWebhooksOf(
      ctx,
      (row?.accounts ?? []).map((user_id) => ({ user_id, test: false, has_subscriber: true })),
    )
    swept.taken += taken
    if (taken < WEBHOOK_POLICY.activityBatch) break
  }
  return swept
}
