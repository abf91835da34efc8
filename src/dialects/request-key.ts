import { type Credential, tokenOf } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import type { Dialect } from "../base/dialects.ts"
import { hashRequest } from "../base/request-hash.ts"
import { newestUnderPrefix, numberedKey, numberOf } from "../turns/newest-under-prefix.ts"
import { DIALECT_POLICY } from "./policies.ts"

/**
 * The Idempotency-Key of a request without one: a hash of the request and its caller, and a number. An equal request
 * joins a turn that still runs, since frameworks repeat what took too long without saying so. A marked retry also
 * joins one that has ended just now.
 */
export async function keyOfRequest(
  ctx: Context,
  credential: Credential,
  { dialect, request, isRetry }: { dialect: Dialect; request: unknown; isRetry: boolean },
): Promise<string> {
  const caller = tokenOf(credential)
  // No key of a caller has a tab, so generated keys never collide with them.
  const prefix = `${dialect}\t${hashRequest([caller, request])}\t`
  const last = await newestUnderPrefix(ctx, credential, prefix)
  if (!last) return numberedKey(prefix, 1)
  const { idempotency_key: key, finished_at: at, cancel_requested_at: cancelled } = last
  const isOpen = at === null && cancelled === null
  const isRecent = at !== null && new Date(at).getTime() >= ctx.clock.now().getTime() - DIALECT_POLICY.firstTryMs
  return isOpen || (isRetry && isRecent) ? key : numberedKey(prefix, numberOf(key) + 1)
}
