import { sql } from "kysely"
import * as z from "zod"
import { TurnpikeError } from "../errors.ts"
import { queryAs } from "./actor.ts"
import { auditCte } from "./audit.ts"
import type { AuthContext } from "./auth-context.ts"
import type { SessionCredential } from "./credential.ts"
import { takePasswordTry } from "./login-throttle.ts"
import { hashPassword, verifyPassword } from "./password.ts"
import { PASSWORD_POLICY } from "./policies.ts"
import { endAllCtes, renewedCte } from "./renew-session.ts"

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
  const { actor, row } = await queryAs<{ hash: string | null }>(ctx, credential, {
    select: sql`select u.password_hash as hash from caller join users u on u.user_id = caller.user_id`,
  })
  if (row.hash !== null) {
    if (current === undefined) {
      throw new TurnpikeError("VALIDATION_FAILED", "Give the current password too.", { param: "current_password" })
    }
    const { succeeded } = await takePasswordTry(ctx, { account: actor.user_id, known: true })
    if (!(await verifyPassword(current, row.hash))) {
      throw new TurnpikeError("WRONG_PASSWORD", "The current password is not this one.")
    }
    succeeded()
  }
  const unchanged = sql`u.password_hash is not distinct from ${row.hash}::text`
  const changed = await queryAs<{ session_id: string | null }>(ctx, credential, {
    ctes: sql`${endAllCtes(unchanged, sql`, password_hash = ${await hashPassword(next)}`)}, ${renewedCte(ctx)}, ${auditCte(
      ctx,
      {
        action: "user.password",
        subject: { type: "user", id: sql`bumped.user_id` },
        actor: sql`bumped.user_id`,
        before: sql`jsonb_build_object('has_password', ${row.hash !== null}::boolean)`,
        after: sql`jsonb_build_object('has_password', true)`,
        from: sql`bumped`,
      },
    )}`,
    select: sql`select (select session_id from renewed) as session_id`,
  })
  if (!changed.row.session_id) throw new TurnpikeError("CONFLICT", "The password was changed at the same moment.")
  return changed.row.session_id
}
