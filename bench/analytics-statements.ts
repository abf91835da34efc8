import { RELEASE } from "../src/platform/procedures.ts"

/** A measured read: the query of an operation, and a hand-written query over the same rollups. */
export interface MeasuredRead {
  name: string
  sql: string
  written?: string
  params?: unknown[]
  /** The parameters of the hand-written query, if they differ. */
  writtenParams?: unknown[]
}

const DAY_MS = 86_400_000

/** The reads of analytics. `ends`: the midnight after the last day. */
export function analyticsReads(ends: Date): MeasuredRead[] {
  const back = (days: number) => new Date(ends.getTime() - days * DAY_MS)
  const date = (days: number) => back(days).toISOString().slice(0, 10)
  const dayOf = "(ended_at at time zone 'UTC')::date"
  const top = (subject: "spaces" | "users", key: string, days: number, limit: number): MeasuredRead => ({
    name: `${subject}, ${days} days, top ${limit}`,
    sql: `select * from ${RELEASE}.range_${subject}($1, $2, $3)`,
    written: `select ${key}, sum(turns), sum(calls), sum(tokens_input), sum(tokens_cached), sum(tokens_output), sum(cost_credit_micros),
        sum(billed_credit_micros) from (
      select ${key}, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros, billed_credit_micros
        from ${subject.slice(0, -1)}_days where day >= $1::timestamptz::date and day < $2::timestamptz::date
      union all select ${key}, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros, billed_credit_micros
        from usage_queue where ended_at >= $1 and ended_at < $2) u
      group by ${key} order by sum(billed_credit_micros) desc, ${key} limit $3`,
    params: [back(days), ends, limit],
  })
  return [
    top("spaces", "space_id", 7, 20),
    top("spaces", "space_id", 30, 20),
    top("spaces", "space_id", 365, 100),
    top("users", "user_id", 30, 20),
    top("users", "user_id", 365, 100),
    {
      name: "spaces, cut days, top 20",
      sql: `select * from ${RELEASE}.range_spaces($1, $2, $3)`,
      params: [new Date(back(9).getTime() + 13 * 3_600_000), new Date(back(2).getTime() + 10.5 * 3_600_000), 20],
    },
    {
      name: "pairs, 365 days, all",
      sql: `select count(*) from ${RELEASE}.pairs_of_spaces($1, $2, array(select r.space_id from ${RELEASE}.rank_spaces($1, $2, 1000000) r))`,
      params: [back(365), ends],
    },
    {
      name: "hours, 30 days",
      sql: `select hour, sum(billed_credit_micros) from (select hour, billed_credit_micros from usage_hours where hour >= $1 union all
        select date_trunc('hour', ended_at, 'UTC'), billed_credit_micros from usage_queue where ended_at >= $1) u group by 1 order by 1`,
      params: [back(30)],
    },
    {
      name: "models, 365 days",
      sql: `select day, model, sum(cost_credit_micros), sum(billed_credit_micros) from (select day, model, cost_credit_micros,
        billed_credit_micros from model_days where day >= $1::date union all select ${dayOf}, model, cost_credit_micros,
        billed_credit_micros from usage_queue) u group by 1, 2 order by 1, 2`,
      params: [date(365)],
    },
    {
      name: "balances now, 30 days",
      sql: `select * from ${RELEASE}.balances_at($1::date, 30, 30, null)`,
      params: [date(1)],
    },
  ]
}
