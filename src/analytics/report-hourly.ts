import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { daysBetween } from "../base/report-range.ts"
import { toInstant } from "../base/time.ts"
import { always, envelope, envelopeOf, NO_SUMS, serializeSums, sums } from "./answer.ts"
import { type ReportAsked, reportedBrand } from "./brand.ts"
import { usageHours } from "./families.ts"
import { filled, hoursOf } from "./range.ts"
import { SUMS } from "./sums.ts"

export const hourlySchema = z
  .object({
    ...envelope(always("hour")),
    items: z
      .array(z.object({ hour: z.iso.datetime().meta({ example: "2026-01-14T09:00:00.000Z" }), ...sums }))
      .meta({ description: "Every hour of the range, the oldest first. Future hours are empty." }),
  })
  .meta({ id: "HourlyReport" })

export type Hourly = z.infer<typeof hourlySchema>

/** Reports the usage in each hour of the last days, for admins. */
export async function reportHourly(ctx: Context, credential: SessionCredential, asked: ReportAsked): Promise<Hourly> {
  const now = ctx.clock.now()
  const range = { ...daysBetween(now, asked), brand: await reportedBrand(ctx, credential, asked) }
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select(
        jsonArrayFrom(
          db
            .selectFrom(usageHours(db, range).as("u"))
            .select(["u.hour", ...SUMS])
            .groupBy("u.hour"),
        ).as("hours"),
      ),
    { role: "admin" },
  )
  const items = filled(
    hoursOf(range),
    rows[0]?.hours ?? [],
    ({ hour }) => toInstant(hour),
    (hour) => ({ hour, ...NO_SUMS }),
  )
  return {
    ...envelopeOf(now, range, "hour"),
    items: items.map(({ hour, ...row }) => ({ hour: toInstant(hour), ...serializeSums(row) })),
  }
}
