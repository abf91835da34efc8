import * as z from "zod"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"

/** A user in answers. Every sign-in operation returns it. */
export const userSchema = z
  .object({
    user_id: z.int(),
    name: z.string().nullable().meta({ example: "Ada" }),
    email: z.string().nullable(),
    email_verified: z.boolean(),
    role: z.enum(["user", "admin"]),
    brand: z
      .string()
      .meta({ example: "turnpike", description: "The brand of the account. Reports count it under its first brand." }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "User" })

export type User = z.infer<typeof userSchema>

/** The row that procedures return, and that queries select with `userColumns`. */
export type UserRow = Answers["user_answer"] & Pick<User, "role">

/** The columns of a user `u` that answers may contain. */
export const userColumns = [
  "u.user_id",
  "u.name",
  "u.email",
  "u.email_verified",
  "u.role",
  "u.brand",
  "u.created_at",
] as const

export function serializeUser({ user_id, name, email, email_verified, role, brand, created_at }: UserRow): User {
  return { user_id, name, email, email_verified, role, brand, created_at: toInstant(created_at) }
}

/** Accounts of other users that were handed over, by id. */
export const namedAccountsSchema = z.array(
  z.object({ user_id: z.int(), name: z.string().nullable().meta({ example: "Acme" }) }),
)
