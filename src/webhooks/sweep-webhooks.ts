import type { Context } from "../actor/context.ts"
import { inParallel } from "../base/in-parallel.ts"
import { publishWake, type WokenEndpoint } from "../feed/wake-webhooks.ts"
import { call, callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { WEBHOOK_POLICY } from "./policies.ts"

/** Wakes the dispatcher of every endpoint with a due delivery and no recent wake: for retries, and for lost wakes. */
export async function sweepWebhooks(ctx: Context): Promise<{ woken: number; failed: number }> {
  const sweep = { woken: 0, failed: 0 }
  await call(ctx.db, "forget_hosts", { moment: ctx.clock.now() })
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
  const due = await call<"sweep_endpoints", WokenEndpoint>(ctx.db, "sweep_endpoints", {
    before: new Date(now.getTime() - WEBHOOK_POLICY.rewakeMs),
    most: WEBHOOK_POLICY.sweepBatch,
    moment: now,
  })
  const sweep = { woken: 0, failed: 0 }
  await inParallel(due, async (endpoint) => {
    try {
      await publishWake(ctx, endpoint)
      sweep.woken++
    } catch (error) {
      sweep.failed++
      ctx.log("error", "sweep.webhook_failed", { webhook_id: endpoint.webhook_id, error: describeError(error) })
    }
  })
  return sweep
}

/**
 * Gives up pending deliveries of stopped endpoints that earlier statements did not reach, or whose
 * transactions were still open. Starts with the endpoint whose last try is oldest. A failing
 * endpoint does not block others.
 */
export async function sweepStoppedWebhooks(ctx: Context): Promise<{ given_up: number; failed: number }> {
  const sweep = { given_up: 0, failed: 0 }
  const began = ctx.clock.now()
  for (let taken = 0; taken < WEBHOOK_POLICY.stopEndpoints; taken++) {
    const args = { tried_before: began, moment: ctx.clock.now() }
    const { take_stopping: webhookId } = await callOne(ctx.db, "take_stopping", args)
    if (webhookId === null) break
    try {
      for (let batch = 0; batch < WEBHOOK_POLICY.stopBatches; batch++) {
        const givenUp = await giveUp(ctx, webhookId)
        if (givenUp === 0) break
        sweep.given_up += givenUp
      }
    } catch (error) {
      sweep.failed++
      ctx.log("error", "sweep.stopping_failed", { webhook_id: webhookId, error: describeError(error) })
    }
  }
  return sweep
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
