import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { rangeBetween } from "../base/report-range.ts"
import { envelope, envelopeOf, ratio, wholeRange } from "./answer.ts"
import { type ReportAsked, reportedBrand, type Scope } from "./brand.ts"
import { allCosts, type Costs, costs, costsSchema, NO_COSTS, restOfCosts, serializeCosts } from "./costs.ts"
import { procedureRows } from "./procedure-rows.ts"
import { RANKED_COSTS } from "./sums.ts"

export const DIMENSIONS = ["space", "user", "model", "provider"] as const
export type Dimension = (typeof DIMENSIONS)[number]

export const breakdownSchema = z
  .object({
    ...envelope(wholeRange),
    dimension: z.enum(DIMENSIONS),
    limit: z.int().meta({ example: 100 }),
    items: z
      .array(
        z.object({
          key: z.string().meta({
            description: "The `space_id`, `user_id`, model pin, or name of a provider or of a pool's member.",
            example: "318",
          }),
          name: z.string().nullable().meta({
            description:
              "The title of a space, the name of a user or the label of a model. Null for providers, or without a name.",
            example: "Support desk",
          }),
          chat_key: z.string().nullable().meta({
            description: "The chat key of a space. Null for other dimensions.",
            example: "space:spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
          }),
          ...costs,
          share: z
            .number()
            .nullable()
            .meta({ description: "The share of the billed total, 0 to 1. Null if nothing was billed.", example: 0.31 }),
        }),
      )
      .meta({ description: "The items that were billed most, the highest amount first, then by key." }),
    other: costsSchema.meta({ description: "The sum of all other items." }),
    total: costsSchema.meta({ description: "The sum of everything: the items and `other`." }),
  })
  .meta({ id: "UsageBreakdown" })

export type Breakdown = z.infer<typeof breakdownSchema>

export interface BreakdownQuery extends ReportAsked {
  dimension: Dimension
  limit: number
}

interface Part extends Costs {
  key: string
  name: string | null
  chat_key: string | null
}

/** Reports usage and costs by one dimension, for admins. VALIDATION_FAILED for an empty range. */
export async function reportBreakdown(
  ctx: Context,
  credential: SessionCredential,
  { dimension, limit, ...asked }: BreakdownQuery,
): Promise<Breakdown> {
  const now = ctx.clock.now()
  const range = { ...rangeBetween(now, asked), brand: await reportedBrand(ctx, credential, asked) }
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("caller")
        .select([PARTS[dimension](db, range, limit).as("items"), jsonObjectFrom(allCosts(db, range)).as("total")]),
    { role: "admin" },
  )
  const items: Part[] = rows[0]?.items ?? []
  const all = rows[0]?.total ?? NO_COSTS
  return {
    ...envelopeOf(now, range, null),
    dimension,
    limit,
    items: items.map(({ key, name, chat_key, ...sums }) => ({
      key,
      name,
      chat_key,
      ...serializeCosts(sums),
      share: ratio(sums.billed, all.billed),
    })),
    other: serializeCosts(restOfCosts(all, items)),
    total: serializeCosts(all),
  }
}

const NO_NAME = sql<string | null>`null::text`

/** Queries for the top items of a range by dimension, each as an array. */
const PARTS = {
  space: (db: QueryCreator<CallerDB>, range: Scope, limit: number) =>
    jsonArrayFrom(
      db
        .selectFrom(procedureRows("range_spaces_of", { ...range, limit }).as("r"))
        .innerJoin("spaces as s", "s.space_id", "r.space_id")
        .select(({ cast, ref }) => [cast<string>(ref("r.space_id"), "text").as("key"), ref("s.title").as("name")])
        .select(["s.chat_key", ...RANKED_COSTS])
        .orderBy("r.billed_credit_micros", "desc")
        .orderBy("r.space_id"),
    ),
  user: (db: QueryCreator<CallerDB>, range: Scope, limit: number) =>
    jsonArrayFrom(
      db
        .selectFrom(procedureRows("range_users_of", { ...range, limit }).as("r"))
        .innerJoin("users as p", "p.user_id", "r.user_id")
        .select(({ cast, ref }) => [cast<string>(ref("r.user_id"), "text").as("key"), ref("p.name").as("name")])
        .select([NO_NAME.as("chat_key"), ...RANKED_COSTS])
        .orderBy("r.billed_credit_micros", "desc")
        .orderBy("r.user_id"),
    ),
  model: (db: QueryCreator<CallerDB>, range: Scope, limit: number) =>
    jsonArrayFrom(
      db
        .selectFrom(procedureRows("range_models", { ...range, limit }).as("r"))
        .leftJoin("model_catalog as c", "c.pin", "r.model")
        .select(["r.model as key", "c.label as name", NO_NAME.as("chat_key"), ...RANKED_COSTS])
        .orderBy("r.billed_credit_micros", "desc")
        .orderBy("r.model", (order) => order.collate("C")),
    ),
  provider: (db: QueryCreator<CallerDB>, range: Scope, limit: number) =>
    jsonArrayFrom(
      db
        .selectFrom(procedureRows("range_providers", { ...range, limit }).as("r"))
        .select(["r.provider_key as key", NO_NAME.as("name"), NO_NAME.as("chat_key"), ...RANKED_COSTS])
        .orderBy("r.billed_credit_micros", "desc")
        .orderBy("r.provider_key", (order) => order.collate("C")),
    ),
} satisfies Record<Dimension, unknown>
