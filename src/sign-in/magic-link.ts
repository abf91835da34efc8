import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { AuthContext } from "./auth-context.ts"
import { mintToken } from "./one-time-token.ts"
import type { SignInGrant } from "./sign-in-token.ts"
import type { IdentityKey } from "./start-session.ts"

/**
 * A link that signs a user in, once, within 10 minutes: a page of the dashboard, which exchanges the token. That is in the
 * fragment, so that no server's log and no Referer has it. `identity`: whose person has
 * asked for it. NOT_FOUND for an unknown or a disabled user.
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
