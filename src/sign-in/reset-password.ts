import { createHash } from "node:crypto"
import * as z from "zod"
import { TurnpikeError } from "../base/errors.ts"
import { folded } from "../base/folded.ts"
import { callOne } from "../platform/db.ts"
import { sendEmail } from "../platform/email-hook.ts"
import { describeError } from "../platform/log.ts"
import type { AuthContext } from "./auth-context.ts"
import { originOfBrand } from "./brand-origin.ts"
import { limitsByAddress, takeTry } from "./login-throttle.ts"
import { sendFactorNotice } from "./notices.ts"
import { doOnce, mintToken, peekToken, tokenKey } from "./one-time-token.ts"
import { hashPassword, newPassword } from "./password.ts"
import { RESET_POLICY, TOKEN_POLICY } from "./policies.ts"
import { invalidToken } from "./sign-in-token.ts"

export const startResetSchema = z
  .strictObject({ email: z.string().min(1).max(320).meta({ example: "you@example.com" }) })
  .meta({ id: "StartPasswordReset" })

export const resetPasswordSchema = z
  .strictObject({
    token: z.string().min(1).max(512).meta({
      description: "The token of the link in the email.",
      example: "Zm9yIG9uZSBleGNoYW5nZSwgd2l0aGluIGEgbWludXQ",
    }),
    new_password: newPassword,
  })
  .meta({ id: "ResetPassword" })

interface ResetGrant {
  user_id: number
  /** The user's session_epoch when the link was made. Setting a password invalidates it. */
  epoch: number
}

export const START_RESET_ERRORS = ["EMAIL_NOT_CONFIGURED", "LOGIN_THROTTLED"] as const

/**
 * Sends a password reset link in the background. The response is the same for all emails. Admins
 * get a link only if they have a second factor. Throws EMAIL_NOT_CONFIGURED or LOGIN_THROTTLED.
 */
export async function startReset(
  ctx: AuthContext,
  { email, origin }: { email: string; origin: string },
): Promise<void> {
  if (!ctx.emailHook) throw new TurnpikeError("EMAIL_NOT_CONFIGURED", "This service sends no emails.")
  const name = email.trim()
  await takeTry(
    ctx,
    [
      ...limitsByAddress("reset:address", ctx.address, RESET_POLICY.address),
      { key: `reset:email:${keyOf(name)}`, ...RESET_POLICY.email },
    ],
    TOO_MANY,
  )
  ctx.background(
    sendLink(ctx, name, origin).catch((error: unknown) =>
      ctx.log("error", "email.failed", { kind: "password_reset", error: describeError(error) }),
    ),
  )
}

const keyOf = (email: string) => createHash("sha256").update(folded(email)).digest("hex")

const TOO_MANY = "Too many reset links for this email, or from this address."

async function sendLink(ctx: AuthContext, name: string, origin: string): Promise<void> {
  const { user_id, epoch, email, brand } = await callOne(ctx.db, "find_reset", { email: name })
  if (user_id === null || epoch === null || brand === null) return
  const home = await originOfBrand(ctx, brand, origin)
  if (home === null) return ctx.log("error", "email.not_sent", { kind: "password_reset", brand, reason: "no host" })
  // Several emails that were used in turn are one account, which has its own limit.
  await takeTry(ctx, [{ key: `reset:account:${user_id}`, ...RESET_POLICY.email }], TOO_MANY)
  const grant: ResetGrant = { user_id, epoch }
  const { token, expiresAt } = await mintToken(ctx, "password_reset", grant)
  // The token is in the fragment, so it appears in no server log and no Referer.
  const data = { url: `${home}/reset-password#token=${token}`, expires_at: expiresAt.toISOString() }
  sendEmail(ctx, { kind: "password_reset", to: email, brand, data })
}

/**
 * Sets the password of a link's account, once. Throws INVALID_TOKEN; after UNAVAILABLE the token can be sent again.
 */
export async function resetPassword(
  ctx: AuthContext,
  { token, new_password }: z.infer<typeof resetPasswordSchema>,
): Promise<void> {
  const grant = (await peekToken<ResetGrant>(ctx, "password_reset", token))?.payload
  if (!grant) throw invalidToken()
  const used = { key: `${tokenKey("password_reset", token)}:used`, ttlMs: TOKEN_POLICY.password_reset.ttlMs }
  const done = await doOnce(ctx, used, async () => {
    const { reset_password } = await callOne(ctx.db, "reset_password", {
      user_id: grant.user_id,
      epoch: grant.epoch,
      hash: await hashPassword(new_password),
      request_id: ctx.requestId,
      address: ctx.address,
      moment: ctx.clock.now(),
    })
    return reset_password
  })
  if (!done) throw invalidToken()
  sendFactorNotice(ctx, grant.user_id, { factor: "password", change: "reset" })
}
