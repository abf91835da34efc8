import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { daysBetween } from "../base/report-range.ts"
import { released } from "../platform/db.ts"
import { always, envelope, envelopeOf } from "./answer.ts"
import { type ReportAsked, reportedBrand } from "./brand.ts"
import { dateOf } from "./families.ts"
import { datesOf } from "./range.ts"

export const errorsReportSchema = z
  .object({
    ...envelope(always("day")),
    items: z
      .array(
        z.object({
          date: z.iso.date().meta({ example: "2026-01-14" }),
          container_exec: z.int().meta({ description: "Failed calls in a container.", example: 2 }),
          container_start: z.int().meta({ description: "Containers that failed to start.", example: 1 }),
          subagent_dispatch: z.int().meta({ description: "Failed delegations to a sub-agent.", example: 0 }),
          total: z.int().meta({ description: "The sum of these three.", example: 3 }),
          model_call: z.int().meta({
            description: "Model calls that failed at their provider. `total` does not include them.",
            example: 4,
          }),
        }),
      )
      .meta({ description: "Every day of the range, the oldest first." }),
  })
  .meta({ id: "ErrorsReport" })

export type ErrorsReport = z.infer<typeof errorsReportSchema>

const NONE = { container_exec: 0, container_start: 0, subagent_dispatch: 0, model_call: 0 }

/** Reports failures of infrastructure by day, for admins. */
export async function reportErrors(
  ctx: Context,
  credential: SessionCredential,
  asked: ReportAsked,
): Promise<ErrorsReport> {
  const now = ctx.clock.now()
  const range = { ...daysBetween(now, asked), brand: await reportedBrand(ctx, credential, asked) }
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select(
        jsonArrayFrom(
          db
            .selectFrom("error_days as d")
            .where("d.day", ">=", dateOf(range.from))
            .where("d.day", "<", dateOf(range.to))
            .$if(range.brand !== null, (query) => query.where("d.brand", "=", range.brand ?? ""))
            .select(({ fn }) => ["d.day", "d.kind", fn<number>(released("added"), ["d.failures"]).as("failures")])
            .groupBy(["d.day", "d.kind"]),
        ).as("failures"),
      ),
    { role: "admin" },
  )
  const byDate = Map.groupBy(rows[0]?.failures ?? [], ({ day }) => day)
  const items = datesOf(range).map((date) => {
    const counts = (byDate.get(date) ?? []).map(({ kind, failures }) => [kind, failures])
    return { date, ...NONE, ...(Object.fromEntries(counts) as Partial<typeof NONE>) }
  })
  return {
    ...envelopeOf(now, range, "day"),
    items: items.map(({ model_call, ...ours }) => ({
      ...ours,
      total: ours.container_exec + ours.container_start + ours.subagent_dispatch,
      model_call,
    })),
  }
}
