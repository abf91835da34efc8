import { createHash, randomBytes } from "node:crypto"
import { TurnpikeError } from "../base/errors.ts"
import type { AuthContext } from "./auth-context.ts"
import { TOKEN_POLICY, type TokenPurpose } from "./policies.ts"

/** The payload of a token, and its expiry. */
export interface OneTimeToken<Payload> {
  payload: Payload
  expiresAt: Date
}

interface Stored {
  payload: unknown
  /** Unix milliseconds by our clock. Redis expires keys by its own clock. */
  expires_at: number
}

/**
 * Makes a one-time token of 256 bits for one purpose. Redis stores only its SHA-256 with the
 * payload, for the purpose's lifetime or `ttlMs`. Throws UNAVAILABLE without Redis.
 */
export async function mintToken(
  ctx: Pick<AuthContext, "redis" | "clock">,
  purpose: TokenPurpose,
  payload: unknown,
  ttlMs: number = TOKEN_POLICY[purpose].ttlMs,
): Promise<{ token: string; expiresAt: Date }> {
  const token = randomBytes(32).toString("base64url")
  const expiresAt = new Date(ctx.clock.now().getTime() + ttlMs)
  const stored: Stored = { payload, expires_at: expiresAt.getTime() }
  await ctx.redis.set(tokenKey(purpose, token), JSON.stringify(stored), { ttlMs })
  return { token, expiresAt }
}

/** Consumes a token: one of several callers gets it. Null for a wrong, used or expired token, or another purpose. */
export async function consumeToken<Payload>(
  ctx: AuthContext,
  purpose: TokenPurpose,
  token: string,
): Promise<OneTimeToken<Payload> | null> {
  if (!isToken(token)) return null
  return read(ctx, await ctx.redis.take(tokenKey(purpose, token)))
}

/** Reads a token without consuming it. */
export async function peekToken<Payload>(
  ctx: AuthContext,
  purpose: TokenPurpose,
  token: string,
): Promise<OneTimeToken<Payload> | null> {
  if (!isToken(token)) return null
  return read(ctx, await ctx.redis.get(tokenKey(purpose, token)))
}

/** A token's key in Redis. It contains the purpose, so a token is valid for that purpose only. */
export const tokenKey = (purpose: TokenPurpose, token: string) =>
  `token:${purpose}:${createHash("sha256").update(token).digest("hex")}`

/** True for 256 bits in base64url. Any other text is rejected without a round trip. */
const isToken = (text: string) => /^[A-Za-z0-9_-]{43}$/.test(text)

function read<Payload>(ctx: AuthContext, text: string | null): OneTimeToken<Payload> | null {
  if (text === null) return null
  const { payload, expires_at } = JSON.parse(text) as Stored
  if (ctx.clock.now().getTime() >= expires_at) return null
  return { payload: payload as Payload, expiresAt: new Date(expires_at) }
}

/** Stores the first request's id. If that request repeats the call, after a lost response, it gets the same answer. */
const CLAIM = `
local owner = redis.call('GET', KEYS[1])
if owner then return owner == ARGV[1] and 1 or 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0`

/**
 * Runs `work` if this request is the first with `key` within `ttlMs`; returns null for every other
 * request. If it fails through no fault of the caller, the key is free again and the request can be
 * repeated. Throws UNAVAILABLE without Redis.
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
