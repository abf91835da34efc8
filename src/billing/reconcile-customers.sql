-- Checks the rollups of customers: the days of end users against ended turns, their months against days, and their sums
-- against months. The answers are those of usage_differences.

-- The sums of a row, by name.
create function turnpike.customer_sums_of(p_turns numeric, p_done numeric, p_failed numeric, p_billed numeric,
  p_refunded numeric, p_took_us numeric)
returns jsonb language sql immutable as $$
  select jsonb_build_object('turns', p_turns, 'done', p_done, 'failed', p_failed, 'billed_credit_micros', p_billed,
    'refunded_credit_micros', p_refunded, 'took_us', p_took_us)
$$;

-- The days of end users that differ from the turns that ended on a day. Web chats have no end user.
create function turnpike.customer_differences(p_day date)
returns table (family text, key text, period text, starts_at timestamptz,
  said jsonb, kept jsonb) language sql stable as $$
  with span as materialized (
    select p_day::timestamp at time zone 'UTC' as begins, (p_day + 1)::timestamp at time zone 'UTC' as ends
  ), rows as (
    select true as is_raw, e.user_id, e.test, e.end_user_ref, 1 as turns, e.state, e.billed_credit_micros as billed,
      0::bigint as refunded, (extract(epoch from e.finished_at - e.created_at) * 1e6)::bigint as took_us
    from span s, ended_turns e
    where e.finished_at >= s.begins and e.finished_at < s.ends and e.key_id is not null and e.end_user_ref <> ''
    union all
    select true, e.user_id, e.test, e.end_user_ref, 0, e.state, 0, e.refunded_credit_micros, 0
    from span s, refunded_turns e
    where e.refunded_at >= s.begins and e.refunded_at < s.ends and e.key_id is not null and e.end_user_ref <> ''
    union all
    select false, q.user_id, q.test, q.end_user_ref, q.turns, q.state, q.billed_credit_micros, q.refunded_credit_micros,
      q.took_us
    from span s, turn_ends q
    where q.ended_at >= s.begins and q.ended_at < s.ends and q.end_user_ref <> ''
  ), summed as (
    select r.is_raw, r.user_id, r.test, r.end_user_ref, sum(r.turns) as turns,
      sum(r.turns) filter (where r.state = 'done') as done, sum(r.turns) filter (where r.state = 'failed') as failed,
      sum(r.billed) as billed, sum(r.refunded) as refunded,
      sum(r.took_us) as took_us
    from rows r
    group by 1, 2, 3, 4
    union all
    -- One look-up for each account, since no index begins with the day.
    select false, d.user_id, d.test, d.end_user_ref, d.turns, d.done, d.failed, d.billed_credit_micros,
      d.refunded_credit_micros, d.took_us
    from users u
      cross join (values (false), (true)) m(test)
      cross join lateral (
      select n.* from end_user_days n where n.user_id = u.user_id and n.test = m.test and n.day = p_day) d
  ), sides as (
    select x.is_raw, x.user_id, x.test, x.end_user_ref,
      turnpike.customer_sums_of(sum(x.turns), coalesce(sum(x.done), 0),
      coalesce(sum(x.failed), 0), sum(x.billed), sum(x.refunded), sum(x.took_us)) as sums
    from summed x
    group by 1, 2, 3, 4
  )
  select 'end_user_days',
    concat_ws(' ', coalesce(a.user_id, b.user_id), coalesce(a.test, b.test)::text,
      coalesce(a.end_user_ref, b.end_user_ref)), 'day', s.begins, a.sums, b.sums
  from span s, (select * from sides where is_raw) a
    full join (select * from sides where not is_raw) b
    on b.user_id = a.user_id and b.test = a.test and b.end_user_ref = a.end_user_ref
  where a.sums is distinct from b.sums
$$;

-- The months of end users that differ from their days in the month of a day.
create function turnpike.customer_month_differences(p_day date)
returns table (family text, key text, period text, starts_at timestamptz,
  said jsonb, kept jsonb) language sql stable as $$
  with of as materialized (
    select date_trunc('month', p_day)::date as month,
      (date_trunc('month', p_day) + interval '1 month')::date as next_month
  ), accounts as (
    select u.user_id, m.test from users u cross join (values (false), (true)) m(test)
  ), said as (
    select d.user_id, d.test, d.end_user_ref,
      turnpike.customer_sums_of(sum(d.turns), sum(d.done), sum(d.failed), sum(d.billed_credit_micros),
      sum(d.refunded_credit_micros), sum(d.took_us)) as sums
    from of o, accounts a
      cross join lateral (select n.* from end_user_days n
      where n.user_id = a.user_id and n.test = a.test and n.day >= o.month and n.day < o.next_month) d
    group by 1, 2, 3
  ), kept as (
    select d.user_id, d.test, d.end_user_ref,
      turnpike.customer_sums_of(d.turns, d.done, d.failed, d.billed_credit_micros, d.refunded_credit_micros,
      d.took_us) as sums
    from of o, accounts a
      cross join lateral (select n.* from end_user_months n
      where n.user_id = a.user_id and n.test = a.test and n.month = o.month) d
  )
  select 'end_user_months',
    concat_ws(' ', coalesce(a.user_id, b.user_id), coalesce(a.test, b.test)::text,
      coalesce(a.end_user_ref, b.end_user_ref)), 'month', o.month::timestamp at time zone 'UTC', a.sums, b.sums
  from of o, said a
    full join kept b on b.user_id = a.user_id and b.test = a.test and b.end_user_ref = a.end_user_ref
  where a.sums is distinct from b.sums
$$;

-- The sums of end users that differ from all their months. p_day: the day of the findings.
create function turnpike.customer_sum_differences(p_day date)
returns table (family text, key text, period text, starts_at timestamptz,
  said jsonb, kept jsonb) language sql stable as $$
  with said as (
    select m.user_id, m.test, m.end_user_ref,
      turnpike.customer_sums_of(sum(m.turns), sum(m.done), sum(m.failed), sum(m.billed_credit_micros),
      sum(m.refunded_credit_micros), sum(m.took_us)) as sums
    from end_user_months m
    group by 1, 2, 3
  ), kept as (
    select r.user_id, r.test, r.end_user_ref,
      turnpike.customer_sums_of(r.turns, r.done, r.failed, r.billed_credit_micros, r.refunded_credit_micros,
      r.took_us) as sums
    from end_user_sums r
  )
  select 'end_user_sums',
    concat_ws(' ', coalesce(a.user_id, b.user_id), coalesce(a.test, b.test)::text,
      coalesce(a.end_user_ref, b.end_user_ref)), 'day', p_day::timestamp at time zone 'UTC', a.sums, b.sums
  from said a
    full join kept b on b.user_id = a.user_id and b.test = a.test and b.end_user_ref = a.end_user_ref
  where a.sums is distinct from b.sums
$$;
