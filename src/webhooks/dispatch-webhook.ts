import { publishWake, wakeWebhooks } from "../feed/wake-webhooks.ts"
import type { Attempt, DispatchContext } from "./attempt-delivery.ts"
import { attemptDelivery } from "./attempt-delivery.ts"
import {
  type ClaimedDelivery,
  type ClaimedEndpoint,
  claimDeliveries,
  noteWake,
  releaseDeliveries,
} from "./claim-deliveries.ts"
import type { EndpointRow } from "./endpoint-row.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import { recordAttempts } from "./record-attempts.ts"
import { openSigningSecrets } from "./signing.ts"

/** The result of a run, for the response and the log. */
export interface Dispatch {
  delivered: number
  failed: number
  disabled: string | null
}

/**
 * One run of an endpoint's dispatcher. It sends due deliveries until none is left, or until its time is
 * over and it wakes the next run. If it dies, its leases expire and the sweep wakes another run.
 */
export async function dispatchWebhook(ctx: DispatchContext, webhookId: string): Promise<Dispatch> {
  await noteWake(ctx, webhookId)
  const until = ctx.clock.now().getTime() + WEBHOOK_POLICY.runBudgetMs
  const done: Dispatch = { delivered: 0, failed: 0, disabled: null }
  for (;;) {
    const { endpoint, deliveries, next_due_at } = await claimDeliveries(ctx, webhookId)
    if (!endpoint) return done
    if (deliveries.length === 0) {
      await wakeForRetry(ctx, endpoint, next_due_at)
      return done
    }
    const { attempts, left } = await attemptAll(ctx, endpoint, deliveries, until)
    const recorded = attempts.length > 0 ? await recordAttempts(ctx, endpoint, attempts) : null
    const delivered = attempts.filter(({ ok }) => ok).length
    done.delivered += delivered
    done.failed += attempts.length - delivered
    if (recorded?.reason) {
      const { reason, has_subscriber } = recorded
      ctx.log("info", "webhook.disabled", { webhook_id: webhookId, reason })
      wakeWebhooks(ctx, { ...endpoint, has_subscriber })
      return { ...done, disabled: reason }
    }
    if (left.length > 0) await releaseDeliveries(ctx, left)
    if (ctx.clock.now().getTime() >= until) {
      await publishWake(ctx, endpoint)
      return done
    }
  }
}

/** Sends at most `concurrency` deliveries at a time. `left`: deliveries not started before the run's time was over. */
async function attemptAll(
  ctx: DispatchContext,
  endpoint: ClaimedEndpoint,
  deliveries: ClaimedDelivery[],
  until: number,
): Promise<{ attempts: Attempt[]; left: ClaimedDelivery[] }> {
  const secrets = await openSigningSecrets(ctx, endpoint.webhook_id, endpoint.secrets)
  const attempts: Attempt[] = []
  const waiting = [...deliveries]
  const worker = async () => {
    while (waiting.length > 0 && ctx.clock.now().getTime() < until) {
      attempts.push(await attemptDelivery(ctx, { endpoint, secrets }, waiting.shift() as ClaimedDelivery))
    }
  }
  await Promise.all(Array.from({ length: WEBHOOK_POLICY.concurrency }, worker))
  return { attempts, left: waiting }
}

/** Publishes a wake for a retry that is due soon. The sweep wakes for later ones. */
async function wakeForRetry(ctx: DispatchContext, endpoint: EndpointRow, at: Date | null): Promise<void> {
  if (at === null) return
  // One wake serves all retries that are due within the same second. It is published for the end of that second.
  const second = Math.ceil(at.getTime() / 1000)
  const delayMs = second * 1000 - ctx.clock.now().getTime()
  if (delayMs > WEBHOOK_POLICY.ownWakeMs) return
  await publishWake(ctx, endpoint, { delayMs, dedupe: `${endpoint.webhook_id}-retry-${second}` })
}
