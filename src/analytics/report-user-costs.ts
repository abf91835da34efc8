import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { rangeBetween } from "../base/report-range.ts"
import { envelope, envelopeOf, wholeRange } from "./answer.ts"
import { type ReportAsked, reportedBrand } from "./brand.ts"
import { allCosts, costs, costsSchema, NO_COSTS, restOfCosts, serializeCosts } from "./costs.ts"
import { procedureRows } from "./procedure-rows.ts"
import { RANKED_COSTS } from "./sums.ts"

export const userCostsSchema = z
  .object({
    ...envelope(wholeRange),
    limit: z.int().meta({ example: 20 }),
    items: z
      .array(
        z.object({
          user_id: z.int().meta({ description: "The account that is billed.", example: 42 }),
          name: z.string().nullable().meta({ example: "Ada" }),
          email: z.string().nullable().meta({ example: "ada@example.com" }),
          ...costs,
        }),
      )
      .meta({ description: "The accounts that were billed most, the highest amount first, then by id." }),
    other: costsSchema.meta({ description: "The sum of all other accounts." }),
    total: costsSchema.meta({ description: "The sum of all accounts: the items and `other`." }),
  })
  .meta({ id: "UserCostsReport" })

export type UserCosts = z.infer<typeof userCostsSchema>

/**
 * Reports the usage and costs of the accounts that were billed most in the last days,
 * for admins. Turns of keys and web-chat turns in the account's spaces count together.
 */
export async function reportUserCosts(
  ctx: Context,
  credential: SessionCredential,
  { limit, ...asked }: ReportAsked & { limit: number },
): Promise<UserCosts> {
  const now = ctx.clock.now()
  const range = { ...rangeBetween(now, asked), brand: await reportedBrand(ctx, credential, asked) }
  const { rows } = await readAs(
    ctx,
    credential,
    (db) => {
      const top = db
        .selectFrom(procedureRows("range_users_of", { ...range, limit }).as("r"))
        .innerJoin("users as p", "p.user_id", "r.user_id")
        .select(["r.user_id", "p.name", "p.email", ...RANKED_COSTS])
        .orderBy("r.billed_credit_micros", "desc")
        .orderBy("r.user_id")
      return db
        .selectFrom("caller")
        .select([jsonArrayFrom(top).as("items"), jsonObjectFrom(allCosts(db, range)).as("total")])
    },
    { role: "admin" },
  )
  const { items = [], total } = rows[0] ?? {}
  const all = total ?? NO_COSTS
  return {
    ...envelopeOf(now, range, null),
    limit,
    items: items.map(({ user_id, name, email, ...row }) => ({ user_id, name, email, ...serializeCosts(row) })),
    other: serializeCosts(restOfCosts(all, items)),
    total: serializeCosts(all),
  }
}
