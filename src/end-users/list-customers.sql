-- An end user of an account with its bills and the use of its caps. Amounts are credit micros.
create type turnpike.customer as (
  end_user_ref text,
  blocked boolean,
  turns bigint,
  last_turn_at timestamptz, -- null: no turn has ended
  billed bigint,
  billed_this_month bigint,
  billed_today bigint,
  -- Refunds by the time of their booking.
  refunded bigint,
  refunded_this_month bigint,
  refunded_today bigint,
  -- The turns that ended this month, by state, and the sum of their times from acceptance to end.
  turns_this_month bigint,
  done_this_month bigint,
  failed_this_month bigint,
  took_us_this_month bigint,
  daily_limit bigint, -- null: no limit
  daily_is_own boolean,
  daily_spent bigint,
  daily_reserved bigint,
  monthly_limit bigint, -- null: no limit
  monthly_is_own boolean,
  monthly_spent bigint,
  monthly_reserved bigint,
  -- The used part of the cap that is nearest to its limit: 1 is all of it.
  share double precision, -- null: no limit
  -- The billed amount of each day, the oldest first. The last is today.
  trend bigint[]
);

-- Sums over all end users that match a list's filters.
create type turnpike.customer_totals as (
  customers bigint,
  blocked bigint,
  turns bigint,
  billed bigint,
  billed_this_month bigint,
  billed_today bigint,
  -- Refunds by the time of their booking.
  refunded bigint,
  refunded_this_month bigint,
  refunded_today bigint,
  turns_this_month bigint,
  done_this_month bigint,
  failed_this_month bigint,
  took_us_this_month bigint
);

-- Lists the end users of an account with their spend, sorted and in pages, and the sums of all that match.
-- It reads the totals of end users and the queue of ended turns, and no turns (docs/architecture/explorer.md).
-- The plan is made for each call, because only the order by share needs the counters of all end users.
-- p_q: a part of the reference, in any case. p_blocked: only blocked end users, or only the others. Null: all.
-- p_sort: 'today', 'month', 'all_time', 'share', 'turns', 'last_turn', 'latency', 'failed' or 'name'. Equal end users
-- are sorted by name, and end users without a value come last. p_days: the length of a trend.
create function turnpike.list_customers(p_request turnpike.request, p_q text, p_blocked boolean, p_sort text,
  p_descending boolean, p_limit integer, p_offset integer, p_days integer, out actor turnpike.caller,
  out customers turnpike.customer[], out totals turnpike.customer_totals)
language plpgsql set jit = off set plan_cache_mode = force_custom_plan as $$
declare
  caller turnpike.caller;
  account wallets;
  answer record;
  refs text[];
begin
  {{caller.opens}}
  if not caller.test then
    select w.* into account from wallets w where w.user_id = caller.user_id;
  end if;
  with found as materialized (
    select c as one, c.end_user_ref
    from turnpike.customer_sums(caller.user_id, caller.test, p_request.moment) c
    where (p_q is null or strpos(folded(c.end_user_ref), folded(p_q)) > 0)
      and (p_blocked is null or p_blocked = c.blocked)
  ), ranked as (
    select f.end_user_ref, f.one,
      case p_sort when 'today' then (f.one).billed_today when 'month' then (f.one).billed_this_month
        when 'all_time' then (f.one).billed when 'share' then u.share when 'turns' then (f.one).turns
        when 'last_turn' then date_part('epoch', (f.one).last_turn_at)
        when 'latency' then (f.one).took_us_this_month::double precision / nullif((f.one).turns_this_month, 0)
        when 'failed' then (f.one).failed_this_month end::double precision as rank
    from found f
    left join end_users e on p_sort = 'share' and e.user_id = caller.user_id and e.test = caller.test
      and e.end_user_ref = f.end_user_ref
    left join lateral turnpike.customer_caps(e, account, caller, f.one, p_request.moment) u on p_sort = 'share'
  ), page as (
    select r.*, row_number() over () as place
      from (
      select k.*
      from ranked k
      order by case when p_descending then -k.rank else k.rank end nulls last,
        case when p_sort = 'name' and p_descending then k.end_user_ref end collate "C" desc, k.end_user_ref collate "C"
      limit p_limit offset p_offset) r
  )
  select array(select row((p.one).end_user_ref, (p.one).blocked, (p.one).turns, (p.one).last_turn_at, (p.one).billed,
        (p.one).billed_this_month, (p.one).billed_today, (p.one).refunded, (p.one).refunded_this_month,
        (p.one).refunded_today, (p.one).turns_this_month, (p.one).done_this_month,
        (p.one).failed_this_month, (p.one).took_us_this_month, u.daily, u.daily_is_own, u.daily_spent, u.daily_reserved,
        u.monthly, u.monthly_is_own, u.monthly_spent, u.monthly_reserved, u.share, '{}')::turnpike.customer
      from page p
      left join end_users e on e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p.end_user_ref
      cross join lateral turnpike.customer_caps(e, account, caller, p.one, p_request.moment) u
      order by p.place) as customers,
    (select row(count(*), count(*) filter (where (f.one).blocked), coalesce(sum((f.one).turns), 0),
      coalesce(sum((f.one).billed), 0), coalesce(sum((f.one).billed_this_month), 0),
      coalesce(sum((f.one).billed_today), 0), coalesce(sum((f.one).refunded), 0),
      coalesce(sum((f.one).refunded_this_month), 0), coalesce(sum((f.one).refunded_today), 0),
      coalesce(sum((f.one).turns_this_month), 0),
      coalesce(sum((f.one).done_this_month), 0), coalesce(sum((f.one).failed_this_month), 0),
      coalesce(sum((f.one).took_us_this_month), 0))::turnpike.customer_totals from found f) as totals
    into answer;
  customers := answer.customers;
  totals := answer.totals;
  refs := array(select c.end_user_ref from unnest(customers) c);
  customers := turnpike.with_trends(caller, customers, refs, p_days, p_request.moment);
  {{caller.closes}}
end $$;

-- Returns the caps of an end user and their use. `account` is null for test data, whose limits are rehearsed.
create function turnpike.customer_caps(own end_users, account wallets, caller turnpike.caller,
  p_sums turnpike.customer_sum, p_moment timestamptz)
returns table (daily bigint, daily_is_own boolean, daily_spent bigint, daily_reserved bigint, monthly bigint,
  monthly_is_own boolean, monthly_spent bigint, monthly_reserved bigint, share double precision)
language sql stable rows 1 as $$
  select l.daily, l.daily_is_own, d.spent, d.reserved, l.monthly, l.monthly_is_own, m.spent, m.reserved,
    greatest(turnpike.used_share(d.spent + d.reserved, l.daily), turnpike.used_share(m.spent + m.reserved, l.monthly))
  from (select coalesce((own).daily_limit_credit_micros, (account).end_user_daily_credit_micros) as daily,
      (own).daily_limit_credit_micros is not null as daily_is_own,
      coalesce((own).monthly_limit_credit_micros, (account).end_user_monthly_credit_micros) as monthly,
      (own).monthly_limit_credit_micros is not null as monthly_is_own,
      case when (caller).test then 'test_end_user' else 'end_user' end as kind) l
    left join lateral (select n.spent_credit_micros, n.reserved_credit_micros from spend_counters n
      where l.daily is not null and n.user_id = (caller).user_id and n.kind = l.kind
        and n.subject = (p_sums).end_user_ref
        and n.period = 'day' and n.starts_at = date_trunc('day', p_moment, 'UTC') and n.counted limit 1) nd on true
    left join lateral (select n.spent_credit_micros, n.reserved_credit_micros from spend_counters n
      where l.monthly is not null and n.user_id = (caller).user_id and n.kind = l.kind
        and n.subject = (p_sums).end_user_ref
        and n.period = 'month' and n.starts_at = date_trunc('month', p_moment, 'UTC') and n.counted limit 1) nm on true
    -- Before a cap is first checked in a period it has no counter. Then the bills of the period are used.
    cross join lateral (select coalesce(nd.spent_credit_micros, (p_sums).billed_today) as spent,
      coalesce(nd.reserved_credit_micros, 0) as reserved) d
    cross join lateral (select coalesce(nm.spent_credit_micros, (p_sums).billed_this_month) as spent,
      coalesce(nm.reserved_credit_micros, 0) as reserved) m
$$;

-- The used part of a limit. Nothing is left of a limit of 0.
create function turnpike.used_share(p_used bigint, p_limit bigint) returns double precision language sql immutable as $$
  select case when p_limit = 0 then 1 else p_used::double precision / p_limit end
$$;

-- The sums of an end user without its caps (turnpike.customer).
create type turnpike.customer_sum as (
  end_user_ref text,
  blocked boolean,
  turns bigint,
  last_turn_at timestamptz, -- null: no turn has ended
  billed bigint,
  billed_this_month bigint,
  billed_today bigint,
  -- Refunds by the time of their booking.
  refunded bigint,
  refunded_this_month bigint,
  refunded_today bigint,
  turns_this_month bigint,
  done_this_month bigint,
  failed_this_month bigint,
  took_us_this_month bigint
);

-- Returns the sums of all end users of an account with ended turns or with limits: totals and queue in one snapshot.
create function turnpike.customer_sums(p_user_id bigint, p_test boolean, p_moment timestamptz)
returns setof turnpike.customer_sum
language sql stable as $$
  with now as materialized (
    select (p_moment at time zone 'UTC')::date as today, date_trunc('month', p_moment at time zone 'UTC')::date as month
  ), parts as (
    select s.end_user_ref, false as blocked, s.turns, s.last_ended_at as last_turn_at, s.billed_credit_micros as billed,
      0::bigint as in_month, 0::bigint as in_day, s.refunded_credit_micros as refunded, 0::bigint as back_in_month,
      0::bigint as back_in_day, 0::bigint as turns_in_month, 0::bigint as done, 0::bigint as failed,
      0::bigint as took_us
    from end_user_sums s
    where s.user_id = p_user_id and s.test = p_test
    union all
    select m.end_user_ref, false, 0, null, 0, m.billed_credit_micros, 0, 0, m.refunded_credit_micros, 0, m.turns,
      m.done, m.failed, m.took_us
    from end_user_months m, now n
    where m.user_id = p_user_id and m.test = p_test and m.month = n.month
    union all
    select d.end_user_ref, false, 0, null, 0, 0, d.billed_credit_micros, 0, 0, d.refunded_credit_micros, 0, 0, 0, 0
    from end_user_days d, now n
    where d.user_id = p_user_id and d.test = p_test and d.day = n.today
    union all
    select q.end_user_ref, false, q.turns, case when q.refunded_credit_micros = 0 then q.ended_at end,
      q.billed_credit_micros, case when i.this_month then q.billed_credit_micros else 0 end,
      case when i.today then q.billed_credit_micros else 0 end, q.refunded_credit_micros,
      case when i.this_month then q.refunded_credit_micros else 0 end,
      case when i.today then q.refunded_credit_micros else 0 end, case when i.this_month then q.turns else 0 end,
      case when i.this_month and q.state = 'done' then q.turns else 0 end,
      case when i.this_month and q.state = 'failed' then q.turns else 0 end,
      case when i.this_month then q.took_us else 0 end
    from turn_ends q, now n, lateral (select (q.ended_at at time zone 'UTC')::date = n.today as today,
      date_trunc('month', q.ended_at at time zone 'UTC')::date = n.month as this_month) i
    where q.user_id = p_user_id and q.test = p_test and q.end_user_ref <> ''
    union all
    select e.end_user_ref, e.blocked, 0, null, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    from end_users e
    where e.user_id = p_user_id and e.test = p_test
  )
  select p.end_user_ref, bool_or(p.blocked), sum(p.turns)::bigint, max(p.last_turn_at), sum(p.billed)::bigint,
    sum(p.in_month)::bigint, sum(p.in_day)::bigint, sum(p.refunded)::bigint, sum(p.back_in_month)::bigint,
    sum(p.back_in_day)::bigint, sum(p.turns_in_month)::bigint, sum(p.done)::bigint, sum(p.failed)::bigint,
    sum(p.took_us)::bigint
  from parts p
  group by p.end_user_ref
$$;

-- Adds to each end user what it was billed on each of the last p_days days. One look-up for each of these days.
create function turnpike.with_trends(caller turnpike.caller, p_customers turnpike.customer[], p_refs text[],
  p_days integer, p_moment timestamptz) returns turnpike.customer[] language plpgsql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
declare
  today date := (p_moment at time zone 'UTC')::date;
  customer turnpike.customer;
  answer turnpike.customer[] := '{}';
  trend bigint[];
  queued jsonb;
begin
  select coalesce(jsonb_object_agg(q.ref, q.days), '{}') into queued
    from (
    select x.end_user_ref as ref, jsonb_object_agg(x.day, x.billed) as days
    from (
      select e.end_user_ref, (e.ended_at at time zone 'UTC')::date as day, sum(e.billed_credit_micros) as billed
      from turn_ends e
      where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = any (p_refs)
      group by 1, 2) x
    group by 1) q;
  foreach customer in array p_customers loop
    trend := array(
      select coalesce(d.billed_credit_micros, 0)
        + coalesce((queued -> customer.end_user_ref ->> g.day::text)::bigint, 0)
      from (select today - n as day from generate_series(p_days - 1, 0, -1) n) g
      left join end_user_days d on d.user_id = caller.user_id and d.test = caller.test and d.day = g.day
        and d.end_user_ref = customer.end_user_ref
      order by g.day);
    customer.trend := trend;
    answer := answer || customer;
  end loop;
  return answer;
end $$;
