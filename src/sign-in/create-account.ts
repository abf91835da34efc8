import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { editAs, editOnce } from "../actor/edit-as.ts"
import type { Made, Once } from "../actor/once.ts"
import { type AdminUser, serializeAdminUser, USER_REFUSALS, userFields } from "../users/admin-user.ts"
import { sendFactorNotice, tellingEmail } from "./notices.ts"
import { hashPassword, newPassword } from "./password.ts"

const { name, email, role, brand } = userFields

/** CreateUser in docs/contract.md. */
export const createUserSchema = z
  .strictObject({
    email: email.optional(),
    name,
    role: role.default("user"),
    brand: brand.optional(),
    password: newPassword.optional(),
    email_verified: z.boolean().default(false).meta({
      description:
        "True if the email is known to be the user's. Only then can an identity with this email join the account.",
    }),
    messenger_id: z
      .string()
      .regex(/^[1-9]\d{0,15}$/)
      .optional()
      .meta({ description: "The user's id on the messaging platform, for this brand's bot.", example: "248289761" }),
  })
  .refine((user) => user.email !== undefined || user.messenger_id !== undefined, {
    path: ["email"],
    message: "an email or a messenger_id is required",
  })
  .refine((user) => user.password === undefined || user.email !== undefined, {
    path: ["password"],
    message: "needs an email",
  })
  .meta({ id: "CreateUser" })

export const CREATE_ACCOUNT_ERRORS = ["EMAIL_TAKEN", "IDENTITY_TAKEN"] as const

/**
 * Creates an account without credit for an admin. Throws EMAIL_TAKEN, IDENTITY_TAKEN, or
 * VALIDATION_FAILED for an unknown brand.
 */
export async function createAccount(
  ctx: Context,
  credential: SessionCredential,
  user: z.infer<typeof createUserSchema>,
  once?: Once,
): Promise<Made<AdminUser>> {
  return editOnce(ctx, credential, "create_account", {
    once,
    args: {
      name: user.name ?? null,
      email: user.email ?? null,
      email_verified: user.email_verified,
      role: user.role,
      brand: user.brand ?? ctx.brand,
      own_brand: ctx.brand,
      password_hash: user.password === undefined ? null : await hashPassword(user.password),
      messenger_id: user.messenger_id ?? null,
    },
    refusals: USER_REFUSALS,
    serialize: serializeAdminUser,
  })
}

/** SetCredentials in docs/contract.md. */
export const setCredentialsSchema = z
  .strictObject({ email: email.optional(), password: newPassword.optional() })
  .refine((login) => login.email !== undefined || login.password !== undefined, {
    path: ["password"],
    message: "an email or a password is required",
  })
  .meta({ id: "SetCredentials" })

export const SET_CREDENTIALS_ERRORS = ["NOT_FOUND", "EMAIL_TAKEN", "EMAIL_REQUIRED"] as const

/**
 * Sets an account's email and password for an admin, and notifies the owner. Ends the account's
 * sessions and sign-in tokens. Throws NOT_FOUND, VERSION_MISMATCH or EMAIL_TAKEN; EMAIL_REQUIRED if
 * a password is set without an email.
 */
export async function setCredentials(
  ctx: Context,
  credential: SessionCredential,
  userId: number,
  { login, ifVersion }: { login: z.infer<typeof setCredentialsSchema>; ifVersion: number | null },
): Promise<AdminUser> {
  const passwordHash = login.password === undefined ? null : await hashPassword(login.password)
  const account = await tellingEmail(ctx, { userId, email: login.email }, () =>
    editAs(ctx, credential, "set_credentials", {
      args: { user_id: userId, email: login.email ?? null, password_hash: passwordHash, if_version: ifVersion },
      refusals: {
        ...USER_REFUSALS,
        no_email: ["EMAIL_REQUIRED", "The account has no email. Send `email` together with the password."],
      },
      serialize: serializeAdminUser,
    }),
  )
  if (login.password !== undefined) sendFactorNotice(ctx, userId, { factor: "password", change: "set_by_admin" })
  return account
}
