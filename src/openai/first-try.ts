import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { hashRequest } from "../base/request-hash.ts"
import { listTurns } from "../turns/list-turns.ts"
import { OPENAI_POLICY } from "./policies.ts"

/** No Idempotency-Key of a request has a tab, so generated keys never collide with keys of callers. */
const prefixOf = (request: unknown) => `openai\t${hashRequest(request)}\t`

/** A key for a request without one. It begins with the request's hash, by which a retry finds it. */
export const newOpenAiKey = (ctx: Context, request: unknown) => prefixOf(request) + ctx.requestId

/**
 * The key of the first try of a request that a client marks as a retry; null if there is none. Clients retry seconds
 * after a failure, so the first try still runs or has ended just now. An older equal request is another request.
 */
export async function findFirstTry(
  ctx: Context,
  credential: Credential,
  { request, space, endUserRef }: { request: unknown; space: string; endUserRef: string },
): Promise<string | null> {
  const prefix = prefixOf(request)
  const { data } = await listTurns(ctx, credential, {
    filters: { space, end_user_ref: endUserRef },
    limit: OPENAI_POLICY.firstTries,
  })
  const since = ctx.clock.now().getTime() - OPENAI_POLICY.firstTryMs
  const tried = data.find(
    ({ idempotency_key: key, finished_at: at }) =>
      key.startsWith(prefix) && (at === null || new Date(at).getTime() >= since),
  )
  return tried?.idempotency_key ?? null
}
