import type { QueryCreator } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import { always, envelope, envelopeOf } from "./answer.ts"
import { hourOf, type Spaces, spaceHours, usageHours } from "./families.ts"
import { REPORT_POLICY } from "./policies.ts"
import { procedureRows } from "./procedure-rows.ts"
import { bucketStart, hoursOf, nextBucket, type Range, rangeBetween } from "./range.ts"
import { SPACE_COLUMNS, spaceFields } from "./space-names.ts"
import { BILLED } from "./sums.ts"

const seriesFields = {
  billed_cost_usd: z.number().meta({ description: "In all hours together.", example: 1.42 }),
  points: z
    .array(
      z.object({
        hour: z.iso.datetime().meta({ example: "2026-01-14T09:00:00.000Z" }),
        billed_cost_usd: z.number().meta({ example: 0.0512 }),
      }),
    )
    .meta({ description: "Every hour of the range, the oldest first." }),
}

export const hourlySpacesSchema = z
  .object({
    ...envelope(always("hour")),
    top: z.int().meta({ example: 8 }),
    series: z
      .array(z.object({ ...spaceFields, ...seriesFields }))
      .meta({ description: "The spaces that were billed most in the range; equal ones by id." }),
    other: z.object(seriesFields).meta({ description: "All other spaces together." }),
  })
  .meta({ id: "HourlySpacesReport" })

export type HourlySpaces = z.infer<typeof hourlySpacesSchema>

/**
 * What the spaces that were billed most were billed in each hour of a range, for admins. An hour that the range cuts counts only what
 * is in the range.
 */
export async function reportHourlySpaces(
  ctx: Context,
  credential: SessionCredential,
  { top, ...ends }: { start: string; end: string; top: number },
): Promise<HourlySpaces> {
  const now = ctx.clock.now()
  const range = rangeBetween(now, ends, REPORT_POLICY.spaceHoursDays)
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .with(
          (cte) => cte("top").materialized(),
          (cte) =>
            cte
              .selectFrom(procedureRows("range_spaces", { ...range, limit: top }).as("r"))
              .select(["r.space_id", "r.billed_credit_micros as billed"]),
        )
        .selectFrom("caller")
        .select((eb) => [
          jsonArrayFrom(
            eb
              .selectFrom("top as t")
              .innerJoin("spaces as s", "s.space_id", "t.space_id")
              .select([...SPACE_COLUMNS, "t.billed"])
              .orderBy("t.billed", "desc")
              .orderBy("s.space_id"),
          ).as("spaces"),
          jsonArrayFrom(
            eb
              .selectFrom(hoursOfSpaces(db, range, eb.selectFrom("top as t").select("t.space_id")).as("u"))
              .select(["u.space_id", "u.hour", BILLED])
              .groupBy(["u.space_id", "u.hour"]),
          ).as("hours"),
          jsonArrayFrom(eb.selectFrom(allHours(db, range).as("u")).select(["u.hour", BILLED]).groupBy("u.hour")).as(
            "total",
          ),
        ]),
    { role: "admin" },
  )
  const { spaces = [], hours = [], total = [] } = rows[0] ?? {}
  const bySpace = Map.groupBy(hours, ({ space_id }) => space_id)
  const seriesOf = (billed: Map<string, number>) => ({
    billed_cost_usd: toUsd([...billed.values()].reduce((sum, one) => sum + one, 0)),
    points: hoursOf(range).map((hour) => ({ hour, billed_cost_usd: toUsd(billed.get(hour) ?? 0) })),
  })
  const rest = byHour(total)
  for (const { hour, billed } of hours) rest.set(toInstant(hour), (rest.get(toInstant(hour)) ?? 0) - billed)
  return {
    ...envelopeOf(now, range, "hour"),
    top,
    series: spaces.map(({ billed: _billed, ...space }) => ({
      ...space,
      ...seriesOf(byHour(bySpace.get(space.space_id) ?? [])),
    })),
    other: seriesOf(rest),
  }
}

const byHour = (rows: { hour: string; billed: number }[]) =>
  new Map(rows.map(({ hour, billed }) => [toInstant(hour), billed]))

/** The hours that a range has whole, and what it has of those that it cuts. */
function partsOf({ from, to }: Range): { whole: Range; cut: Range[] } {
  const first = bucketStart(from, "hour")
  const begin = first < from ? nextBucket(first, "hour") : first
  const end = bucketStart(to, "hour")
  if (end < begin) return { whole: { from: begin, to: begin }, cut: [{ from, to }] }
  const ends = [
    { from, to: begin },
    { from: end, to },
  ]
  return { whole: { from: begin, to: end }, cut: ends.filter((one) => one.from < one.to) }
}

/** What was used in each hour: whole hours from their rollup, cut ones from raw records. */
function allHours(db: QueryCreator<CallerDB>, range: Range) {
  const { whole, cut } = partsOf(range)
  return cut.reduce(
    (hours, one) => hours.unionAll(rawHours(db, one).select(["w.billed_credit_micros"])),
    db.selectFrom(usageHours(db, whole).as("h")).select(["h.hour", "h.billed_credit_micros"]),
  )
}

function hoursOfSpaces(db: QueryCreator<CallerDB>, range: Range, spaces: Spaces) {
  const { whole, cut } = partsOf(range)
  return cut.reduce(
    (hours, one) =>
      hours.unionAll(
        rawHours(db, one).where("w.space_id", "in", spaces).select(["w.space_id", "w.billed_credit_micros"]),
      ),
    spaceHours(db, whole, spaces),
  )
}

const rawHours = (db: QueryCreator<CallerDB>, range: Range) =>
  db
    .selectFrom(procedureRows("raw_usage", { ...range }).as("w"))
    .select(({ ref }) => hourOf(ref("w.ended_at")).as("hour"))
