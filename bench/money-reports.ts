import type { SessionCredential } from "../src/actor/actor.ts"
import type { Context } from "../src/actor/context.ts"
import { reportBalanceTrend } from "../src/analytics/report-balance-trend.ts"
import { reportBreakdown } from "../src/analytics/report-breakdown.ts"
import { reportCostRates } from "../src/analytics/report-cost-rates.ts"
import { reportCosts } from "../src/analytics/report-costs.ts"
import { reportEnergyTimeline } from "../src/analytics/report-energy-timeline.ts"
import { reportProviderSpaces } from "../src/analytics/report-provider-spaces.ts"
import { reportUserCosts } from "../src/analytics/report-user-costs.ts"
import type { MeasuredRead } from "./analytics-statements.ts"
import { statementOf } from "./report-statement.ts"
import type { Sql } from "./site.ts"
import { WINDOW_DAYS } from "./stored-analytics.ts"

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const DAY_OF = "(ended_at at time zone 'UTC')::date"
const COLUMNS = "turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros, billed_credit_micros"
const SUMS = COLUMNS.split(", ")
  .map((column) => `sum(${column})::bigint`)
  .join(", ")
const FROM = "($1::timestamptz at time zone 'UTC')::date"

/** The rows of a rollup since $1 together with the queued rows, grouped by these keys. */
const family = (table: string, keys: string, rest = "") =>
  `select ${keys}, ${SUMS} from (select ${keys}, ${COLUMNS} from ${table} where day >= ${FROM}
     union all select ${keys.replace("day", DAY_OF)}, ${COLUMNS} from usage_queue where ended_at >= $1) u group by ${keys} ${rest}`

const first = (table: string, key: string, limit: number) =>
  family(table, key, `order by sum(billed_credit_micros) desc, ${key} limit ${limit}`)

const timeline = (unit: string) =>
  `select date_trunc('${unit}', day), reason, sum(given), sum(taken) from (
     select day::timestamp, reason, given_credit_micros as given, taken_credit_micros as taken from ledger_days where day >= ${FROM}
     union all select created_at at time zone 'UTC', reason, greatest(amount_credit_micros, 0), least(amount_credit_micros, 0)
       from ledger_queue where created_at >= $1) l group by 1, 2`

/** The stored balances of past days, and today's balances from the last ledger row of each user. */
const TREND = `with queued as (
    select distinct on (user_id) user_id, ledger_id, balance_after_credit_micros as balance,
      max(created_at) filter (where reason in ('usage', 'space_usage')) over (partition by user_id) as debited_at
    from ledger_queue order by user_id, ledger_id desc
  ), last as (
    select case when q.ledger_id > u.ledger_id or u.ledger_id is null then q.balance else u.balance_after_credit_micros end as balance
    from ledger_users u full join queued q using (user_id)
    where greatest(u.debited_at, q.debited_at) >= $2::timestamptz - interval '30 days'
  )
  select day, accounts, balance_credit_micros, median_twice from balance_days where window_days = 30 and day >= ${FROM}
  union all select null, count(*), sum(balance)::bigint, 2 * percentile_cont(0.5) within group (order by balance) from last`

/** The money reports of admins, each with an equivalent hand-written query. `ends`: the midnight after the last day. */
export async function moneyReads(sql: Sql, ends: Date): Promise<MeasuredRead[]> {
  const [place] = await sql<{ chat_key: string; user_id: number; space_id: number }>(
    "select chat_key, user_id::integer, space_id::integer from spaces order by space_id limit 1",
  )
  if (!place) throw new Error("there are no spaces")
  const { chat_key, user_id, space_id } = place
  const back = (ms: number) => new Date(ends.getTime() - ms)
  const since = (days: number) => [back(days * DAY_MS)]
  const at = (ms: number) => back(ms).toISOString()
  const read = async (
    name: string,
    report: (ctx: Context, credential: SessionCredential) => Promise<unknown>,
    written?: string,
    writtenParams: unknown[] = [],
  ): Promise<MeasuredRead> => ({
    name,
    ...(await statementOf(ends, report)),
    ...(written !== undefined && { written, writtenParams }),
  })
  const breakdowns = (
    [
      ["space", "space_days", "space_id"],
      ["user", "user_days", "user_id"],
      ["model", "model_days", "model"],
      ["provider", "provider_days", "provider_key"],
    ] as const
  ).flatMap(([dimension, table, key]) => [
    read(
      `breakdown by ${dimension}, 30 days`,
      (ctx, who) => reportBreakdown(ctx, who, { dimension, days: 30, limit: 100 }),
      first(table, key, 100),
      since(30),
    ),
    read(
      `breakdown by ${dimension}, 365 days, first 1000`,
      (ctx, who) => reportBreakdown(ctx, who, { dimension, days: 365, limit: 1000 }),
      first(table, key, 1000),
      since(365),
    ),
    read(`breakdown by ${dimension}, cut days`, (ctx, who) =>
      reportBreakdown(ctx, who, {
        dimension,
        days: 1,
        limit: 100,
        start: at(9 * DAY_MS - 13 * HOUR_MS),
        end: at(2 * DAY_MS - 10.5 * HOUR_MS),
      }),
    ),
  ])
  const filter = { start: undefined, end: undefined, all_time: false }
  return Promise.all([
    read(
      "costs, 365 days",
      (ctx, who) => reportCosts(ctx, who, { days: 365 }),
      family("model_days", "day, model"),
      since(365),
    ),
    read(
      "cpm, 365 days",
      (ctx, who) => reportCostRates(ctx, who, { days: 365 }),
      family("model_days", "day, model"),
      since(365),
    ),
    read(
      "cpm of a user, 365 days",
      (ctx, who) => reportCostRates(ctx, who, { days: 365, user_id }),
      family("model_days", "day, model"),
      since(365),
    ),
    read(
      "cpm of a chat, 365 days",
      (ctx, who) => reportCostRates(ctx, who, { days: 365, chat_key }),
      family("model_days", "day, model"),
      since(365),
    ),
    ...[30, 3650].map((days) =>
      read(
        `energy-timeline, ${days} days`,
        (ctx, who) => reportEnergyTimeline(ctx, who, { ...filter, days }),
        timeline(days > 730 ? "month" : "day"),
        since(days),
      ),
    ),
    read(
      "energy-timeline, all time",
      (ctx, who) => reportEnergyTimeline(ctx, who, { ...filter, days: 30, all_time: true }),
      timeline("month"),
      since(3650),
    ),
    read("energy-timeline, cut days", (ctx, who) =>
      reportEnergyTimeline(ctx, who, {
        ...filter,
        days: 1,
        start: at(40 * DAY_MS - HOUR_MS),
        end: at(DAY_MS - HOUR_MS),
      }),
    ),
    ...[30, 92, 730].map((days) =>
      read(
        `balance-trend, ${days} days`,
        (ctx, who) => reportBalanceTrend(ctx, who, { ...filter, days, active_window_days: WINDOW_DAYS }),
        TREND,
        [back(days * DAY_MS), ends],
      ),
    ),
    read("balance-trend up to this noon", (ctx, who) =>
      reportBalanceTrend(ctx, who, { ...filter, days: 30, end: at(12 * HOUR_MS), active_window_days: WINDOW_DAYS }),
    ),
    ...[30, 365].map((days) =>
      read(
        `costs/per-user, ${days} days`,
        (ctx, who) => reportUserCosts(ctx, who, { days, limit: 100 }),
        first("user_days", "user_id", 100),
        since(days),
      ),
    ),
    ...[30, 365].map((days) =>
      read(
        `subscription-spaces, ${days} days`,
        (ctx, who) => reportProviderSpaces(ctx, who, { days, limit: 100, offset: 0 }),
        first("provider_space_days", "provider_key, space_id", 100),
        since(days),
      ),
    ),
    read(
      "subscription-spaces of a chat, 365 days",
      (ctx, who) => reportProviderSpaces(ctx, who, { days: 365, chat_key, limit: 100, offset: 0 }),
      `select provider_key, ${SUMS} from (select provider_key, ${COLUMNS} from provider_space_days where space_id = ${space_id} and day >= ${FROM}
         union all select provider_key, ${COLUMNS} from usage_queue where space_id = ${space_id} and ended_at >= $1) u group by 1`,
      since(365),
    ),
    ...breakdowns,
  ])
}
