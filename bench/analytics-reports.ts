import type { SessionCredential } from "../src/actor/actor.ts"
import type { Context } from "../src/actor/context.ts"
import { reportContextComparison } from "../src/analytics/report-context-comparison.ts"
import { reportContextSize } from "../src/analytics/report-context-size.ts"
import { reportDailyUsage } from "../src/analytics/report-daily-usage.ts"
import { reportErrors } from "../src/analytics/report-errors.ts"
import { reportHourly } from "../src/analytics/report-hourly.ts"
import { reportHourlySpaces } from "../src/analytics/report-hourly-spaces.ts"
import { reportSlugUsage } from "../src/analytics/report-slug-usage.ts"
import { reportTopSpaces } from "../src/analytics/report-top-spaces.ts"
import { reportTopUsers } from "../src/analytics/report-top-users.ts"
import type { MeasuredRead } from "./analytics-statements.ts"
import { statementOf } from "./report-statement.ts"
import type { Sql } from "./site.ts"

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const DAY_OF = "(ended_at at time zone 'UTC')::date"
const HOUR_OF = "date_trunc('hour', ended_at, 'UTC')"
const SUMS =
  "sum(turns)::bigint, sum(calls)::bigint, sum(tokens_input)::bigint, sum(tokens_cached)::bigint, sum(tokens_output)::bigint, sum(billed_credit_micros)::bigint"
const COLUMNS = "turns, calls, tokens_input, tokens_cached, tokens_output, billed_credit_micros"
const TIMED = "sum(keyed_calls)::bigint, sum(duration_us)::bigint"

/** The page of reports with a list of all spaces. Their first statement ranks all spaces, whatever the page. */
const PAGE = { limit: 20, offset: 0 }

/** The usage reports of admins, each with an equivalent hand-written query. `ends`: the midnight after the last day. */
export async function reportReads(sql: Sql, ends: Date): Promise<MeasuredRead[]> {
  const [place] = await sql<{ slug: string; chat_key: string; user_id: number; space_id: number }>(
    "select slug, chat_key, user_id::integer, space_id::integer from spaces order by space_id limit 1",
  )
  if (!place) throw new Error("there are no spaces")
  const { slug, chat_key, user_id, space_id } = place
  const back = (ms: number) => new Date(ends.getTime() - ms)
  const read = async (
    name: string,
    report: (ctx: Context, credential: SessionCredential) => Promise<unknown>,
    written: string,
    writtenParams: unknown[],
  ): Promise<MeasuredRead> => ({ name, ...(await statementOf(ends, report)), written, writtenParams })

  const byDay = (table: string, where: string, columns: string, sums: string, keys = "day") =>
    `select ${keys}, ${sums} from (select ${keys}, ${columns} from ${table} where day >= ($1::timestamptz at time zone 'UTC')::date and ${where}
       union all select ${keys.replace("day", DAY_OF)}, ${columns} from usage_queue where ended_at >= $1 and ${where}) u group by ${keys}`
  const usage = (where: string, table: string) =>
    byDay(table, where, `${COLUMNS}, keyed_calls, duration_us`, `${SUMS}, ${TIMED}`)
  const hours = `select date_trunc('day', hour, 'UTC'), ${SUMS}, ${TIMED} from (select hour, ${COLUMNS}, keyed_calls, duration_us from usage_hours
       where hour >= $1 union all select ${HOUR_OF}, ${COLUMNS}, keyed_calls, duration_us from usage_queue where ended_at >= $1) u group by 1`
  const ranked = (subject: "user" | "space", limit: number) =>
    `select ${subject}_id, ${SUMS} from (select ${subject}_id, ${COLUMNS} from ${subject}_days where day >= ($1::timestamptz at time zone 'UTC')::date
       union all select ${subject}_id, ${COLUMNS} from usage_queue where ended_at >= $1) u
     group by 1 order by sum(billed_credit_micros) desc, 1 limit ${limit}`
  const topHours = `with top as (${ranked("space", 20)}) select space_id, hour, sum(billed_credit_micros) from (
      select space_id, hour, billed_credit_micros from space_hours where hour >= $1 and space_id in (select space_id from top) union all
      select space_id, ${HOUR_OF}, billed_credit_micros from usage_queue where ended_at >= $1 and space_id in (select space_id from top) union all
      select null, hour, billed_credit_micros from usage_hours where hour >= $1 union all
      select null, ${HOUR_OF}, billed_credit_micros from usage_queue where ended_at >= $1) u group by 1, 2`
  const since = (days: number) => [back(days * DAY_MS)]
  const at = (ms: number) => back(ms).toISOString()
  return Promise.all([
    read(
      "context-comparison, 120 days",
      (ctx, who) => reportContextComparison(ctx, who, { days: 120 }),
      byDay("provider_days", "pooled", COLUMNS, SUMS, "day, role"),
      since(120),
    ),
    read("usage, 30 days", (ctx, who) => reportDailyUsage(ctx, who, { days: 30 }), hours, since(30)),
    read("usage, 365 days", (ctx, who) => reportDailyUsage(ctx, who, { days: 365 }), hours, since(365)),
    read(
      "usage of a user, 365 days",
      (ctx, who) => reportDailyUsage(ctx, who, { days: 365, user_id }),
      usage(`user_id = ${user_id}`, "user_days"),
      since(365),
    ),
    read(
      "usage of a chat, 365 days",
      (ctx, who) => reportDailyUsage(ctx, who, { days: 365, chat_key }),
      usage(`space_id = ${space_id}`, "space_days"),
      since(365),
    ),
    ...[30, 365].map((days) =>
      read(
        `usage by slug, ${days} days`,
        (ctx, who) => reportSlugUsage(ctx, who, { days, empty_days: true, ...PAGE }),
        ranked("space", 20),
        since(days),
      ),
    ),
    read(
      "usage by slug of a user, 365 days",
      (ctx, who) => reportSlugUsage(ctx, who, { days: 365, empty_days: true, user_id, ...PAGE }),
      byDay(
        "space_days",
        `space_id in (select space_id from spaces where user_id = ${user_id})`,
        COLUMNS,
        SUMS,
        "space_id",
      ),
      since(365),
    ),
    ...(
      [
        [30, 20],
        [365, 100],
      ] as const
    ).flatMap(([days, limit]) => [
      read(
        `top-users, ${days} days`,
        (ctx, who) => reportTopUsers(ctx, who, { days, limit }),
        ranked("user", limit),
        since(days),
      ),
      read(
        `top-spaces, ${days} days`,
        (ctx, who) => reportTopSpaces(ctx, who, { days, limit }),
        ranked("space", limit),
        since(days),
      ),
    ]),
    read(
      "errors, 365 days",
      (ctx, who) => reportErrors(ctx, who, { days: 365 }),
      "select (created_at at time zone 'UTC')::date, kind, count(*) from infrastructure_errors where created_at >= $1 group by 1, 2",
      since(365),
    ),
    read(
      "context-size, 90 days",
      (ctx, who) => reportContextSize(ctx, who, { days: 90, empty_days: true, ...PAGE }),
      ranked("space", 20),
      since(90),
    ),
    read(
      "context-size of a space, 90 days",
      (ctx, who) => reportContextSize(ctx, who, { days: 90, empty_days: true, space: slug, ...PAGE }),
      `select space_id from spaces where space_id = ${space_id} and $1::timestamptz is not null`,
      since(90),
    ),
    read(
      "hourly, 30 days",
      (ctx, who) => reportHourly(ctx, who, { days: 30 }),
      `select hour, ${SUMS} from (select hour, ${COLUMNS} from usage_hours where hour >= $1 union all
         select ${HOUR_OF}, ${COLUMNS} from usage_queue where ended_at >= $1) u group by 1`,
      since(30),
    ),
    read(
      "hourly-spaces, 31 days",
      (ctx, who) => reportHourlySpaces(ctx, who, { start: at(31 * DAY_MS), end: at(0), top: 20 }),
      topHours,
      since(31),
    ),
    read(
      "hourly-spaces, a day",
      (ctx, who) => reportHourlySpaces(ctx, who, { start: at(DAY_MS), end: at(0), top: 8 }),
      topHours,
      since(1),
    ),
    read(
      "hourly-spaces, cut days",
      (ctx, who) =>
        reportHourlySpaces(ctx, who, {
          start: at(7 * DAY_MS - 5.5 * HOUR_MS),
          end: at(DAY_MS - 3.25 * HOUR_MS),
          top: 8,
        }),
      topHours,
      since(7),
    ),
  ])
}
