import type { Context } from "../actor/context.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"

/** The account whose webhooks get an event. */
export interface Account {
  user_id: number
  test: boolean
  /** Whether any endpoint gets a delivery; left out: no. */
  has_subscriber?: boolean
}

/** An endpoint whose dispatcher is to be called. */
export interface WokenEndpoint {
  webhook_id: string
  user_id: number
  test: boolean
}

export const webhookCallbackPath = (webhookId: string) => `/callbacks/webhooks/${webhookId}`

/**
 * Asks the queue, in the background and after the commit, to call the dispatchers of an account that have something due. One wake is
 * enough until it arrives: `woken_at` says that one is under way. The sweeper finds lost wakes.
 */
export function wakeWebhooks(ctx: Context, { user_id, test, has_subscriber }: Account): void {
  if (has_subscriber) ctx.background(wake(ctx, { user_id, test }))
}

/** The same for what one statement has changed, once for each account. */
export function wakeWebhooksOf(ctx: Context, changed: readonly Account[]): void {
  const accounts = new Map<string, Account>()
  for (const { user_id, test, has_subscriber } of changed) {
    if (has_subscriber) accounts.set(`${user_id} ${test}`, { user_id, test, has_subscriber })
  }
  for (const account of accounts.values()) wakeWebhooks(ctx, account)
}

/** Asks the queue for a run of an endpoint's dispatcher, in the lane of its account. */
export function publishWake(
  ctx: Context,
  { webhook_id, user_id }: WokenEndpoint,
  options: { delayMs?: number; dedupe?: string } = {},
): Promise<void> {
  const flow = { of: "webhooks", user_id } as const
  return ctx.queue.publish({ path: webhookCallbackPath(webhook_id), flow, ...options })
}

async function wake(ctx: Context, { user_id, test }: Account): Promise<void> {
  try {
    const woken = await call<"wake_endpoints", { webhook_id: string }>(ctx.db, "wake_endpoints", {
      user_id,
      test,
      moment: ctx.clock.now(),
    })
    await Promise.all(woken.map(({ webhook_id }) => publishWake(ctx, { webhook_id, user_id, test })))
  } catch (error) {
    ctx.log("error", "webhooks.wake_failed", { error: describeError(error) })
  }
}
