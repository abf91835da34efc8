import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { editAs } from "../actor/edit-as.ts"
import { type AdminUser, serializeAdminUser, USER_REFUSALS, userFields } from "../users/admin-user.ts"
import { sendFactorNotice, tellingEmail } from "./notices.ts"
import { hashPassword, newPassword } from "./password.ts"

const { name, email, role, brand } = userFields

/** CreateUser of docs/contract.md. */
export const createUserSchema = z
  .strictObject({
    email: email.optional(),
    name,
    role: role.default("user"),
    brand: brand.optional(),
    password: newPassword.optional(),
    email_verified: z.boolean().default(false).meta({
      description: "Whether the email is known to be theirs: only then an identity with it joins the account.",
    }),
    messenger_id: z
      .string()
      .regex(/^[1-9]\d{0,15}$/)
      .optional()
      .meta({ description: "Their id on the messaging platform, of this brand's bot.", example: "248289761" }),
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

/**
 * Makes an account for an admin, with a wallet and without credit. EMAIL_TAKEN, IDENTITY_TAKEN; VALIDATION_FAILED for a brand that is
 * not there.
 */
export async function createAccount(
  ctx: Context,
  credential: SessionCredential,
  user: z.infer<typeof createUserSchema>,
): Promise<AdminUser> {
  return editAs(ctx, credential, "create_account", {
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

/** SetCredentials of docs/contract.md. */
export const setCredentialsSchema = z
  .strictObject({ email: email.optional(), password: newPassword.optional() })
  .refine((login) => login.email !== undefined || login.password !== undefined, {
    path: ["password"],
    message: "an email or a password is required",
  })
  .meta({ id: "SetCredentials" })

/**
 * Sets an account's login for an admin, and tells its owner. All its sessions end, and everything that would start one. NOT_FOUND, VERSION_MISMATCH,
 * EMAIL_TAKEN; EMAIL_REQUIRED for a password of an account without an email.
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
      refusals: { ...USER_REFUSALS, no_email: ["EMAIL_REQUIRED", "The account has no email: send one too."] },
      serialize: serializeAdminUser,
    }),
  )
  if (login.password !== undefined) sendFactorNotice(ctx, userId, { factor: "password", change: "set_by_admin" })
  return account
}
