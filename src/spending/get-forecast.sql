-- The spend of an account on a day (UTC).
create type turnpike.spent_day as (
  day date,
  amount bigint
);

-- Returns what an account has spent on each day (UTC) from p_from on: the bills of its turns, less the refunds of that
-- day, and the charges without a turn. Days without spend are left out.
create function turnpike.spend_by_day(p_user_id bigint, p_from date) returns setof turnpike.spent_day
language sql stable rows 60 set enable_seqscan = off set jit = off as $$
  with begins as materialized (
    select p_from::timestamp at time zone 'UTC' as at
  ), parts as (
    select d.day, d.billed_credit_micros - d.refunded_credit_micros as amount
    from user_days d
    where d.user_id = p_user_id and d.day >= p_from
    union all
    select (q.ended_at at time zone 'UTC')::date, q.billed_credit_micros - q.refunded_credit_micros
    from turn_ends q, begins b
    where q.user_id = p_user_id and not q.test and q.ended_at >= b.at
    union all
    select (l.created_at at time zone 'UTC')::date, -l.amount_credit_micros
    from ledger l, begins b
    where l.user_id = p_user_id and l.created_at >= b.at and l.reason = 'space_usage' and l.turn_id is null
  )
  select p.day, sum(p.amount)::bigint
  from parts p
  group by p.day
$$;

-- Credit that a plan will add.
create type turnpike.planned_credit as (
  at timestamptz,
  amount bigint
);

-- Returns the credit that the plans of an account add until p_until. As credit_subscription, it counts several
-- subscriptions of one plan once for the same time: the one that started first has it.
create function turnpike.planned_credits(p_user_id bigint, p_until timestamptz) returns setof turnpike.planned_credit
language sql stable as $$
  with given as (
    select s.sub_id, s.plan, s.starts_at, s.ends_at, s.credited_periods,
      round((turnpike.setting_value('plans') -> s.plan ->> 'included_credit_usd')::numeric * 10000000)::bigint as amount
    from subscriptions s
    where s.user_id = p_user_id and s.crediting and s.deactivated_at is null
  )
  select d.begins, s.amount
  from given s, lateral (
      select turnpike.period_begin(s.starts_at, n) as begins,
        least(turnpike.period_begin(s.starts_at, n + 1), s.ends_at) as ends
      from generate_series(s.credited_periods, s.credited_periods + 12) n) d
  where s.amount > 0 and d.begins < p_until and (d.begins >= s.ends_at) is not true
    and not exists (select from given o
      where o.plan = s.plan and (o.starts_at, o.sub_id) < (s.starts_at, s.sub_id)
        and (o.ends_at <= d.begins) is not true)
    and not exists (select from subscription_credits c
      where c.user_id = p_user_id and c.plan = s.plan and c.starts_at < d.ends and c.ends_at > d.begins)
  order by d.begins
$$;

-- Returns the basis of the forecast of the caller's account: its spend by day from p_from on, and its balance. Also the
-- daily cap of its plan, and the credit that plans add until p_until.
create function turnpike.get_forecast(p_request turnpike.request, p_from date, p_until timestamptz,
  out actor turnpike.caller, out days turnpike.spent_day[], out balance bigint, out daily_cap bigint,
  out credits turnpike.planned_credit[])
language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  days := array(select d from turnpike.spend_by_day(caller.user_id, p_from) d);
  balance := (select s.balance from turnpike.wallet_sums(caller.user_id) s);
  daily_cap := turnpike.plan_cap(caller.user_id, 'daily_cap_usd', p_request.moment);
  credits := array(select c from turnpike.planned_credits(caller.user_id, p_until) c);
  {{caller.closes}}
end $$;
