import { TurnpikeError } from "../errors.ts"
import type { AuthContext } from "../identity/auth-context.ts"

/** Keeps the name of who comes first. A repeat of the very call, as after a lost answer, is told the same again. */
const CLAIM = `
local owner = redis.call('GET', KEYS[1])
if owner then return owner == ARGV[1] and 1 or 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0`

/** Whether this request is the one that may use `key`, which nobody else may for `ttlMs`. UNAVAILABLE without Redis. */
export async function claim(ctx: AuthContext, key: string, ttlMs: number): Promise<boolean> {
  const answer = await ctx.redis.run<number>(CLAIM, [key], [ctx.requestId, Math.max(1, Math.ceil(ttlMs))])
  return answer === 1
}

/**
 * Does `work` under a claim that this request has. When it failed for no fault of the caller's, the claim is given back, so
 * that the same request can be sent again.
 */
export async function underClaim<T>(ctx: AuthContext, key: string, work: () => Promise<T>): Promise<T> {
  return work().catch(async (error: unknown) => {
    const refused = error instanceof TurnpikeError && error.status < 500
    if (!refused) await ctx.redis.run(RELEASE, [key], [ctx.requestId]).catch(() => {})
    throw error
  })
}
