import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { Redis } from "../platform/redis.ts"
import { bodyDigest, CLOCK_TOLERANCE_SECONDS, verifyToken } from "../platform/signed-body.ts"
import { INTERNAL_CALL } from "./internal-call.ts"

interface InternalCall {
  signature: string | undefined
  path: string
  readBody: () => Promise<ArrayBuffer>
  isRepeatable?: boolean
}

/**
 * Verifies that one of our workers sent this body to this path, and accepts each call once, since it runs an owner's
 * tool. Otherwise INVALID_SIGNATURE; a wrong token is rejected before the body is read. UNAVAILABLE without Redis,
 * which remembers the calls that were accepted. `isRepeatable`: the same call again has no further effect.
 */
export async function verifyInternalCall(
  ctx: Context & { redis: Redis },
  { signature, path, readBody, isRepeatable = false }: InternalCall,
): Promise<void> {
  if (!signature) throw new TurnpikeError("INVALID_SIGNATURE", "The request is not signed.")
  const keys = await ctx.keyRing.derive("internal-calls")
  const { issuer } = INTERNAL_CALL
  const signed = { token: signature, issuer, keys, url: ctx.callbackUrl(path), now: ctx.clock.now() }
  const { digest, id } = await verifyToken(signed).catch((error: Error) => {
    throw new TurnpikeError("INVALID_SIGNATURE", error.message, { cause: error })
  })
  if (id === undefined) throw new TurnpikeError("INVALID_SIGNATURE", "The token has no id.")
  if (digest !== (await bodyDigest(await readBody())))
    throw new TurnpikeError("INVALID_SIGNATURE", "The body was altered.")
  if (isRepeatable) return
  const ttlMs = (INTERNAL_CALL.validSeconds + 2 * CLOCK_TOLERANCE_SECONDS) * 1000
  const key = `internal:${id}`
  if (!(await ctx.redis.set(key, "1", { ttlMs, onlyNew: true })))
    throw new TurnpikeError("INVALID_SIGNATURE", "This call was already received.")
}
