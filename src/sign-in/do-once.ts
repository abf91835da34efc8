import { TurnpikeError } from "../base/errors.ts"
import type { AuthContext } from "./auth-context.ts"

/** Keeps the name of who comes first. A repeat of the very call, as after a lost answer, is told the same again. */
const CLAIM = `
local owner = redis.call('GET', KEYS[1])
if owner then return owner == ARGV[1] and 1 or 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0`

/**
 * Does `work` if this request is the first that asks for `key` within `ttlMs`; null for every other. When it fails for no fault
 * of the caller's, the key is free again, so that the same request can be repeated. UNAVAILABLE without Redis.
 */
export async function doOnce<T>(
  ctx: AuthContext,
  { key, ttlMs }: { key: string; ttlMs: number },
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    const first = await ctx.redis.run<number>(CLAIM, [key], [ctx.requestId, Math.max(1, Math.ceil(ttlMs))])
    return first === 1 ? await work() : null
  } catch (error) {
    const isRefusal = error instanceof TurnpikeError && error.status < 500
    if (!isRefusal) await ctx.redis.run(RELEASE, [key], [ctx.requestId]).catch(() => {})
    throw error
  }
}
