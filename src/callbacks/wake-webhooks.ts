import type { Context } from "../actor/context.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"

/** Whose webhooks are to hear. */
export interface Account {
  user_id: number
  test: boolean
  /** Not there: nobody hears. */
  hooked?: boolean
}

export const webhookCallbackPath = (webhookId: string) => `/callbacks/webhooks/${webhookId}`

/**
 * Has the queue call the dispatchers of an account that have something due, in the background, behind the commit that made it
 * due. One wake is enough until it has arrived: `woken_at` says that one is under way. What is lost, the sweeper finds.
 */
export function wakeWebhooks(ctx: Context, { user_id, test, hooked }: Account): void {
  if (hooked) ctx.background(wake(ctx, { user_id, test }))
}

async function wake(ctx: Context, { user_id, test }: Account): Promise<void> {
  try {
    const woken = await call<"wake_endpoints", { webhook_id: string }>(ctx.db, "wake_endpoints", {
      user_id,
      test,
      moment: ctx.clock.now(),
    })
    await Promise.all(woken.map(({ webhook_id }) => ctx.queue.publish({ path: webhookCallbackPath(webhook_id) })))
  } catch (error) {
    ctx.log("error", "webhooks.wake_failed", { error: describeError(error) })
  }
}
