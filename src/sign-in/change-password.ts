import * as z from "zod"
import { callAs, readAs } from "../actor/call-as.ts"
import type { SessionCredential } from "../actor/credential.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import type { AuthContext } from "./auth-context.ts"
import { takePasswordTry } from "./login-throttle.ts"
import { hashPassword, verifyPassword } from "./password.ts"
import { PASSWORD_POLICY } from "./policies.ts"
import { expiryOf } from "./start-session.ts"

export const changePasswordSchema = z
  .strictObject({
    current_password: z
      .string()
      .min(1)
      .max(PASSWORD_POLICY.maxLength)
      .optional()
      .meta({ description: "Needed when there is one.", example: "correct horse battery staple" }),
    new_password: z.string().min(PASSWORD_POLICY.minLength).max(PASSWORD_POLICY.maxLength).meta({
      description: "At least 8 characters.",
      example: "nine tall cranes by the river",
    }),
  })
  .meta({ id: "ChangePassword" })

/**
 * Sets the caller's password. All their sessions end, and what would start one; the caller goes on in a new one, whose id is
 * returned. VALIDATION_FAILED without the current password, WRONG_PASSWORD, LOGIN_THROTTLED; CONFLICT when it was changed meanwhile.
 */
export async function changePassword(
  ctx: AuthContext,
  credential: SessionCredential,
  { current_password: current, new_password: next }: z.infer<typeof changePasswordSchema>,
): Promise<string> {
  const { actor, rows } = await readAs(ctx, credential, (db) =>
    db.selectFrom("users as u").innerJoin("caller", "caller.user_id", "u.user_id").select("u.password_hash"),
  )
  const former = rows[0]?.password_hash ?? null
  if (former !== null) {
    if (current === undefined) {
      throw new TurnpikeError("VALIDATION_FAILED", "Give the current password too.", { param: "current_password" })
    }
    const { succeeded } = await takePasswordTry(ctx, { account: actor.user_id, known: true })
    if (!(await verifyPassword(current, former))) {
      throw new TurnpikeError("WRONG_PASSWORD", "The current password is not this one.")
    }
    succeeded()
  }
  const hash = await hashPassword(next)
  const now = ctx.clock.now()
  const new_session_id = newId("session", now)
  const { row } = await callAs(ctx, credential, "change_password", {
    former_hash: former,
    hash,
    new_session_id,
    expires_at: expiryOf(now),
    request_id: ctx.requestId,
    address: ctx.address,
  })
  if (!row.changed) throw new TurnpikeError("CONFLICT", "The password was changed at the same moment.")
  return new_session_id
}
