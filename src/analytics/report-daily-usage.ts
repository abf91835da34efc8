import type { QueryCreator } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { envelopeOf, NO_SUMS, ratio, type Sums, serializeSums, sums } from "./answer.ts"
import { dayOf, spaceDays, usageHours, userDays } from "./families.ts"
import { datesOf, filled, lastDays, type Range } from "./range.ts"
import { DURATION, SUMS } from "./sums.ts"

export const daySchema = z.object({
  date: z.iso.date().meta({ example: "2026-01-14" }),
  ...sums,
  avg_duration_sec: z.number().nullable().meta({
    description:
      "How long a call took on average, in seconds. Web chats are not timed: null on days without other calls.",
    example: 3.2,
  }),
})

/** What a report of usage is of; `null`: everything. */
export const usageFilters = {
  user_id: z.int().nullable().meta({ description: "Only this account's spaces; null: all.", example: 42 }),
  chat_key: z
    .string()
    .nullable()
    .meta({ description: "Only this chat; null: all.", example: "space:spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
}

export const dailyUsageSchema = z
  .array(daySchema)
  .meta({ id: "DailyUsage", description: "Every day of the range, the oldest first." })

export type UsageDay = z.infer<typeof daySchema>

export interface UsageFilter {
  user_id?: number | undefined
  chat_key?: string | undefined
}

export interface UsageDayRow extends Sums {
  day: string
  keyed_calls: number
  duration_us: number
}

/** What was used on each of the last days, by keys and in web chats together, for admins. An unknown account or chat has used nothing. */
export async function reportDailyUsage(
  ctx: Context,
  credential: SessionCredential,
  { days, ...filter }: { days: number } & UsageFilter,
): Promise<{ head: ReturnType<typeof envelopeOf<"day">>; days: UsageDay[] }> {
  const now = ctx.clock.now()
  const range = lastDays(now, days)
  const { rows } = await readAs(
    ctx,
    credential,
    (db) => db.selectFrom("caller").select(jsonArrayFrom(daysOf(db, range, filter)).as("days")),
    { role: "admin" },
  )
  return { head: envelopeOf(now, range, "day"), days: serializeDays(range, rows[0]?.days ?? []) }
}

export const serializeFilter = ({ user_id, chat_key }: UsageFilter) => ({
  user_id: user_id ?? null,
  chat_key: chat_key ?? null,
})

/** All days of a range, from those on which something was used. */
export function serializeDays(range: Range, rows: UsageDayRow[]): UsageDay[] {
  const days = filled(
    datesOf(range),
    rows,
    ({ day }) => day,
    (day) => ({ day, ...NO_SUMS, keyed_calls: 0, duration_us: 0 }),
  )
  return days.map(({ day, keyed_calls, duration_us, ...row }) => ({
    date: day,
    ...serializeSums(row),
    avg_duration_sec: ratio(duration_us, keyed_calls * 1e6),
  }))
}

/** What was used by day, from the rollup that has least to read. */
function daysOf(db: QueryCreator<CallerDB>, range: Range, filter: UsageFilter) {
  const { user_id, chat_key } = filter
  if (chat_key !== undefined) {
    const days = spaceDays(db, range, filteredSpaces(db, filter)).as("u")
    return db
      .selectFrom(days)
      .select(["u.day", ...SUMS, ...DURATION])
      .groupBy("u.day")
  }
  if (user_id !== undefined) {
    const days = userDays(db, range, user_id).as("u")
    return db
      .selectFrom(days)
      .select(["u.day", ...SUMS, ...DURATION])
      .groupBy("u.day")
  }
  return db
    .selectFrom(usageHours(db, range).as("u"))
    .select(({ ref }) => [dayOf(ref("u.hour")).as("day"), ...SUMS, ...DURATION])
    .groupBy("day")
}

/** The spaces of an account, or the one of a chat; with both, that one if it is theirs. */
export function filteredSpaces(db: QueryCreator<CallerDB>, { user_id, chat_key }: UsageFilter) {
  return db
    .selectFrom("spaces as s")
    .select("s.space_id")
    .$if(user_id !== undefined, (query) => query.where("s.user_id", "=", user_id ?? 0))
    .$if(chat_key !== undefined, (query) => query.where("s.chat_key", "=", chat_key ?? ""))
}
