import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { editAs } from "../actor/edit-as.ts"
import { fromUsd, usdAmount } from "../base/money.ts"
import { endUserTurns } from "../ending/causes.ts"
import type { Answers } from "../platform/procedures.ts"
import { type AdminUser, serializeAdminUser, USER_REFUSALS, userFields } from "./admin-user.ts"

const { name, email, role, brand } = userFields

/** UpdateUser of docs/contract.md. Omitted fields do not change; null clears a field. */
export const updateUserSchema = z
  .strictObject({
    name,
    email: email.nullable().optional(),
    email_verified: z.boolean().optional().meta({
      description: "Whether the email is verified. Default: false for a new email; otherwise unchanged.",
      example: true,
    }),
    role: role.optional(),
    brand: brand.optional(),
    disabled: z.boolean().optional().meta({
      description:
        "`true` disables the account: it ends its sessions and turns, and disables its keys and webhooks. `false` enables it.",
      example: false,
    }),
    reason: z.string().trim().min(3).max(500).optional().meta({
      description: "Why you change the account. The audit log records it.",
      example: "Ticket 4711: the account sends spam",
    }),
    low_balance_usd: usdAmount.optional().meta({
      description: "The event `balance.low` is sent when the balance falls below this amount. 0 disables the event.",
    }),
    end_user_daily_usd: usdAmount.nullable().optional().meta({
      description:
        "Default daily cap per end user, in USD per UTC day; null removes it. A cap of the end user replaces it.",
      example: 0.5,
    }),
    end_user_monthly_usd: usdAmount
      .nullable()
      .optional()
      .meta({ description: "Default monthly cap per end user, in USD per UTC month; null removes it.", example: 5 }),
  })
  .meta({ id: "UpdateUser" })

export const UPDATE_USER_ERRORS = ["NOT_FOUND", "LAST_ADMIN", "EMAIL_TAKEN"] as const

/** Edits an account for an admin. NOT_FOUND, VERSION_MISMATCH, EMAIL_TAKEN, LAST_ADMIN, VALIDATION_FAILED. */
export async function updateUser(
  ctx: Context,
  credential: SessionCredential,
  userId: number,
  { update, ifVersion }: { update: z.infer<typeof updateUserSchema>; ifVersion: number | null },
): Promise<AdminUser> {
  const { disabled, reason, low_balance_usd: low, ...rest } = update
  const { end_user_daily_usd: daily, end_user_monthly_usd: monthly, ...user } = rest
  const wallet = {
    ...(low !== undefined && { low_balance_credit_micros: fromUsd(low) }),
    ...(daily !== undefined && { end_user_daily_credit_micros: daily && fromUsd(daily) }),
    ...(monthly !== undefined && { end_user_monthly_credit_micros: monthly && fromUsd(monthly) }),
  }
  const edited = await editAs(ctx, credential, "update_user", {
    args: {
      user_id: userId,
      user,
      wallet,
      disabled: disabled ?? null,
      own_brand: ctx.brand,
      if_version: ifVersion,
      reason: reason ?? null,
    },
    refusals: USER_REFUSALS,
    serialize: serializeAdminUser,
  })
  // If this call is lost, the sweeper ends the turns within a minute.
  if (disabled) ctx.background(endUserTurns(ctx, userId).catch(() => {}))
  return edited
}

/** Ends all sessions of a user, and returns how many there were. NOT_FOUND. */
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
