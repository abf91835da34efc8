import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import * as z from "zod"
import { userSchema } from "../users/user-row.ts"
import type { AuthContext } from "./auth-context.ts"
import { botOf } from "./brand-of.ts"
import { doOnce, mintToken, peekToken, tokenKey } from "./one-time-token.ts"
import { TOKEN_POLICY } from "./policies.ts"
import type { SignedIn } from "./sign-in-messenger.ts"
import { invalidToken } from "./sign-in-token.ts"

/** The payload of a pending login's token: where, and by which browser, the login was requested. */
export interface WebLogin {
  brand: string
  host: string
  user_agent: string | null
  address: string | null
  country: string | null
  started_at: string
  /** SHA-256 of the browser's second cookie. */
  browser: string
}

/**
 * The verdict, stored next to the token with the same expiry. After the first verdict, only a denial can replace it.
 */
export type Verdict = ({ state: "confirmed" } & Omit<SignedIn, "disabled">) | { state: "denied" }

export const startedLoginSchema = z
  .object({
    token: z.string().meta({ example: "Zm9yIG9uZSBsb2dpbiwgd2l0aGluIGZpdmUgbWludXQ" }),
    url: z.url().meta({
      description: "Opens the brand's bot. Starting the bot confirms the login.",
      example: "https://t.me/turnpike_bot?start=weblogin_Zm9yIG9uZSBsb2dpbiwgd2l0aGluIGZpdmUgbWludXQ",
    }),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: "WebLogin" })

/** The request properties that describe the browser. */
interface Browser {
  url: string
  userAgent: string | null
  country: string | null
}

/**
 * Starts a login that the person confirms in the brand's bot. `cookie` binds it to the browser. Throws BOT_NOT_SET_UP.
 */
export async function startWebLogin(
  ctx: AuthContext,
  { url, userAgent, country }: Browser,
): Promise<{ login: z.infer<typeof startedLoginSchema>; cookie: string }> {
  const bot = await botOf(ctx, url)
  const cookie = randomBytes(32).toString("base64url")
  const pending: WebLogin = {
    brand: bot.brand,
    host: new URL(url).host,
    user_agent: userAgent?.slice(0, 512) ?? null,
    address: ctx.address,
    country,
    started_at: ctx.clock.now().toISOString(),
    browser: digest(cookie).toString("hex"),
  }
  const { token, expiresAt } = await mintToken(ctx, "web_login", pending)
  const link = `https://t.me/${bot.username}?start=weblogin_${token}`
  return { login: { token, url: link, expires_at: expiresAt.toISOString() }, cookie }
}

export const loginStatusQuery = z.strictObject({
  token: z.string().min(1).max(512).meta({ example: "Zm9yIG9uZSBsb2dpbiwgd2l0aGluIGZpdmUgbWludXQ" }),
})

export const loginStatusSchema = z
  .object({
    status: z.enum(["pending", "confirmed", "denied"]).meta({ example: "confirmed" }),
    user: userSchema.optional().meta({ description: "The user, only if `status` is `confirmed`." }),
  })
  .meta({ id: "WebLoginStatus" })

/**
 * The state of a login, for the browser that started it. The first poll after the confirmation runs
 * `open`. Later polls, other browsers and invalid tokens throw INVALID_TOKEN.
 */
export async function pollWebLogin<T>(
  ctx: AuthContext,
  { url, token, cookie }: { url: string; token: string; cookie: string | undefined },
  open: (user: Omit<SignedIn, "disabled">) => Promise<T>,
): Promise<{ status: "pending" | "denied" } | { status: "confirmed"; user: T }> {
  if (!cookie) throw invalidToken()
  const pending = await peekToken<WebLogin>(ctx, "web_login", token)
  if (pending?.payload.host !== new URL(url).host) throw invalidToken()
  if (!timingSafeEqual(digest(cookie), Buffer.from(pending.payload.browser, "hex"))) throw invalidToken()
  const standing = await ctx.redis.get(verdictKey(token))
  if (standing === null) return { status: "pending" }
  const verdict = JSON.parse(standing) as Verdict
  if (verdict.state === "denied") return { status: "denied" }
  const used = { key: `${tokenKey("web_login", token)}:used`, ttlMs: TOKEN_POLICY.web_login.ttlMs }
  const user = await doOnce(ctx, used, () => open(verdict))
  if (user === null) throw invalidToken()
  return { status: "confirmed", user }
}

/** Stores a verdict unless one exists, and returns the stored one; returns nothing once the login has expired. */
const DECIDE = `
local standing = redis.call('GET', KEYS[2])
if standing then return standing end
local left = redis.call('PTTL', KEYS[1])
if left <= 0 then return false end
redis.call('SET', KEYS[2], ARGV[1], 'PX', left)
return ARGV[1]`

/** Confirms a pending login. Returns the stored verdict, possibly an earlier one; null once the login has expired. */
export async function confirmWebLogin(ctx: AuthContext, token: string, user: SignedIn): Promise<Verdict | null> {
  const { user_id, epoch, identity } = user
  const verdict: Verdict = { state: "confirmed", user_id, epoch, identity }
  const keys = [tokenKey("web_login", token), verdictKey(token)]
  const standing = await ctx.redis.run<string | null>(DECIDE, keys, [JSON.stringify(verdict)])
  return standing === null ? null : (JSON.parse(standing) as Verdict)
}

const DENY = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', redis.call('PTTL', KEYS[1]))
return 1`

/** Replaces this user's confirmation by a denial, for a browser that has not polled yet. */
export async function denyWebLogin(ctx: AuthContext, token: string, userId: number): Promise<void> {
  const standing = await ctx.redis.get(verdictKey(token))
  const verdict = standing === null ? null : (JSON.parse(standing) as Verdict)
  if (standing === null || verdict?.state !== "confirmed" || verdict.user_id !== userId) return
  const denied: Verdict = { state: "denied" }
  await ctx.redis.run(DENY, [verdictKey(token)], [standing, JSON.stringify(denied)])
}

const verdictKey = (token: string) => `${tokenKey("web_login", token)}:verdict`

const digest = (text: string) => createHash("sha256").update(text).digest()
