import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { takeOfAccount } from "../platform/rate-limit.ts"
import type { AuthContext } from "./auth-context.ts"
import { doOnce, mintToken, peekToken, tokenKey } from "./one-time-token.ts"
import { TOKEN_POLICY } from "./policies.ts"
import { hashOfToken, sessionIdOf } from "./session-token.ts"
import type { GivingSession, IdentityKey } from "./start-session.ts"

/** The payload of a token with the purpose `sign_in`. */
export interface SignInGrant {
  user_id: number
  /** The user's session_epoch when the token was made. Ending all their sessions invalidates the token. */
  epoch: number
  /** The session that requested the token. The token is invalid once this session has ended. */
  session?: GivingSession
  /** The identity that requested the token. The token is invalid once this identity is unlinked. */
  identity?: IdentityKey
}

export const appTokenSchema = z
  .object({
    token: z.string().meta({ example: "Zm9yIG9uZSBleGNoYW5nZSwgd2l0aGluIGEgbWludXQ" }),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: "AppToken" })

/**
 * Makes a one-time token of 60 s that gives an app's webview a session of the same user (docs/contract.md).
 * It needs no fresh proof: the new session is neither fresher nor longer than this one.
 */
export async function mintAppToken(
  ctx: AuthContext,
  credential: SessionCredential,
): Promise<z.infer<typeof appTokenSchema>> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("users as u")
      .innerJoin("caller", "caller.user_id", "u.user_id")
      .select(["u.user_id", "u.session_epoch as epoch"]),
  )
  const [user] = rows
  if (!user) throw new Error("a session without its user")
  const wait = await takeOfAccount(ctx.redis, "app-token", user.user_id, TOKEN_POLICY.sign_in.app)
  if (wait > 0) {
    throw new TurnpikeError("LOGIN_THROTTLED", `Too many app tokens of this account. Try again in ${wait} s.`, {
      retryAfter: wait,
    })
  }
  const grant: SignInGrant = {
    ...user,
    session: { id: sessionIdOf(credential.token), hash: hashOfToken(credential.token) },
  }
  const { token, expiresAt } = await mintToken(ctx, "sign_in", grant, TOKEN_POLICY.sign_in.appMs)
  return { token, expires_at: expiresAt.toISOString() }
}

/** MagicExchange in docs/contract.md: a magic token or an app token. */
export const magicExchangeSchema = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(512)
      .meta({ example: "Zm9yIG9uZSBleGNoYW5nZSwgd2l0aGluIGEgbWludXQ", description: "A magic token, or an app token." }),
  })
  .meta({ id: "MagicExchange" })

/**
 * Consumes a magic or app token, and runs `open`. Throws INVALID_TOKEN; after UNAVAILABLE the token can be sent again.
 */
export async function redeemSignInToken<T>(
  ctx: AuthContext,
  token: string,
  open: (grant: SignInGrant) => Promise<T>,
): Promise<T> {
  const found = await peekToken<SignInGrant>(ctx, "sign_in", token)
  if (!found) throw invalidToken()
  const used = { key: `${tokenKey("sign_in", token)}:used`, ttlMs: TOKEN_POLICY.sign_in.ttlMs }
  const opened = await doOnce(ctx, used, () => open(found.payload))
  if (opened === null) throw invalidToken()
  return opened
}

export const invalidToken = () =>
  new TurnpikeError("INVALID_TOKEN", "This token is wrong, was used or has expired. Ask for a new one.")

/**
 * Makes a link that signs a user in once, within 10 minutes. The token is in the fragment, so it appears in
 * no server log and no Referer. `identity` requested it. Throws NOT_FOUND for an unknown or disabled user.
 */
export async function mintMagicLink(
  ctx: Pick<Context, "db" | "clock"> & Pick<AuthContext, "redis">,
  { userId, origin, identity }: { userId: number; origin: string; identity?: IdentityKey },
): Promise<{ url: string; expiresAt: Date }> {
  const user = await ctx.db
    .selectFrom("users")
    .select("session_epoch")
    .where("user_id", "=", userId)
    .where("disabled_at", "is", null)
    .executeTakeFirst()
  if (!user) throw new TurnpikeError("NOT_FOUND", `There is no user ${userId}, or the user is disabled.`)
  const grant: SignInGrant = { user_id: userId, epoch: user.session_epoch, ...(identity && { identity }) }
  const { token, expiresAt } = await mintToken(ctx, "sign_in", grant)
  return { url: `${new URL(origin).origin}/magic#token=${token}`, expiresAt }
}
