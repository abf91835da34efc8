import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { editAs } from "../actor/edit-as.ts"
import { fromUsd, usdAmount } from "../base/money.ts"
import { endUserTurns } from "../ending/causes.ts"
import type { Answers } from "../platform/procedures.ts"
import { type AdminUser, serializeAdminUser, USER_REFUSALS, userFields } from "./admin-user.ts"

const { name, email, role, brand } = userFields

/** UpdateUser of docs/contract.md: what is left out stays as it is, null clears. */
export const updateUserSchema = z
  .strictObject({
    name,
    email: email.nullable().optional(),
    email_verified: z
      .boolean()
      .optional()
      .meta({ description: "A new email is not verified unless you say so.", example: true }),
    role: role.optional(),
    brand: brand.optional(),
    disabled: z.boolean().optional().meta({
      description: "`true` ends the account's sessions and turns, and stops its keys and webhooks.",
      example: false,
    }),
    low_balance_usd: usdAmount.optional().meta({ description: "Below it the event `balance.low` is sent; 0: never." }),
    end_user_daily_usd: usdAmount.nullable().optional().meta({
      description: "What each of their customers may spend in a UTC day, without a limit of their own; null: no limit.",
      example: 0.5,
    }),
    end_user_monthly_usd: usdAmount
      .nullable()
      .optional()
      .meta({ description: "The same for a UTC month.", example: 5 }),
  })
  .meta({ id: "UpdateUser" })

/**
 * Edits an account for an admin. NOT_FOUND, VERSION_MISMATCH, EMAIL_TAKEN; LAST_ADMIN when no admin who can sign in would be left;
 * VALIDATION_FAILED for a brand that is not there.
 */
export async function updateUser(
  ctx: Context,
  credential: SessionCredential,
  userId: number,
  { update, ifVersion }: { update: z.infer<typeof updateUserSchema>; ifVersion: number | null },
): Promise<AdminUser> {
  const { disabled, low_balance_usd: low, end_user_daily_usd: daily, end_user_monthly_usd: monthly, ...user } = update
  const wallet = {
    ...(low !== undefined && { low_balance_credit_micros: fromUsd(low) }),
    ...(daily !== undefined && { end_user_daily_credit_micros: daily && fromUsd(daily) }),
    ...(monthly !== undefined && { end_user_monthly_credit_micros: monthly && fromUsd(monthly) }),
  }
  const edited = await editAs(ctx, credential, "update_user", {
    args: { user_id: userId, user, wallet, disabled: disabled ?? null, own_brand: ctx.brand, if_version: ifVersion },
    refusals: USER_REFUSALS,
    serialize: serializeAdminUser,
  })
  // If this is lost, the sweeper does it within a minute.
  if (disabled) ctx.background(endUserTurns(ctx, userId).catch(() => {}))
  return edited
}

/** Ends all sessions of a user, and everything that would start one. Answers how many there were. NOT_FOUND. */
export async function endUserSessions(
  ctx: Context,
  credential: SessionCredential,
  userId: number,
): Promise<{ ended: number }> {
  return editAs(ctx, credential, "end_user_sessions", {
    args: { user_id: userId },
    refusals: USER_REFUSALS,
    serialize: (entity: Answers["ended_answer"]) => entity,
  })
}
