import { sql } from "kysely"
import type { Context } from "../context.ts"
import { inParallel } from "../in-parallel.ts"
import { describeError } from "../platform/log.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import { webhookCallbackPath } from "./wake-webhooks.ts"

/** Wakes the dispatcher of every endpoint that has something due and was not woken for a while: retries, and what was lost. */
export async function sweepWebhooks(ctx: Context): Promise<{ woken: number; failed: number }> {
  const sweep = { woken: 0, failed: 0 }
  for (let batch = 0; batch < WEBHOOK_POLICY.sweepBatches; batch++) {
    const { woken, failed } = await sweepBatch(ctx)
    sweep.woken += woken
    sweep.failed += failed
    if (woken + failed < WEBHOOK_POLICY.sweepBatch || failed > 0) break
  }
  return sweep
}

async function sweepBatch(ctx: Context): Promise<{ woken: number; failed: number }> {
  const now = ctx.clock.now()
  const before = new Date(now.getTime() - WEBHOOK_POLICY.rewakeMs)
  const { rows } = await sql<{ webhook_id: string }>`with due as materialized (
      select w.webhook_id from webhook_endpoints w
      where w.deleted_at is null and w.disabled_at is null and (w.woken_at is null or w.woken_at <= ${before}::timestamptz)
        and exists (select 1 from webhook_deliveries d where d.webhook_id = w.webhook_id and d.state = 'pending'
          and d.next_attempt_at <= ${now}::timestamptz and (d.lease_until is null or d.lease_until <= ${now}::timestamptz))
      order by w.woken_at nulls first limit ${WEBHOOK_POLICY.sweepBatch}
      -- Whoever holds it is at work on it.
      for no key update of w skip locked
    ) update webhook_endpoints w set woken_at = ${now}::timestamptz from due where w.webhook_id = due.webhook_id
    returning w.webhook_id`.execute(ctx.db)
  const sweep = { woken: 0, failed: 0 }
  await inParallel(rows, async ({ webhook_id }) => {
    try {
      await ctx.queue.publish({ path: webhookCallbackPath(webhook_id) })
      sweep.woken++
    } catch (error) {
      sweep.failed++
      ctx.log("error", "sweep.webhook_failed", { webhook_id, error: describeError(error) })
    }
  })
  return sweep
}
