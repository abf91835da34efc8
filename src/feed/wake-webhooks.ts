import type { Context } from "../actor/context.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"

/** An account whose endpoints may get an event. */
export interface Account {
  user_id: number
  test: boolean
  /** True if any endpoint gets a delivery. Default: false. */
  has_subscriber?: boolean
}

/** An endpoint whose dispatcher must be called. */
export interface WokenEndpoint {
  webhook_id: string
  user_id: number
  test: boolean
}

export const webhookCallbackPath = (webhookId: string) => `/callbacks/webhooks/${webhookId}`

/**
 * Publishes wakes for the account's endpoints with due deliveries, in the background. Call it after the commit.
 * `woken_at` marks a wake in progress, so there is one per endpoint. The sweep publishes lost wakes again.
 */
export function wakeWebhooks(ctx: Context, { user_id, test, has_subscriber }: Account): void {
  if (has_subscriber) ctx.background(wake(ctx, { user_id, test }))
}

/** Does the same for the changes of one statement, once per account. */
export function wakeWebhooksOf(ctx: Context, changed: readonly Account[]): void {
  const accounts = new Map<string, Account>()
  for (const { user_id, test, has_subscriber } of changed) {
    if (has_subscriber) accounts.set(`${user_id} ${test}`, { user_id, test, has_subscriber })
  }
  for (const account of accounts.values()) wakeWebhooks(ctx, account)
}

/** Publishes a call of an endpoint's dispatcher in the flow of its account. */
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
