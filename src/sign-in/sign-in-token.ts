import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { AuthContext } from "./auth-context.ts"
import { doOnce, mintToken, peekToken, tokenKey } from "./one-time-token.ts"
import { TOKEN_POLICY } from "./policies.ts"
import { hashOfToken, sessionIdOf } from "./session-token.ts"
import type { GivingSession, IdentityKey } from "./start-session.ts"

/** The payload of a token of the purpose `sign_in`. */
export interface SignInGrant {
  user_id: number
  /** The user's session_epoch when it was made. Ending all their sessions ends this token too. */
  epoch: number
  /** The session that asked for it. When that ends, this token ends too. */
  session?: GivingSession
  /** The identity that asked for it. When that is unlinked, this token ends too. */
  identity?: IdentityKey
}

export const appTokenSchema = z
  .object({
    token: z.string().meta({ example: "Zm9yIG9uZSBleGNoYW5nZSwgd2l0aGluIGEgbWludXQ" }),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: "AppToken" })

/**
 * A one-time token of 60 s that gives an app's webview a session of the same user (docs/contract.md). It asks for no proof: the new
 * session was proved when this one was, and lives no longer, so it has no power that this one lacks.
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
  const grant: SignInGrant = {
    ...user,
    session: { id: sessionIdOf(credential.token), hash: hashOfToken(credential.token) },
  }
  const { token, expiresAt } = await mintToken(ctx, "sign_in", grant, TOKEN_POLICY.sign_in.appMs)
  return { token, expires_at: expiresAt.toISOString() }
}

/** MagicExchange of docs/contract.md: a magic token, or an app token. */
export const magicExchangeSchema = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(512)
      .meta({ example: "Zm9yIG9uZSBleGNoYW5nZSwgd2l0aGluIGEgbWludXQ", description: "A magic token, or an app token." }),
  })
  .meta({ id: "MagicExchange" })

/** Uses up a magic or an app token, and runs `open` for its user. INVALID_TOKEN. After UNAVAILABLE the same token can be sent again. */
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
 * A link to a page of the dashboard that signs a user in, once, within 10 minutes. The token is in the fragment, so no server's log and
 * no Referer has it. `identity`: the identity that asked for it. NOT_FOUND for an unknown or a disabled user.
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
  if (!user) throw new TurnpikeError("NOT_FOUND", `There is no user ${userId} who can sign in.`)
  const grant: SignInGrant = { user_id: userId, epoch: user.session_epoch, ...(identity && { identity }) }
  const { token, expiresAt } = await mintToken(ctx, "sign_in", grant)
  return { url: `${new URL(origin).origin}/magic#token=${token}`, expiresAt }
}
