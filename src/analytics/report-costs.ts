import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { daysBetween } from "../base/report-range.ts"
import { always, envelope, envelopeOf } from "./answer.ts"
import { type ReportAsked, reportedBrand } from "./brand.ts"
import { type Costs, costs, costsOf, costsSchema, serializeCosts } from "./costs.ts"
import { modelDays } from "./families.ts"
import { datesOf } from "./range.ts"
import { COST_SUMS } from "./sums.ts"

const modelCosts = z.object({ model: z.string().meta({ example: "anthropic/claude-sonnet-4-5" }), ...costs })

export const costsReportSchema = z
  .object({
    ...envelope(always("day")),
    total: costsSchema,
    models: z
      .array(modelCosts)
      .meta({ description: "The models of the whole range, the highest billed amount first." }),
    items: z
      .array(
        z.object({
          date: z.iso.date().meta({ example: "2026-01-14" }),
          ...costs,
          models: z
            .array(modelCosts)
            .meta({ description: "The highest billed amount first. A call counts for its own model." }),
        }),
      )
      .meta({ description: "Every day of the range, the oldest first." }),
  })
  .meta({ id: "CostsReport" })

export type CostsReport = z.infer<typeof costsReportSchema>

interface ModelDay extends Costs {
  date: string
  model: string
}

/**
 * Reports what model calls cost us at the providers' prices and what they were
 * billed, by day and model, for admins. A call counts when its turn ends.
 */
export async function reportCosts(
  ctx: Context,
  credential: SessionCredential,
  asked: ReportAsked,
): Promise<CostsReport> {
  const now = ctx.clock.now()
  const range = { ...daysBetween(now, asked), brand: await reportedBrand(ctx, credential, asked) }
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select(
        jsonArrayFrom(
          db
            .selectFrom(modelDays(db, range).as("u"))
            .select(({ cast, ref }) => [cast<string>(ref("u.day"), "text").as("date"), "u.model", ...COST_SUMS])
            .groupBy(["u.day", "u.model"]),
        ).as("days"),
      ),
    { role: "admin" },
  )
  const read: ModelDay[] = rows[0]?.days ?? []
  const byDate = Map.groupBy(read, ({ date }) => date)
  return {
    ...envelopeOf(now, range, "day"),
    total: serializeCosts(costsOf(read)),
    models: byModel(read),
    items: datesOf(range).map((date) => {
      const ofDay = byDate.get(date) ?? []
      return { date, ...serializeCosts(costsOf(ofDay)), models: byModel(ofDay) }
    }),
  }
}

function byModel(rows: readonly ModelDay[]) {
  const models = [...Map.groupBy(rows, ({ model }) => model)].map(([model, ofModel]) => ({
    model,
    ...costsOf(ofModel),
  }))
  return models
    .sort((a, b) => b.billed - a.billed || (a.model < b.model ? -1 : 1))
    .map(({ model, ...sums }) => ({ model, ...serializeCosts(sums) }))
}
