-- Last balances of active accounts at the end of each bucket of a range: of the last of its days that the range has and that has begun,
-- or at p_to, if that is earlier. Buckets that have not begun are left out. median_twice: the median, times two.
create function turnpike.balance_trend(p_from timestamptz, p_to timestamptz, p_unit text, p_window integer, p_moment timestamptz)
returns table (bucket text, accounts bigint, balance_credit_micros bigint, median_twice bigint) language plpgsql stable
set jit = off as $$
#variable_conflict use_column
declare
  step interval := ('1 ' || p_unit)::interval;
  last_day date := least(p_moment, p_to - interval '1 microsecond') at time zone 'UTC';
  -- Kept days before it have nothing in the queue.
  open_from date := (select (min(q.created_at) at time zone 'UTC')::date from ledger_queue q);
  oldest date := least((select d.day from ledger_days d order by d.day limit 1), open_from);
  -- Nothing is rolled up behind it.
  newest date := (select d.day from ledger_days d order by d.day desc limit 1);
  cut_day date := case when date_trunc('day', p_to, 'UTC') < p_to then p_to at time zone 'UTC' end;
begin
  return query
    with asked as (
      select g.bucket::date::text as bucket, least((g.bucket + step)::date - 1, last_day) as day
      from generate_series(date_trunc(p_unit, p_from at time zone 'UTC'), last_day::timestamp, step) g(bucket)
    ), known as materialized (
      select a.bucket, a.day, b.accounts, b.balance_credit_micros, b.median_twice, a.day >= coalesce(newest, '-infinity') as is_now
      from asked a left join balance_days b
        on b.day = a.day and b.window_days = p_window and b.day < coalesce(open_from, 'infinity')
      where a.day >= oldest and a.day is distinct from cut_day
    )
    select k.bucket, k.accounts, k.balance_credit_micros, k.median_twice from known k where k.accounts is not null
    union all
    select k.bucket, b.accounts, b.balance_credit_micros, b.median_twice
    from turnpike.balances_now(array(select n.day from known n where n.accounts is null and n.is_now), p_window) b
      join known k on k.day = b.day
    union all
    select k.bucket, b.accounts, b.balance_credit_micros, b.median_twice
    from known k, lateral turnpike.balances_at(k.day, p_window, p_window) b where k.accounts is null and not k.is_now;
  if cut_day = last_day then
    return query select date_trunc(p_unit, cut_day::timestamp)::date::text, b.accounts, b.balance_credit_micros, b.median_twice
      from turnpike.balances_before(p_to, p_window) b;
  end if;
end $$;

-- The same at any instant: of accounts with a debit in the p_window days before p_before, and of rows before it. Where the ledger has few
-- later days, only accounts with rows behind the instant are looked up in it; else all are, from the highest ledger_id before it on.
create function turnpike.balances_before(p_before timestamptz, p_window integer, out accounts bigint, out balance_credit_micros bigint,
  out median_twice bigint) language plpgsql stable
set jit = off set work_mem = '32MB' set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  cut_day date := p_before at time zone 'UTC';
  midnight timestamptz := date_trunc('day', p_before, 'UTC');
  since timestamptz := p_before - make_interval(hours => 24 * p_window);
  first_day date := since at time zone 'UTC';
  later_days integer := (select count(*) from (select distinct d.day from ledger_days d where d.day > cut_day limit 9) n);
  is_near boolean := later_days < 9;
  highest bigint := case when not is_near then greatest((select max(d.ledger_id) from ledger_user_days d where d.day <= cut_day),
    (select max(q.ledger_id) from ledger_queue q)) end;
begin
  with queued as materialized (
    select q.* from ledger_queue q
  ), near as materialized (
    -- Those of the two days that the instant and the window cut.
    select l.user_id, l.ledger_id, l.balance_after_credit_micros as balance, l.created_at, l.reason in ('usage', 'space_usage') as is_debit
    from ledger l where l.created_at >= midnight and l.created_at < midnight + interval '24 hours'
    union all
    select l.user_id, l.ledger_id, l.balance_after_credit_micros, l.created_at, l.reason in ('usage', 'space_usage')
    from ledger l where l.created_at >= since and l.created_at < least(midnight, since + interval '24 hours')
      and (l.created_at at time zone 'UTC')::date = first_day
  ), moved as materialized (
    select n.user_id from near n where n.created_at >= p_before
    union select q.user_id from queued q where q.created_at >= p_before
    union select l.user_id from ledger l where is_near and later_days > 0 and l.created_at >= midnight + interval '24 hours'
  ), active as materialized (
    select u.user_id from ledger_users u where is_near and u.debited_at >= since and u.debited_at < p_before
    union
    select d.user_id from moved m join ledger_user_days d on d.user_id = m.user_id
      where is_near and d.day > first_day and d.day < cut_day and d.debits > 0
    union
    select d.user_id from ledger_user_days d where not is_near and d.day > first_day and d.day < cut_day and d.debits > 0
    union
    select n.user_id from near n where n.created_at >= since and n.created_at < p_before and n.is_debit
    union
    select q.user_id from queued q where q.created_at >= since and q.created_at < p_before and q.reason in ('usage', 'space_usage')
  ), late as materialized (
    select distinct on (r.user_id) r.user_id, r.ledger_id, r.balance from (
      select n.user_id, n.ledger_id, n.balance from near n where n.created_at < p_before
      union all select q.user_id, q.ledger_id, q.balance_after_credit_micros from queued q where q.created_at < p_before
    ) r order by r.user_id, r.ledger_id desc
  ), held as materialized (
    select case when coalesce(n.ledger_id, 0) > coalesce(l.ledger_id, 0) then n.balance else l.balance_after_credit_micros end as balance
    from active a left join late n on n.user_id = a.user_id left join moved m on m.user_id = a.user_id
      left join lateral (
        select u.ledger_id, u.balance_after_credit_micros from ledger_users u
          where is_near and m.user_id is null and u.user_id = a.user_id
        union all
        (select w.ledger_id, w.balance_after_credit_micros from ledger w
          where is_near and m.user_id is not null and w.user_id = a.user_id and w.created_at < p_before order by w.ledger_id desc limit 1)
        union all
        (select w.ledger_id, w.balance_after_credit_micros from ledger w
          where not is_near and w.user_id = a.user_id and w.ledger_id <= highest and w.created_at < p_before
          order by w.ledger_id desc limit 1)
      ) l on true
  )
  select count(h.balance), coalesce(sum(h.balance), 0)::bigint,
    coalesce(2 * percentile_cont(0.5) within group (order by h.balance::double precision), 0)::bigint
    into accounts, balance_credit_micros, median_twice from held h;
end $$;
