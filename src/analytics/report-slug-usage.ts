import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { always, envelope, envelopeOf, NO_SUMS, type Sums } from "./answer.ts"
import { fromColumns, inColumns } from "./columns.ts"
import { queuedSpaceDays, rolledSpaceDays, type Spaces } from "./families.ts"
import { REPORT_POLICY } from "./policies.ts"
import { procedureRows } from "./procedure-rows.ts"
import { lastDays, type Range } from "./range.ts"
import {
  daySchema,
  daysOf,
  filteredSpaces,
  rolledDays,
  serializeDays,
  serializeFilter,
  type UsageDayRow,
  type UsageFilter,
  usageFilters,
} from "./report-daily-usage.ts"
import { DURATION, RANKED, SUMS } from "./sums.ts"

export const slugUsageSchema = z
  .object({
    ...envelope(always("day")),
    ...usageFilters,
    grouped_by: z.literal("slug").meta({ example: "slug" }),
    series: z.record(z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }), z.array(daySchema)).meta({
      description: `Every day of the range, for each of the ${REPORT_POLICY.slugs} spaces that were billed most, by slug.`,
    }),
    other: z.array(daySchema).meta({ description: "The same for all other spaces together." }),
  })
  .meta({ id: "SlugUsageReport" })

export type SlugUsage = z.infer<typeof slugUsageSchema>

/** What was used on each of the last days by space, for admins: the series and `other` add up to the report without spaces. */
export async function reportSlugUsage(
  ctx: Context,
  credential: SessionCredential,
  { days, ...filter }: { days: number } & UsageFilter,
): Promise<SlugUsage> {
  const now = ctx.clock.now()
  const range = lastDays(now, days)
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .with(
          (cte) => cte("top").materialized(),
          (cte) => topSpaces(cte, range, filter),
        )
        .selectFrom("caller")
        .select((eb) => [
          jsonArrayFrom(isFiltered(filter) ? daysOf(db, range, filter) : rolledDays(db, range)).as("total"),
          jsonArrayFrom(
            eb
              .selectFrom("top as t")
              .innerJoin("spaces as s", "s.space_id", "t.space_id")
              .select(["s.space_id", "s.slug"])
              .orderBy("t.billed", "desc")
              .orderBy("s.space_id"),
          ).as("spaces"),
          jsonArrayFrom(
            eb
              .selectFrom(rolledSpaceDays(db, range, eb.selectFrom("top as t").select("t.space_id")).as("u"))
              .select(({ fn }) => [
                "u.space_id",
                fn.agg<string[]>("array_agg", ["u.day"]).as("day"),
                ...inColumns(COLUMNS),
              ])
              .groupBy("u.space_id"),
          ).as("rolled"),
          jsonArrayFrom(queuedDays(db, range, eb.selectFrom("top as t").select("t.space_id"), filter)).as("queued"),
        ]),
    { role: "admin" },
  )
  const { total = [], spaces = [], rolled = [], queued = [] } = rows[0] ?? {}
  const ofSpaces = [
    ...rolled.flatMap(({ space_id, ...days }) => fromColumns<UsageDayRow>(days).map((day) => ({ space_id, ...day }))),
    ...queued,
  ].filter(({ space_id }) => space_id !== null)
  const all = isFiltered(filter) ? total : addedByDay([...total, ...queued])
  const bySpace = Map.groupBy(ofSpaces, ({ space_id }) => space_id)
  return {
    ...envelopeOf(now, range, "day"),
    ...serializeFilter(filter),
    grouped_by: "slug",
    series: Object.fromEntries(
      spaces.map(({ space_id, slug }) => [slug, serializeDays(range, addedByDay(bySpace.get(space_id) ?? []))]),
    ),
    other: serializeDays(range, othersOf(all, ofSpaces)),
  }
}

const isFiltered = ({ user_id, chat_key }: UsageFilter) => user_id !== undefined || chat_key !== undefined

/** What is in no rollup, of each of these spaces; without a filter, of all others with null. */
function queuedDays(db: QueryCreator<CallerDB>, range: Range, spaces: Spaces, filter: UsageFilter) {
  if (isFiltered(filter)) {
    return db
      .selectFrom(queuedSpaceDays(db, range, spaces).as("u"))
      .select(({ cast, ref }) => [
        cast<string>(ref("u.day"), "text").as("day"),
        ref("u.space_id").$castTo<number | null>().as("space_id"),
      ])
      .select([...SUMS, ...DURATION])
      .groupBy(["u.space_id", "u.day"])
  }
  return db
    .selectFrom(procedureRows("queued_days", { ...range, space_ids: sql<number[]>`array(${spaces})` }).as("r"))
    .select((eb) => ["r.day", eb.ref("r.space_id").$castTo<number | null>().as("space_id"), ...RANKED])
    .select(["r.keyed_calls", "r.duration_us"])
}

/** The spaces that were billed most; of those of a filter, by summing all that they used. */
function topSpaces(db: QueryCreator<CallerDB>, range: Range, filter: UsageFilter) {
  const limit = REPORT_POLICY.slugs
  if (filter.user_id === undefined && filter.chat_key === undefined) {
    return db
      .selectFrom(procedureRows("range_spaces", { ...range, limit }).as("r"))
      .select(["r.space_id", "r.billed_credit_micros as billed"])
  }
  const space_ids = sql<number[]>`array(${filteredSpaces(db, filter)})`
  return db
    .selectFrom(procedureRows("usage_of_spaces", { ...range, space_ids }).as("r"))
    .select(["r.space_id", "r.billed_credit_micros as billed"])
    .orderBy("billed", "desc")
    .orderBy("r.space_id")
    .limit(limit)
}

const COLUMNS = {
  ...({ turns: "turns", model_calls: "calls", tokens_input: "tokens_input", tokens_cached: "tokens_cached" } as const),
  ...({ tokens_output: "tokens_output", billed: "billed_credit_micros" } as const),
  ...({ keyed_calls: "keyed_calls", duration_us: "duration_us" } as const),
} as const

/** One row for each day: of one that is rolled in part, the other part is queued. */
function addedByDay(rows: UsageDayRow[]): UsageDayRow[] {
  const days = new Map<string, UsageDayRow>()
  for (const row of rows) {
    const day = days.get(row.day)
    if (day) for (const key of COUNTED) day[key] += row[key]
    else days.set(row.day, { ...row })
  }
  return [...days.values()]
}

/** What is left of each day without the spaces that are shown, in integers. */
function othersOf(total: UsageDayRow[], shown: UsageDayRow[]): UsageDayRow[] {
  const rest = new Map(total.map((row) => [row.day, { ...row }]))
  for (const row of shown) {
    const left = rest.get(row.day)
    if (!left) throw new Error("a space has used something on a day on which nothing was used")
    for (const key of COUNTED) left[key] -= row[key]
  }
  return [...rest.values()]
}

const COUNTED = [...(Object.keys(NO_SUMS) as (keyof Sums)[]), "keyed_calls", "duration_us"] as const
