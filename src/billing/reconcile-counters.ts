import { type RawBuilder, sql } from "kysely"
import type { Slice, SliceOf } from "./reconcile-slices.ts"

/** Whether a period still bounds anything: a month or a window that is going on, today, and yesterday, whose turns may still grow. */
export function currentPeriod(
  period: RawBuilder<unknown>,
  startsAt: RawBuilder<unknown>,
  windowSeconds: RawBuilder<unknown>,
  now: Date,
): RawBuilder<unknown> {
  const at = sql`${now}::timestamptz`
  return sql`case ${period} when 'day' then ${startsAt} >= date_trunc('day', ${at}, 'UTC') - interval '24 hours'
    when 'month' then ${startsAt} >= date_trunc('month', ${at}, 'UTC')
    else ${startsAt} + make_interval(secs => ${windowSeconds}) > ${at} end`
}

/** Each counter of a current period: it holds what its turns were billed, and what those that are open hold. */
export function countersSlice({ position, size, now }: SliceOf): Slice {
  const after = position === "" ? ["0", "", "", "", "-infinity"] : (JSON.parse(position) as string[])
  const [userId, kind, subject, period, startsAt] = after
  return {
    ctes: sql`slice as materialized (
      select c.* from spend_counters c
      where (c.user_id, c.kind, c.subject, c.period, c.starts_at)
        > (${userId}::bigint, ${kind}::text, ${subject}::text, ${period}::text, ${startsAt}::timestamptz)
      order by c.user_id, c.kind, c.subject, c.period, c.starts_at limit ${size}::integer
    ), looked as materialized (
      select s.*, truth.spent, truth.reserved from slice s left join api_keys k on s.kind = 'key' and k.key_id = s.subject,
        lateral counter_truth(s.user_id, s.kind, s.subject, s.period, s.starts_at) truth
      where ${currentPeriod(sql`s.period`, sql`s.starts_at`, sql`k.window_seconds`, now)}
    )`,
    last: sql`select jsonb_build_array(user_id::text, kind, subject, period, starts_at::text)::text from slice
      order by user_id desc, kind desc, subject desc, period desc, starts_at desc limit 1`,
    findings: sql`select f.kind, l.user_id, null::text as turn_id, null::bigint as ledger_id,
        jsonb_build_object('kind', l.kind, 'subject', l.subject, 'period', l.period, 'starts_at', l.starts_at) as counter,
        f.expected, f.found
      from looked l, lateral (values ('counter_spent', l.spent, l.spent_credit_micros),
        ('counter_reserved', l.reserved, l.reserved_credit_micros)) f (kind, expected, found)
      where f.expected <> f.found`,
  }
}
