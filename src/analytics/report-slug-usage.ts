import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { CallerDB, ReadRows } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { readerOfAdmin } from "../actor/readers.ts"
import { inOrder, type KeyedParts, type ListPage, readInParts } from "../base/in-parts.ts"
import { daysBetween } from "../base/report-range.ts"
import { isOneOf } from "../platform/one-of.ts"
import { always, cutPageFields, envelope, envelopeOf, NO_SUMS, type Sums } from "./answer.ts"
import { reportedBrand, type Scope } from "./brand.ts"
import { fromColumns, inColumns, sameNames } from "./columns.ts"
import { queuedSpaceDays, rolledSpaceDays } from "./families.ts"
import { procedureRows } from "./procedure-rows.ts"
import { type DaysAsked, datesOf, datesOfSeries, type SeriesOf } from "./range.ts"
import { rankSpaces, spacesOfPart, theseSpaces, usedSpaces } from "./ranked-spaces.ts"
import {
  daySchema,
  filteredSpaces,
  serializeDays,
  serializeFilter,
  type UsageDay,
  type UsageDayRow,
  type UsageFilter,
  usageFilters,
} from "./report-daily-usage.ts"
import { DAILY } from "./rollups.ts"
import { DAY_SUMS } from "./sums.ts"

export const slugUsageSchema = z
  .object({
    ...envelope(always("day")),
    ...usageFilters,
    grouped_by: z.literal("slug").meta({ example: "slug" }),
    ...cutPageFields,
    series: z.record(z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }), z.array(daySchema)).meta({
      description: "The days of each space that was used in the range, by slug. The highest billed amount is first.",
    }),
  })
  .meta({ id: "SlugUsageReport" })

type SlugUsage = z.infer<typeof slugUsageSchema>

/** The usage of a space on each day of the range. */
export type SlugSeries = [slug: string, days: UsageDay[]]

/** Reports usage by space on each of the last days, for admins. The series add up to the report without spaces. */
export async function reportSlugUsage(
  ctx: Context,
  credential: SessionCredential,
  { empty_days, limit, offset, user_id, chat_key, ...asked }: DaysAsked & UsageFilter & ListPage,
): Promise<KeyedParts<Omit<SlugUsage, "series" | "next_offset">, SlugSeries>> {
  const now = ctx.clock.now()
  const range = { ...daysBetween(now, asked), brand: await reportedBrand(ctx, credential, asked) }
  const dates = datesOf(range)
  const filter = { user_id, chat_key }
  const { ids, head } = await rankSpaces(ctx, credential, { limit, offset }, (db) =>
    isFiltered(filter) ? usedOf(db, range, filter) : usedSpaces(db, range),
  )
  const read = readerOfAdmin(ctx, credential)
  return {
    head: { ...envelopeOf(now, range, "day"), ...serializeFilter(filter), grouped_by: "slug", ...head },
    keys: ids,
    range,
    parts: readInParts(ids, spacesOfPart(dates.length), (part) =>
      readSlugSeries(read, { range, dates, empty_days }, part),
    ),
  }
}

/** Reads the usage of these spaces on each day. */
export async function readSlugSeries(
  read: ReadRows,
  { range, dates, empty_days }: SeriesOf,
  ids: number[],
): Promise<SlugSeries[]> {
  const rows = await read((db) =>
    db.selectFrom("caller").select((eb) => [
      jsonArrayFrom(eb.selectFrom("spaces as s").where(isOneOf("s.space_id", ids)).select(["s.space_id", "s.slug"])).as(
        "spaces",
      ),
      jsonArrayFrom(
        eb
          .selectFrom(rolledSpaceDays(db, range, theseSpaces(db, ids)).as("u"))
          .select(({ fn }) => ["u.space_id", fn.agg<string[]>("array_agg", ["u.day"]).as("day"), ...inColumns(COLUMNS)])
          .groupBy("u.space_id"),
      ).as("rolled"),
      jsonArrayFrom(
        eb
          .selectFrom(queuedSpaceDays(db, range, theseSpaces(db, ids)).as("u"))
          .select(({ cast, ref }) => [cast<string>(ref("u.day"), "text").as("day"), "u.space_id"])
          .select(DAY_SUMS)
          .groupBy(["u.space_id", "u.day"]),
      ).as("queued"),
    ]),
  )
  const { spaces = [], rolled = [], queued = [] } = rows[0] ?? {}
  const bySpace = Map.groupBy(
    [
      ...rolled.flatMap(({ space_id, ...days }) => fromColumns<UsageDayRow>(days).map((day) => ({ space_id, ...day }))),
      ...queued,
    ],
    ({ space_id }) => space_id,
  )
  return inOrder(ids, spaces, ({ space_id }) => space_id).map(({ space_id, slug }) => {
    const days = addedByDay(bySpace.get(space_id) ?? [])
    return [slug, serializeDays(datesOfSeries(dates, days, empty_days), days)]
  })
}

const isFiltered = ({ user_id, chat_key }: UsageFilter) => user_id !== undefined || chat_key !== undefined

/** The spaces of a filter that were used. */
const usedOf = (db: QueryCreator<CallerDB>, range: Scope, filter: UsageFilter) =>
  db
    .selectFrom(
      procedureRows("usage_of_spaces", {
        ...range,
        space_ids: sql<number[]>`array(${filteredSpaces(db, range, filter)})`,
      }).as("r"),
    )
    .select(["r.space_id", "r.billed_credit_micros as billed"])

const COLUMNS = {
  ...({ turns: "turns", model_calls: "calls", tokens_input: "tokens_input", tokens_cached: "tokens_cached" } as const),
  ...({ tokens_output: "tokens_output", billed: "billed_credit_micros", refunded: "refunded_credit_micros" } as const),
  ...sameNames(DAILY),
} as const

/** Adds up the rows of each day. A day may be partly rolled up and partly queued. */
function addedByDay(rows: UsageDayRow[]): UsageDayRow[] {
  const days = new Map<string, UsageDayRow>()
  for (const row of rows) {
    const day = days.get(row.day)
    if (day) for (const key of COUNTED) day[key] += row[key]
    else days.set(row.day, { ...row })
  }
  return [...days.values()]
}

const COUNTED = [...(Object.keys(NO_SUMS) as (keyof Sums)[]), ...DAILY] as const
