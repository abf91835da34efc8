import { createHash, randomBytes } from "node:crypto"
import { TurnpikeError } from "../base/errors.ts"
import type { AuthContext } from "./auth-context.ts"
import { TOKEN_POLICY, type TokenPurpose } from "./policies.ts"

/** What a token stands for, and until when. */
export interface OneTimeToken<Payload> {
  payload: Payload
  expiresAt: Date
}

interface Stored {
  payload: unknown
  /** Unix milliseconds. Redis forgets by its own clock; this one is ours, and exact. */
  expires_at: number
}

/**
 * Makes a one-time token of 256 bits and returns it; Redis knows only its SHA-256, beside the payload, for the time of its
 * purpose (`ttlMs`, if another). It opens nothing but its purpose. UNAVAILABLE without Redis.
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

/** What a token stands for, once: of all who ask, one gets it. Null when it is wrong, used, expired, or of another purpose. */
export async function consumeToken<Payload>(
  ctx: AuthContext,
  purpose: TokenPurpose,
  token: string,
): Promise<OneTimeToken<Payload> | null> {
  if (!isToken(token)) return null
  return read(ctx, await ctx.redis.take(tokenKey(purpose, token)))
}

/** The same, without using the token up. */
export async function peekToken<Payload>(
  ctx: AuthContext,
  purpose: TokenPurpose,
  token: string,
): Promise<OneTimeToken<Payload> | null> {
  if (!isToken(token)) return null
  return read(ctx, await ctx.redis.get(tokenKey(purpose, token)))
}

/** Where Redis has it. The purpose is a part of the key, so that no token opens anything else. */
export const tokenKey = (purpose: TokenPurpose, token: string) =>
  `token:${purpose}:${createHash("sha256").update(token).digest("hex")}`

/** 256 bits in base64url; anything else is none of ours, and costs no round trip. */
const isToken = (text: string) => /^[A-Za-z0-9_-]{43}$/.test(text)

function read<Payload>(ctx: AuthContext, text: string | null): OneTimeToken<Payload> | null {
  if (text === null) return null
  const { payload, expires_at } = JSON.parse(text) as Stored
  if (ctx.clock.now().getTime() >= expires_at) return null
  return { payload: payload as Payload, expiresAt: new Date(expires_at) }
}

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
