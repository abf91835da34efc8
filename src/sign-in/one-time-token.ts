import { createHash, randomBytes } from "node:crypto"
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
