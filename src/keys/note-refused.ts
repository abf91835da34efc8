import type { KeyCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { describeError } from "../platform/log.ts"

/** A refusal is stored at most once in this time for each key and code, and at most two at once. In one isolate. */
const AGAIN_MS = 5_000
const AT_ONCE = 2
const REMEMBERED = 1_000

/**
 * Stores a refused request of a key in the background, for the first steps of the account's owner. A flood of refused
 * requests stores few rows. Never throws.
 */
export function noteRefused(
  ctx: Context,
  credential: KeyCredential,
  { error, operation }: { error: TurnpikeError; operation: string },
): void {
  const { refused } = ctx.doors
  const one = `${credential.hash} ${error.code}`
  const now = ctx.clock.now().getTime()
  const until = refused.until.get(one)
  if ((until !== undefined && now < until) || refused.storing >= AT_ONCE) return
  if (refused.until.size >= REMEMBERED) refused.until.clear()
  refused.until.set(one, now + AGAIN_MS)
  refused.storing++
  const { code, param = null } = error
  const stored = callAs(ctx, credential, "note_refused_request", { code, operation: operation.slice(0, 200), param })
    .catch((why: unknown) => {
      // The key itself may no longer be valid, which its refusal says.
      if (!(why instanceof TurnpikeError)) ctx.log("error", "key.refusal_unnoted", { error: describeError(why) })
    })
    .finally(() => refused.storing--)
  ctx.background(stored)
}
