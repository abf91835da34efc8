import { type ExpressionBuilder, expressionBuilder } from "kysely"
import * as z from "zod"
import type { CallerDB } from "../actor/call-as.ts"
import type { Refusals } from "../actor/edit-as.ts"
import { TurnpikeError } from "../base/errors.ts"
import { MICROS_PER_USD, toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import { walletColumns } from "../billing/account-sums.ts"
import type { DB } from "../platform/db-types.ts"
import type { Answers } from "../platform/procedures.ts"
import { userSchema } from "./user-row.ts"

/** A user in answers to admins. */
export const adminUserSchema = userSchema
  .extend({
    messenger_id: z.string().nullable().meta({
      description: "The id of the user on the messaging platform; null if no messaging identity is linked.",
      example: "248289761",
    }),
    has_password: z
      .boolean()
      .meta({ description: "Whether the user has a password and can sign in with it.", example: true }),
    disabled_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "The time at which the account was disabled; null if it is active.", example: null }),
    balance_usd: z.number().meta({ example: 12.5 }),
    low_balance_usd: z.number().meta({
      description: "The event `balance.low` is sent when the balance falls below this amount. 0 disables the event.",
    }),
    end_user_daily_usd: z.number().nullable().meta({
      description:
        "Default daily cap per end user, in USD per UTC day; null if no default is set. A cap of the end user replaces it.",
    }),
    end_user_monthly_usd: z
      .number()
      .nullable()
      .meta({ description: "Default monthly cap per end user, in USD per UTC month; null if no default is set." }),
    version: z.int().meta({ description: "Increases with each edit.", example: 3 }),
    updated_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "The time of the last edit; null if the user was never edited." }),
    updated_by: z.int().nullable().meta({
      description: "The admin who made the last edit; null if it was the owner or the command line.",
      example: 1,
    }),
  })
  .meta({ id: "AdminUser" })

export type AdminUser = z.infer<typeof adminUserSchema>

/** The row that procedures return, and that queries select with `adminUserColumns`. Amounts are in credit micros. */
export type AdminUserRow = Answers["admin_user_answer"] & Pick<AdminUser, "role">

/** The default of `wallets.low_balance_credit_micros` in schema.sql, for an account without a wallet. */
const LOW_BALANCE = MICROS_PER_USD

const usdOf = (micros: number | null) => (micros === null ? null : toUsd(micros))

export function serializeAdminUser(row: AdminUserRow): AdminUser {
  return {
    user_id: row.user_id,
    name: row.name,
    email: row.email,
    email_verified: row.email_verified,
    role: row.role,
    brand: row.brand,
    messenger_id: row.messenger_id,
    has_password: row.has_password,
    disabled_at: toInstant(row.disabled_at),
    balance_usd: toUsd(row.balance ?? 0),
    low_balance_usd: toUsd(row.low_balance ?? LOW_BALANCE),
    end_user_daily_usd: usdOf(row.end_user_daily),
    end_user_monthly_usd: usdOf(row.end_user_monthly),
    version: row.version,
    created_at: toInstant(row.created_at),
    updated_at: toInstant(row.updated_at),
    updated_by: row.updated_by,
  }
}

/** The columns of a user `u`, whose wallet `w` is joined with a left join. */
export const adminUserColumns = (() => {
  const eb: ExpressionBuilder<CallerDB & { u: DB["users"]; w: DB["wallets"] }, "u" | "w"> = expressionBuilder()
  const messenger = eb
    .selectFrom("identities as i")
    .whereRef("i.user_id", "=", "u.user_id")
    .where("i.issuer", "like", "messenger:%")
    .orderBy("i.created_at")
    .orderBy("i.subject")
    .limit(1)
    .select("i.subject")
  return [
    "u.user_id",
    "u.name",
    "u.email",
    "u.email_verified",
    eb.ref("u.role").$castTo<"user" | "admin">().as("role"),
    "u.brand",
    "u.disabled_at",
    "u.version",
    "u.created_at",
    "u.updated_at",
    "u.updated_by",
    "u.has_password",
    messenger.as("messenger_id"),
    ...walletColumns,
    "w.low_balance_credit_micros as low_balance",
    "w.end_user_daily_credit_micros as end_user_daily",
    "w.end_user_monthly_credit_micros as end_user_monthly",
  ] as const
})()

/** The fields that UpdateUser and CreateUser share. */
export const userFields = {
  name: z.string().trim().min(1).max(128).nullable().optional().meta({ example: "Ada" }),
  email: z
    .string()
    .trim()
    .max(320)
    .regex(/^[^\s@]+@[^\s@]+$/, "is not an email address")
    .meta({ example: "ada@example.com" }),
  role: z.enum(["user", "admin"]),
  brand: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,31}$/)
    .meta({
      description: "A brand of the service. Reports count an account under its first brand.",
      example: "turnpike",
    }),
}

/** The errors for the `refused` values of the procedures in this room. */
export const USER_REFUSALS = {
  unknown: ["NOT_FOUND", "There is no such user."],
  last_admin: ["LAST_ADMIN", "This is the last admin who can sign in."],
  email_taken: (holder: unknown) => emailTaken(holder as Answers["admin_user_answer"] | null),
  messenger_taken: ["IDENTITY_TAKEN", "Another account has this messaging identity."],
  unknown_brand: ["VALIDATION_FAILED", "brand: there is no such brand"],
} as const satisfies Refusals

/** An admin sees all accounts, so the error names the one that has the email. */
function emailTaken(holder: Answers["admin_user_answer"] | null): TurnpikeError {
  if (!holder) return new TurnpikeError("EMAIL_TAKEN", "Another account has this email.")
  const { user_id } = holder
  const disabled = holder.disabled_at !== null
  const message = disabled
    ? `The disabled account ${user_id} has this email. Enable that account, or clear its email first.`
    : `The account ${user_id} has this email. Choose another one, or change the email of that account first.`
  return new TurnpikeError("EMAIL_TAKEN", message, { details: { user_id, disabled } })
}
