import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { rangeBetween } from "../base/report-range.ts"
import { envelope, envelopeOf, NO_SUMS, restOf, serializeSums, sums, wholeRange } from "./answer.ts"
import { type ReportAsked, reportedBrand } from "./brand.ts"
import { procedureRows } from "./procedure-rows.ts"
import { SPACE_COLUMNS, spaceFields } from "./space-names.ts"
import { RANKED } from "./sums.ts"

export const topSpacesSchema = z
  .object({
    ...envelope(wholeRange),
    limit: z.int().meta({ example: 20 }),
    items: z.array(z.object({ ...spaceFields, ...sums })).meta({
      description:
        "The spaces whose turns were billed most, including archived ones. The highest amount is first, then by id.",
    }),
    other: z.object(sums).meta({ description: "The sum of all other spaces." }),
    total: z.object(sums).meta({ description: "The sum of all spaces: the items and `other`." }),
  })
  .meta({ id: "TopSpacesReport" })

export type TopSpaces = z.infer<typeof topSpacesSchema>

/** Reports the spaces whose turns were billed most in the last days, for admins. */
export async function reportTopSpaces(
  ctx: Context,
  credential: SessionCredential,
  { limit, ...asked }: ReportAsked & { limit: number },
): Promise<TopSpaces> {
  const now = ctx.clock.now()
  const range = { ...rangeBetween(now, asked), brand: await reportedBrand(ctx, credential, asked) }
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select([
        jsonArrayFrom(
          db
            .selectFrom(procedureRows("range_spaces_of", { ...range, limit }).as("r"))
            .innerJoin("spaces as s", "s.space_id", "r.space_id")
            .select([...SPACE_COLUMNS, ...RANKED])
            .orderBy("r.billed_credit_micros", "desc")
            .orderBy("r.space_id"),
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
    items: items.map(({ space_id, slug, chat_key, title, owner_id, ...row }) => ({
      space_id,
      slug,
      chat_key,
      title,
      owner_id,
      ...serializeSums(row),
    })),
    other: serializeSums(restOf(all, items)),
    total: serializeSums(all),
  }
}
