import type { Context } from "../actor/context.ts"
import { newId } from "../base/ids.ts"
import { postBehind } from "../billing/post-charges.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import { call, callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import type { Procedures } from "../platform/procedures.ts"
import { callRunner } from "../turns/call-runner.ts"
import { TURN_POLICY, TURN_WAIT_POLICY } from "../turns/policies.ts"

export interface WaitSweep {
  woken: number
  expired: number
  failed: number
}

interface WaitingAccount {
  user_id: number
  test: boolean
}

/**
 * Lets turns continue whose limits were reset or raised, in order and in small groups, and fails turns whose wait has
 * expired. With nothing due it costs two look-ups.
 */
export async function sweepWaits(ctx: Context): Promise<WaitSweep> {
  const sweep: WaitSweep = { woken: 0, expired: 0, failed: 0 }
  await expireAll(ctx, sweep)
  await wakeDue(ctx, sweep, ctx.clock.now())
  return sweep
}

/**
 * Wakes accounts whose limits were raised and that were not woken since. Call it after a request that may have raised
 * one: without such an account it costs one look-up. It never fails, because the sweep does the same later.
 */
export async function wakeRaised(ctx: Context): Promise<void> {
  // A raise makes an account due since -infinity.
  const raised = new Date(0)
  await wakeDue(ctx, { woken: 0, expired: 0, failed: 0 }, raised).catch((error: unknown) => {
    ctx.log("error", "waits.not_woken", { error: describeError(error) })
  })
}

/** Wakes the accounts that were due at `moment`. */
async function wakeDue(ctx: Context, sweep: WaitSweep, moment: Date): Promise<void> {
  const passed: string[] = []
  for (let batch = 0; batch < TURN_POLICY.sweepBatches; batch++) {
    const due = await call<"due_accounts", WaitingAccount>(ctx.db, "due_accounts", {
      passed,
      limit: TURN_WAIT_POLICY.accounts,
      moment,
    })
    for (const account of due) {
      const { user_id, test } = account
      passed.push(`${user_id} ${test}`)
      try {
        sweep.woken += await wakeAccount(ctx, account)
      } catch (error) {
        sweep.failed++
        ctx.log("error", "sweep.wait_failed", { user_id, test, error: describeError(error) })
      }
    }
    if (due.length < TURN_WAIT_POLICY.accounts) break
  }
}

/** Lets waiting turns of an account, live or test, continue as far as its limits allow. Returns how many continued. */
export async function wakeAccount(ctx: Context, { user_id, test }: WaitingAccount): Promise<number> {
  let woken = 0
  let after: string | null = ""
  let seen: number | null = null
  let due = new Date(ctx.clock.now().getTime() + TURN_WAIT_POLICY.tryMs)
  while (after !== null) {
    const now = ctx.clock.now()
    const answer: Procedures["wake_account"]["row"] = await callOne(ctx.db, "wake_account", {
      user_id,
      test,
      after,
      seen,
      due,
      again: new Date(now.getTime() + TURN_WAIT_POLICY.againMs),
      event_ids: Array.from({ length: TURN_WAIT_POLICY.wakes }, () => newId("event", now)),
      moment: now,
    })
    woken += answer.went_on ?? 0
    if (answer.has_subscriber) wakeWebhooks(ctx, { user_id, test, has_subscriber: true })
    if (answer.went_on) await callRunner(ctx)
    after = answer.last
    seen = answer.seen
    due = answer.due_at ?? due
  }
  return woken
}

async function expireAll(ctx: Context, sweep: WaitSweep): Promise<void> {
  for (let batch = 0; batch < TURN_POLICY.sweepBatches; batch++) {
    const now = ctx.clock.now()
    const { ended, next } = await callOne(ctx.db, "expire_waits", {
      limit: TURN_WAIT_POLICY.expires,
      event_ids: Array.from({ length: TURN_WAIT_POLICY.expires }, () => newId("event", now)),
      moment: now,
    })
    const count = (ended ?? []).reduce((sum, { turns }) => sum + turns, 0)
    for (const { user_id, test, has_subscriber, posts } of ended ?? []) {
      wakeWebhooks(ctx, { user_id, test, has_subscriber })
      if (posts) postBehind(ctx, user_id)
    }
    if (next) await callRunner(ctx)
    sweep.expired += count
    if (count < TURN_WAIT_POLICY.expires) break
  }
}
