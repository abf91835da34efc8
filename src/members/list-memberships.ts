import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { roleField } from "./schemas.ts"

export const membershipSchema = z
  .object({
    user_id: z.int().meta({
      description:
        "The id of the account. A request acts for it with the header `X-Turnpike-User: <your user_id>/<this id>`.",
      example: 57,
    }),
    name: z.string().nullable().meta({ description: "The name of the account.", example: "Acme" }),
    role: roleField,
    own: z.boolean().meta({ description: "True for the account that began with your user." }),
  })
  .meta({ id: "Membership" })

/** The accounts for which the signed-in user may act, the own one first. */
export async function listMemberships(
  ctx: Context,
  credential: SessionCredential,
): Promise<z.infer<typeof membershipSchema>[]> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("caller")
      .innerJoin("users as a", "a.user_id", "caller.user_id")
      .where("a.own_role", "<>", "none")
      .select((eb) => ["a.user_id", "a.name", "a.own_role as role", eb.lit(true).$castTo<boolean>().as("own")])
      .unionAll(
        db
          .selectFrom("caller")
          .innerJoin("account_members as m", "m.member_id", "caller.user_id")
          .innerJoin("users as a", "a.user_id", "m.account_id")
          .where("a.disabled_at", "is", null)
          .select((eb) => ["a.user_id", "a.name", "m.role", eb.lit(false).$castTo<boolean>().as("own")]),
      ),
  )
  return rows as z.infer<typeof membershipSchema>[]
}
