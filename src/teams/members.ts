import * as z from "zod"
import { TurnpikeError } from "../base/errors.ts"

export const MAX_MEMBERS = 1000

export const userIdSchema = z.int().min(1).max(Number.MAX_SAFE_INTEGER).meta({ example: 42 })

/** A list of members in a request, each user at most once. `usual` is the default role. */
export const membersSchema = <Roles extends readonly [string, ...string[]]>(roles: Roles, usual: Roles[number]) =>
  z
    .array(
      z.strictObject({
        user_id: userIdSchema,
        role: z
          .enum(roles)
          .default(usual as never)
          .meta({ example: usual }),
      }),
    )
    .max(MAX_MEMBERS)
    .refine(
      (members) => new Set(members.map(({ user_id }) => user_id)).size === members.length,
      "must name each user once",
    )

/** The fields of a user in a list of members, besides their role. */
export const personShape = {
  user_id: userIdSchema,
  name: z.string().nullable().meta({ example: "Ada" }),
  email: z.string().nullable().meta({ example: "ada@example.com" }),
}

/** The error for user ids that do not exist. The procedure returns those ids. */
export function unknownUsers(_entity: unknown, { unknown_users }: { unknown_users: number[] | null }): TurnpikeError {
  const ids = unknown_users?.join(", ")
  return new TurnpikeError("VALIDATION_FAILED", `There is no user ${ids}.`, { param: "members" })
}
