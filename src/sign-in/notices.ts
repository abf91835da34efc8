import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import { sendEmail } from "../platform/email-hook.ts"
import { describeError } from "../platform/log.ts"
import type { AdminUser } from "../users/admin-user.ts"
import type { User } from "../users/user-row.ts"
import type { AuthContext } from "./auth-context.ts"

/** Emails a user about a sign-in from a new place. The procedure has written the same notice to the feed. */
export function sendSignInNotice(ctx: Context, { email, brand }: User, userAgent: string | null): void {
  const data = { address: ctx.address, user_agent: userAgent, at: ctx.clock.now().toISOString() }
  sendEmail(ctx, { kind: "new_login", to: email, brand, data })
}

/** Emails a user about a change to a password, an email, an identity or a second factor. */
export const sendFactorNotice = (ctx: Context, userId: number, data: { factor: string; change: string }) =>
  sendTo(ctx, userId, "factor_changed", data)

/**
 * Runs an admin's edit of an account; `email` is the new email, if the edit sets one. If the email
 * changes, both addresses get a notice: the former one may belong to the rightful owner.
 */
export async function tellingEmail(
  ctx: Context,
  { userId, email }: { userId: number; email: string | null | undefined },
  edit: () => Promise<AdminUser>,
): Promise<AdminUser> {
  if (!ctx.emailHook || email === undefined) return edit()
  const former = await addressOf(ctx, userId)
  const edited = await edit()
  if (edited.email !== former.email) {
    const data = { factor: "email", change: "set_by_admin", at: ctx.clock.now().toISOString() }
    for (const to of [former.email, edited.email]) {
      sendEmail(ctx, { kind: "factor_changed", to, brand: edited.brand, data })
    }
  }
  return edited
}

/**
 * Notifies a user in the feed and by email that password sign-ins are throttled, at most once per
 * hour. It runs in the background, after the response.
 */
export function tellLocked(ctx: AuthContext, userId: number): void {
  const told = async () => {
    const isFirst = await ctx.redis.set(`login:told:${userId}`, "1", { ttlMs: HOUR_MS, onlyNew: true })
    if (!isFirst) return
    await callOne(ctx.db, "tell_locked", { user_id: userId, address: ctx.address, moment: ctx.clock.now() })
    sendTo(ctx, userId, "login_locked", { address: ctx.address })
  }
  ctx.background(
    told().catch((error: unknown) => ctx.log("error", "login.lock_not_told", { error: describeError(error) })),
  )
}

const HOUR_MS = 3_600_000

function sendTo(ctx: Context, userId: number, kind: "factor_changed" | "login_locked", data: object): void {
  if (!ctx.emailHook) return
  const sent = async () => {
    const { email, brand } = await addressOf(ctx, userId)
    sendEmail(ctx, { kind, to: email, brand, data: { ...data, at: ctx.clock.now().toISOString() } })
  }
  ctx.background(
    sent().catch((error: unknown) => ctx.log("error", "email.failed", { kind, error: describeError(error) })),
  )
}

/** Returns an empty address for an unknown user too: the edit reports that error. */
async function addressOf({ db }: Context, userId: number): Promise<Pick<User, "email" | "brand">> {
  const query = db.selectFrom("users as u").select(["u.email", "u.brand"]).where("u.user_id", "=", userId)
  return (await query.executeTakeFirst()) ?? { email: null, brand: "" }
}
