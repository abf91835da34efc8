-- Returns number, sum and median of the last balances of active accounts at the end of each bucket of a range.
-- A bucket ends with its last day that is in the range and has begun, or at p_to if that is earlier.
-- Buckets that have not begun are omitted. median_twice: the median, times two.
-- p_brand: null for the accounts of all brands.
create function turnpike.balance_trend(p_from timestamptz, p_to timestamptz, p_unit text, p_window integer,
  p_moment timestamptz, p_brand text)
returns table (bucket text, accounts bigint, balance_credit_micros bigint, median_twice bigint) language plpgsql stable
set jit = off as $$
#variable_conflict use_column
declare
  step interval := ('1 ' || p_unit)::interval;
  last_day date := least(p_moment, p_to - interval '1 microsecond') at time zone 'UTC';
  -- Stored days before this one have no rows in the queue.
  open_from date := (select (min(q.created_at) at time zone 'UTC')::date from ledger_queue q);
  oldest date := least((select d.day from ledger_days d order by d.day limit 1), open_from);
  -- No row after this day is rolled up.
  newest date := (select d.day from ledger_days d order by d.day desc limit 1);
  cut_day date := case when date_trunc('day', p_to, 'UTC') < p_to then p_to at time zone 'UTC' end;
begin
  return query
    with asked as (
      select g.bucket::date::text as bucket, least((g.bucket + step)::date - 1, last_day) as day
      from generate_series(date_trunc(p_unit, p_from at time zone 'UTC'), last_day::timestamp, step) g(bucket)
    ), known as materialized (
      select a.bucket, a.day, b.accounts, b.balance_credit_micros, b.median_twice,
        a.day >= coalesce(newest, '-infinity') as is_now,
        least(p_to, (a.day + 1)::timestamp at time zone 'UTC') as ends_at
      from asked a
        left join balance_days b
        on b.day = a.day and b.brand = coalesce(p_brand, '') and b.window_days = p_window
          and b.day < coalesce(open_from, 'infinity') and a.day is distinct
          from cut_day
      where case when a.day = cut_day then a.day > coalesce(newest, '-infinity') else a.day >= oldest end
    )
    select k.bucket, k.accounts, k.balance_credit_micros, k.median_twice
    from known k
    where k.accounts is not null
    union all
    select k.bucket, b.accounts, b.balance_credit_micros, b.median_twice
    from turnpike.balances_now(
      array(select n.ends_at from known n where n.accounts is null and n.is_now order by n.ends_at), p_window,
        p_brand) b
      join known k on k.ends_at = b.ends_at
    union all
    select k.bucket, b.accounts, b.balance_credit_micros, b.median_twice
    from known k, lateral turnpike.balances_at(k.day, p_window, p_window, p_brand) b
    where k.accounts is null and not k.is_now;
  if cut_day = last_day and cut_day <= coalesce(newest, '-infinity') then
    return query select date_trunc(p_unit, cut_day::timestamp)::date::text, b.accounts, b.balance_credit_micros,
      b.median_twice
      from turnpike.balances_before(p_to, p_window, p_brand) b;
  end if;
end $$;

-- Returns the same at any instant, for accounts with a debit in the p_window days before p_before.
-- If the ledger has few later days, only accounts with rolled rows after the instant are looked up in it.
-- Otherwise all accounts are looked up, downwards from the highest ledger_id before the instant.
create function turnpike.balances_before(p_before timestamptz, p_window integer, p_brand text, out accounts bigint,
  out balance_credit_micros bigint, out median_twice bigint) language plpgsql stable
set jit = off set work_mem = '32MB' set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  cut_day date := p_before at time zone 'UTC';
  midnight timestamptz := date_trunc('day', p_before, 'UTC');
  since timestamptz := p_before - make_interval(hours => 24 * p_window);
  first_day date := since at time zone 'UTC';
  first_until timestamptz := (first_day + 1)::timestamp at time zone 'UTC';
  highest bigint;
begin
  if (select count(*) from (select distinct d.day from ledger_days d where d.day > cut_day limit 9) n) < 9 then
    with waiting as materialized (
      select q.ledger_id, q.user_id, q.balance_after_credit_micros as balance, q.created_at,
        q.reason in ('usage', 'space_usage') as is_debit
        from ledger_queue q
    ), queued as materialized (
      select distinct on (w.user_id) w.user_id, w.ledger_id, w.balance,
        max(w.created_at) filter (where w.is_debit) over (partition by w.user_id order by w.ledger_id desc
          rows between unbounded preceding and unbounded following) as debited_at
      from waiting w
      where w.created_at < p_before
      order by w.user_id, w.ledger_id desc
    ), moved as materialized (
      select distinct l.user_id
      from ledger l
      where l.created_at >= p_before and not exists (select from waiting w where w.ledger_id = l.ledger_id)
    ), near as materialized (
      -- Accounts with a debit on the days that the instant and the window cut.
      select l.user_id from ledger l where l.created_at >= midnight and l.created_at < p_before
        and l.reason in ('usage', 'space_usage')
      union
      select l.user_id from ledger l where l.created_at >= since and l.created_at < first_until
        and l.reason in ('usage', 'space_usage')
    ), held as materialized (
      select case when q.ledger_id > u.ledger_id or u.ledger_id is null then q.balance
        else u.balance_after_credit_micros end as balance
      from ledger_users u
        full join queued q on q.user_id = u.user_id
      where greatest(u.debited_at, q.debited_at) >= since and {{rollups.ofBrand coalesce(u.user_id, q.user_id)}}
        and not exists (select from moved m where m.user_id = coalesce(u.user_id, q.user_id))
      union all
      select l.balance
      from (select n.* from moved n where {{rollups.ofBrand n.user_id}}) m
        left join queued q on q.user_id = m.user_id
        cross join lateral (
          select w.balance_after_credit_micros as balance, w.created_at,
            w.reason in ('usage', 'space_usage') as is_debit
          from ledger w
          where w.user_id = m.user_id and w.created_at < p_before
          order by w.ledger_id desc limit 1) l
      where l.is_debit and l.created_at >= since or q.debited_at >= since or m.user_id in (select n.user_id from near n)
        -- A look-up for each remaining account. With `exists`, PostgreSQL would read the days of all accounts.
        or (select true from ledger_user_days d
          where d.user_id = m.user_id and d.day > first_day and d.day < cut_day and d.debits > 0 limit 1)
    )
    select count(h.balance), coalesce(sum(h.balance), 0)::bigint,
      coalesce(2 * percentile_cont(0.5) within group (order by h.balance::double precision), 0)::bigint
      into accounts, balance_credit_micros, median_twice
    from held h;
    return;
  end if;
  select greatest((select max(d.ledger_id) from ledger_user_days d where d.day <= cut_day),
    (select max(q.ledger_id) from ledger_queue q)) into highest;
  with active as materialized (
    select d.user_id
    from ledger_user_days d
    where d.day > first_day and d.day < cut_day and d.debits > 0
    union
    select l.user_id
    from ledger l
    where l.created_at >= midnight and l.created_at < p_before and l.reason in ('usage', 'space_usage')
    union
    select l.user_id
    from ledger l
    where l.created_at >= since and l.created_at < first_until and l.reason in ('usage', 'space_usage')
    union
    select q.user_id
    from ledger_queue q
    where q.created_at >= since and q.created_at < p_before and q.reason in ('usage', 'space_usage')
  ), held as materialized (
    select l.balance
      from (select n.* from active n where {{rollups.ofBrand n.user_id}}) a
        cross join lateral (
      select w.balance_after_credit_micros as balance
      from ledger w
      where w.user_id = a.user_id and w.ledger_id <= highest and w.created_at < p_before
      order by w.ledger_id desc limit 1) l
  )
  select count(h.balance), coalesce(sum(h.balance), 0)::bigint,
    coalesce(2 * percentile_cont(0.5) within group (order by h.balance::double precision), 0)::bigint
    into accounts, balance_credit_micros, median_twice
  from held h;
end $$;
