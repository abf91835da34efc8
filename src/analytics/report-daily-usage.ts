import type { QueryCreator } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { daysBetween } from "../base/report-range.ts"
import { envelopeOf, NO_SUMS, ratio, type Sums, serializeSums, sums } from "./answer.ts"
import { isOfBrand, type ReportAsked, reportedBrand, type Scope } from "./brand.ts"
import { dayOf, spaceDays, usageHours, userDays } from "./families.ts"
import { datesOf, filled } from "./range.ts"
import type { DAILY } from "./rollups.ts"
import { DAY_SUMS } from "./sums.ts"

export const daySchema = z.object({
  date: z.iso.date().meta({ example: "2026-01-14" }),
  ...sums,
  avg_duration_sec: z.number().nullable().meta({
    description:
      "The average duration of a call, in seconds. Calls of web chats are not timed. Null on days without other calls.",
    example: 3.2,
  }),
  tokens_reasoning: z
    .int()
    .meta({ description: "The part of `tokens_output` that is reasoning, as providers report it.", example: 21800 }),
})

/** The filters of a usage report. Null: no filter. */
export const usageFilters = {
  user_id: z
    .int()
    .nullable()
    .meta({ description: "Only the spaces of this account. Null for all accounts.", example: 42 }),
  chat_key: z
    .string()
    .nullable()
    .meta({ description: "Only this chat. Null for all chats.", example: "space:spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
}

export const dailyUsageSchema = z
  .array(daySchema)
  .meta({ id: "DailyUsage", description: "Every day of the range, the oldest first." })

export type UsageDay = z.infer<typeof daySchema>

export interface UsageFilter {
  user_id?: number | undefined
  chat_key?: string | undefined
}

type DailySums = Record<(typeof DAILY)[number], number>

export interface UsageDayRow extends Sums, DailySums {
  day: string
}

const NO_DAILY: DailySums = { keyed_calls: 0, duration_us: 0, tokens_reasoning: 0 }

/**
 * Reports the usage of API keys and web chats on each of the last
 * days, for admins. An unknown account or chat has no usage.
 */
export async function reportDailyUsage(
  ctx: Context,
  credential: SessionCredential,
  asked: ReportAsked & UsageFilter,
): Promise<{ head: ReturnType<typeof envelopeOf<"day">>; days: UsageDay[] }> {
  const now = ctx.clock.now()
  const range = { ...daysBetween(now, asked), brand: await reportedBrand(ctx, credential, asked) }
  const { rows } = await readAs(
    ctx,
    credential,
    (db) => db.selectFrom("caller").select(jsonArrayFrom(daysOf(db, range, asked)).as("days")),
    { role: "admin" },
  )
  return { head: envelopeOf(now, range, "day"), days: serializeDays(datesOf(range), rows[0]?.days ?? []) }
}

export const serializeFilter = ({ user_id, chat_key }: UsageFilter) => ({
  user_id: user_id ?? null,
  chat_key: chat_key ?? null,
})

/** Returns these days, with empty rows for days without usage. */
export function serializeDays(dates: string[], rows: UsageDayRow[]): UsageDay[] {
  const days = filled(
    dates,
    rows,
    ({ day }) => day,
    (day) => ({ day, ...NO_SUMS, ...NO_DAILY }),
  )
  return days.map(({ day, keyed_calls, duration_us, tokens_reasoning, ...row }) => ({
    date: day,
    ...serializeSums(row),
    avg_duration_sec: ratio(duration_us, keyed_calls * 1e6),
    tokens_reasoning,
  }))
}

/** Usage by day, from the rollup with the fewest rows to read. */
function daysOf(db: QueryCreator<CallerDB>, range: Scope, filter: UsageFilter) {
  const { user_id, chat_key } = filter
  if (chat_key !== undefined) {
    const days = spaceDays(db, range, filteredSpaces(db, range, filter)).as("u")
    return db
      .selectFrom(days)
      .select(["u.day", ...DAY_SUMS])
      .groupBy("u.day")
  }
  if (user_id !== undefined) {
    const days = userDays(db, range, user_id).as("u")
    return db
      .selectFrom(days)
      .select(["u.day", ...DAY_SUMS])
      .groupBy("u.day")
  }
  return db
    .selectFrom(usageHours(db, range).as("u"))
    .select(({ ref }) => [dayOf(ref("u.hour")).as("day"), ...DAY_SUMS])
    .groupBy("day")
}

/**
 * The spaces of an account, or the space of a chat, if their account has the brand.
 * With both filters: that space, if it belongs to the account.
 */
export function filteredSpaces(db: QueryCreator<CallerDB>, { brand }: Scope, { user_id, chat_key }: UsageFilter) {
  return db
    .selectFrom("spaces as s")
    .select("s.space_id")
    .where((eb) => isOfBrand(eb.ref("s.user_id"), brand))
    .$if(user_id !== undefined, (query) => query.where("s.user_id", "=", user_id ?? 0))
    .$if(chat_key !== undefined, (query) => query.where("s.chat_key", "=", chat_key ?? ""))
}
