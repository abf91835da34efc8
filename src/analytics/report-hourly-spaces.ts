import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type InParts, readInParts } from "../base/in-parts.ts"
import { toUsd } from "../base/money.ts"
import { rangeBetween } from "../base/report-range.ts"
import { always, envelope, envelopeOf } from "./answer.ts"
import { isOfBrand, type ReportAsked, reportedBrand, type Scope } from "./brand.ts"
import { fromColumns, inColumns } from "./columns.ts"
import { hourNumber, hourOf, rolledSpaceHours, type Spaces } from "./families.ts"
import { REPORT_POLICY } from "./policies.ts"
import { procedureRows } from "./procedure-rows.ts"
import { bucketStart, hoursOf, nextBucket } from "./range.ts"
import { SPACE_COLUMNS, spaceFields } from "./space-names.ts"
import { BILLED } from "./sums.ts"

const seriesFields = {
  billed_cost_usd: z.number().meta({ description: "The billed amount of all hours.", example: 1.42 }),
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
      .meta({ description: "The spaces that were billed most in the range, the highest amount first, then by id." }),
    other: z.object(seriesFields).meta({ description: "The sum of all other spaces." }),
  })
  .meta({ id: "HourlySpacesReport" })

export type HourlySpaces = z.infer<typeof hourlySpacesSchema>

/**
 * Reports what the top spaces were billed in each hour of a range, for
 * admins. If the range cuts an hour, only the part in the range counts.
 */
export async function reportHourlySpaces(
  ctx: Context,
  credential: SessionCredential,
  { top, ...asked }: Pick<ReportAsked, "brand"> & { start: string; end: string; top: number },
): Promise<InParts<Pick<HourlySpaces, "top"> & Envelope, Series> & { tail: Pick<HourlySpaces, "other"> }> {
  const now = ctx.clock.now()
  const brand = await reportedBrand(ctx, credential, asked)
  const range = { ...rangeBetween(now, asked, REPORT_POLICY.spaceHoursDays), brand }
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .with(
          (cte) => cte("top").materialized(),
          (cte) =>
            cte
              .selectFrom(procedureRows("top_spaces", { ...range, limit: top }).as("r"))
              .select(["r.space_id", "r.billed"]),
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
              .selectFrom(
                rolledSpaceHours(db, splitRange(range).whole, eb.selectFrom("top as t").select("t.space_id")).as("u"),
              )
              .select(({ fn }) => [
                "u.space_id",
                fn.agg<number[]>("array_agg", ["u.hour"]).as("hour"),
                ...inColumns(COLUMNS),
              ])
              .groupBy("u.space_id"),
          ).as("rolled"),
          jsonArrayFrom(unrolledHours(db, range, eb.selectFrom("top as t").select("t.space_id"))).as("unrolled"),
          jsonArrayFrom(
            eb
              .selectFrom("usage_hours as h")
              .where("h.hour", ">=", splitRange(range).whole.from)
              .where("h.hour", "<", splitRange(range).whole.to)
              .$if(brand !== null, (query) => query.where("h.brand", "=", brand ?? ""))
              .select([hourNumber("h.hour").as("hour"), "h.billed_credit_micros as billed"]),
          ).as("total"),
        ]),
    { role: "admin" },
  )
  const { spaces = [], rolled = [], unrolled = [], total = [] } = rows[0] ?? {}
  const hours = [
    ...rolled.flatMap(({ space_id, ...hours }) => fromColumns<HourRow>(hours).map((hour) => ({ space_id, ...hour }))),
    ...unrolled,
  ]
  const bySpace = Map.groupBy(hours, ({ space_id }) => space_id)
  const shown = hoursOf(range)
  const seriesOf = (billed: Map<number, number>) => ({
    billed_cost_usd: toUsd([...billed.values()].reduce((sum, one) => sum + one, 0)),
    points: shown.map((hour) => ({ hour, billed_cost_usd: toUsd(billed.get(Date.parse(hour) / HOUR_MS) ?? 0) })),
  })
  const rest = byHour([...total, ...unrolled])
  for (const { hour, billed, space_id } of hours) if (space_id !== null) rest.set(hour, (rest.get(hour) ?? 0) - billed)
  return {
    head: { ...envelopeOf(now, range, "hour"), top },
    // One series at a time, because all series of a year are 10 MB of JSON.
    parts: readInParts(spaces, 1, async (part) =>
      part.map(({ billed: _billed, ...space }) => ({
        ...space,
        ...seriesOf(byHour(bySpace.get(space.space_id) ?? [])),
      })),
    ),
    tail: { other: seriesOf(rest) },
  }
}

type Envelope = ReturnType<typeof envelopeOf<"hour">>
type Series = HourlySpaces["series"][number]

const HOUR_MS = 3_600_000

interface HourRow {
  hour: number
  billed: number
}

const COLUMNS = { billed: "billed_credit_micros" } as const

/** Adds up the rows of each hour. An hour may be partly rolled up and partly in other rows. */
function byHour(rows: HourRow[]): Map<number, number> {
  const hours = new Map<number, number>()
  for (const { hour, billed } of rows) hours.set(hour, (hours.get(hour) ?? 0) + billed)
  return hours
}

/** Splits a range into its whole hours and the parts of hours at its ends. */
function splitRange({ from, to, brand }: Scope): { whole: Scope; cut: Scope[] } {
  const first = bucketStart(from, "hour")
  const begin = first < from ? nextBucket(first, "hour") : first
  const end = bucketStart(to, "hour")
  if (end < begin) return { whole: { from: begin, to: begin, brand }, cut: [{ from, to, brand }] }
  const ends = [
    { from, to: begin, brand },
    { from: end, to, brand },
  ]
  return { whole: { from: begin, to: end, brand }, cut: ends.filter((one) => one.from < one.to) }
}

/**
 * Usage that is not rolled up and usage of cut hours: by space
 * for these spaces, with a null `space_id` for all others.
 */
function unrolledHours(db: QueryCreator<CallerDB>, range: Scope, spaces: Spaces) {
  const { whole, cut } = splitRange(range)
  const queued = procedureRows("queued_hours", { ...whole, space_ids: sql<number[]>`array(${spaces})` })
  return cut.reduce(
    (hours, one) =>
      hours.unionAll(
        db
          .selectFrom(rawHours(db, one, spaces).as("u"))
          .select([hourNumber("u.hour").as("hour"), "u.space_id", BILLED])
          .groupBy(["u.hour", "u.space_id"]),
      ),
    db
      .selectFrom(queued.as("q"))
      .select((eb) => [
        hourNumber("q.hour").as("hour"),
        eb.ref("q.space_id").$castTo<number | null>().as("space_id"),
        "q.billed",
      ]),
  )
}

const rawHours = (db: QueryCreator<CallerDB>, range: Scope, spaces: Spaces) =>
  db
    .selectFrom(procedureRows("raw_usage", { ...range }).as("w"))
    .where((eb) => isOfBrand(eb.ref("w.user_id"), range.brand))
    .select((eb) => [
      hourOf(eb.ref("w.ended_at")).as("hour"),
      eb.case().when("w.space_id", "in", spaces).then(eb.ref("w.space_id")).end().as("space_id"),
      "w.billed_credit_micros",
    ])
