import { type ExpressionBuilder, expressionBuilder } from "kysely"
import * as z from "zod"
import type { CallerDB } from "../actor/call-as.ts"
import type { Refusals } from "../actor/edit-as.ts"
import { MICROS_PER_USD, toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import { walletColumns } from "../billing/account-sums.ts"
import type { DB } from "../platform/db-types.ts"
import type { Answers } from "../platform/procedures.ts"
import { userSchema } from "./user-row.ts"

/** A user as admins see them. */
export const adminUserSchema = userSchema
  .extend({
    messenger_id: z
      .string()
      .nullable()
      .meta({ description: "Their id on the messaging platform; null: none.", example: "248289761" }),
    has_password: z.boolean().meta({ description: "Whether they can sign in with email and password.", example: true }),
    disabled_at: z.iso.datetime().nullable().meta({ description: "Null: the account is in use.", example: null }),
    balance_usd: z.number().meta({ example: 12.5 }),
    low_balance_usd: z.number().meta({ description: "Below it the event `balance.low` is sent; 0: never." }),
    end_user_daily_usd: z.number().nullable().meta({
      description: "What each of their customers may spend in a UTC day, without a limit of their own; null: no limit.",
    }),
    end_user_monthly_usd: z.number().nullable().meta({ description: "The same for a UTC month." }),
    version: z.int().meta({ description: "Raised by each edit.", example: 3 }),
    updated_at: z.iso.datetime().nullable().meta({ description: "The last edit; null: none." }),
    updated_by: z
      .int()
      .nullable()
      .meta({ description: "The admin who made it; null: the owner, or the command line.", example: 1 }),
  })
  .meta({ id: "AdminUser" })

export type AdminUser = z.infer<typeof adminUserSchema>

/** As procedures answer it, and as queries read `adminUserColumns`. Amounts are credit micros. */
export type AdminUserRow = Answers["admin_user_answer"] & Pick<AdminUser, "role">

/** wallets.low_balance_credit_micros of an account without a wallet, as in schema.sql. */
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

/** The columns of a user `u`, with their wallet `w` joined on the left. */
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

/** What UpdateUser and CreateUser share. */
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
    .meta({ description: "A brand of the service.", example: "turnpike" }),
}

/** What the procedures of this file's neighbours refuse. */
export const USER_REFUSALS = {
  unknown: ["NOT_FOUND", "There is no such user."],
  last_admin: ["LAST_ADMIN", "This is the last admin who can sign in."],
  email_taken: ["EMAIL_TAKEN", "Another account has this email."],
  messenger_taken: ["IDENTITY_TAKEN", "Another account has this messaging identity."],
  unknown_brand: ["VALIDATION_FAILED", "brand: there is no such brand"],
} as const satisfies Refusals
