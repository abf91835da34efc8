import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { rangeBetween } from "../base/report-range.ts"
import { envelope, envelopeOf, NO_SUMS, restOf, serializeSums, sums, wholeRange } from "./answer.ts"
import { type ReportAsked, reportedBrand } from "./brand.ts"
import { procedureRows } from "./procedure-rows.ts"
import { RANKED } from "./sums.ts"

export const topUsersSchema = z
  .object({
    ...envelope(wholeRange),
    limit: z.int().meta({ example: 20 }),
    items: z
      .array(
        z.object({
          user_id: z.int().meta({ description: "The account that is billed.", example: 42 }),
          name: z.string().nullable().meta({ example: "Ada" }),
          email: z.string().nullable().meta({ example: "ada@example.com" }),
          ...sums,
        }),
      )
      .meta({ description: "The accounts that were billed most, the highest amount first, then by id." }),
    other: z.object(sums).meta({ description: "The sum of all other accounts." }),
    total: z.object(sums).meta({ description: "The sum of all accounts: the items and `other`." }),
  })
  .meta({ id: "TopUsersReport" })

export type TopUsers = z.infer<typeof topUsersSchema>

/**
 * Reports the accounts that were billed most in the last days,
 * for admins. A member's turn counts for the owner of its space.
 */
export async function reportTopUsers(
  ctx: Context,
  credential: SessionCredential,
  { limit, ...asked }: ReportAsked & { limit: number },
): Promise<TopUsers> {
  const now = ctx.clock.now()
  const range = { ...rangeBetween(now, asked), brand: await reportedBrand(ctx, credential, asked) }
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select([
        jsonArrayFrom(
          db
            .selectFrom(procedureRows("range_users_of", { ...range, limit }).as("r"))
            .innerJoin("users as p", "p.user_id", "r.user_id")
            .select(["r.user_id", "p.name", "p.email", ...RANKED])
            .orderBy("r.billed_credit_micros", "desc")
            .orderBy("r.user_id"),
        ).as("items"),
        jsonObjectFrom(db.selectFrom(procedureRows("range_total", { ...range }).as("r")).select(RANKED)).as("total"),
      ]),
    { role: "admin" },
  )
  const { items = [], total } = rows[0] ?? {}
  const all = total ?? NO_SUMS
  return {
    ...envelopeOf(now, range, null),
    limit,
    items: items.map(({ user_id, name, email, ...row }) => ({ user_id, name, email, ...serializeSums(row) })),
    other: serializeSums(restOf(all, items)),
    total: serializeSums(all),
  }
}
