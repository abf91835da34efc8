-- Returns number, sum and median of the last balances at the end of a day (UTC), from rollup and queue.
-- There is one row for each window from p_least to p_most days. All windows end with p_day.
-- A window counts accounts with a debit on one of its days. p_brand: null for the accounts of all brands.
-- An account's last balance is the running total of its ledger row with the highest ledger_id until then.
create function turnpike.balances_at(p_day date, p_least integer, p_most integer, p_brand text)
returns table (window_days integer, accounts bigint,
  balance_credit_micros bigint, median_twice bigint) language plpgsql stable
set jit = off set work_mem = '32MB' set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  until timestamptz := (p_day + 1)::timestamp at time zone 'UTC';
  since timestamptz := (p_day - p_most + 1)::timestamp at time zone 'UTC';
  later_days integer := (select count(*) from (select distinct d.day from ledger_days d where d.day > p_day limit 9) n);
  highest bigint;
begin
  if later_days < 9 then
    -- For accounts without rolled rows after the day, ledger_users and the queue have the balance.
    return query
      with waiting as materialized (
        select q.ledger_id, q.user_id, q.balance_after_credit_micros as balance, q.created_at,
          q.reason in ('usage', 'space_usage') as is_debit
          from ledger_queue q
      ), queued as materialized (
        select distinct on (w.user_id) w.user_id, w.ledger_id, w.balance,
          max(w.created_at) filter (where w.is_debit) over (partition by w.user_id order by w.ledger_id desc
            rows between unbounded preceding and unbounded following) as debited_at
        from waiting w
        where w.created_at < until
        order by w.user_id, w.ledger_id desc
      ), moved as materialized (
        select distinct l.user_id
        from ledger l
        where later_days > 0 and l.created_at >= until
          and not exists (select from waiting w where w.ledger_id = l.ledger_id)
      ), held as materialized (
        select p_day - (greatest(u.debited_at, q.debited_at) at time zone 'UTC')::date as age,
          case when q.ledger_id > u.ledger_id or u.ledger_id is null then q.balance
            else u.balance_after_credit_micros end as balance
        from ledger_users u
          full join queued q on q.user_id = u.user_id
        where greatest(u.debited_at, q.debited_at) >= since and {{rollups.ofBrand coalesce(u.user_id, q.user_id)}}
          and not exists (select from moved m where m.user_id = coalesce(u.user_id, q.user_id))
        union all
        select p_day - greatest(d.day,
          case when q.debited_at >= since then (q.debited_at at time zone 'UTC')::date end), l.balance
        from (select n.* from moved n where {{rollups.ofBrand n.user_id}}) m
          left join queued q on q.user_id = m.user_id
          left join lateral (select n.day from ledger_user_days n where n.user_id = m.user_id and n.day <= p_day
            and n.day > p_day - p_most
            and n.debits > 0 order by n.day desc limit 1) d on true
          cross join lateral (select n.balance_after_credit_micros as balance from ledger n
            where n.user_id = m.user_id and n.created_at < until order by n.ledger_id desc limit 1) l
        where d.day is not null or q.debited_at >= since
      )
      select w.days, count(h.age), coalesce(sum(h.balance), 0)::bigint,
        coalesce(2 * percentile_cont(0.5) within group (order by h.balance::double precision), 0)::bigint
      from generate_series(p_least, p_most) w(days)
        left join held h on h.age < w.days
      group by w.days;
    return;
  end if;
  -- No row up to the day has a higher ledger_id. So an account's last row is the first one downwards from here.
  select greatest((select max(d.ledger_id) from ledger_user_days d where d.day <= p_day),
    (select max(q.ledger_id) from ledger_queue q where q.created_at < until)) into highest;
  return query
    with active as materialized (
      select a.user_id, min(a.age) as age
        from (
        select d.user_id, p_day - d.day as age
        from ledger_user_days d
        where d.day > p_day - p_most and d.day <= p_day and d.debits > 0
        union all
        select q.user_id, p_day - (q.created_at at time zone 'UTC')::date
        from ledger_queue q
          where q.created_at >= since and q.created_at < until and q.reason in ('usage', 'space_usage')
      ) a
        group by a.user_id
    ), held as materialized (
      select a.age, l.balance
        from (select n.* from active n where {{rollups.ofBrand n.user_id}}) a
          cross join lateral (
        select n.balance_after_credit_micros as balance
        from ledger n
        where n.user_id = a.user_id and n.ledger_id <= highest and n.created_at < until
        order by n.ledger_id desc limit 1) l
    )
    select w.days, count(h.age), coalesce(sum(h.balance), 0)::bigint,
      coalesce(2 * percentile_cont(0.5) within group (order by h.balance::double precision), 0)::bigint
    from generate_series(p_least, p_most) w(days)
      left join held h on h.age < w.days
    group by w.days;
end $$;

-- Returns the same for one window before each of several instants, in one pass.
-- p_ends: the instants in ascending order. No row after the first instant may be rolled up.
-- The instants divide time into places. A balance counts from a place
-- with queued rows of its account to the account's next such place.
-- The balances are read in their order, for the medians.
create function turnpike.balances_now(p_ends timestamptz[], p_window integer, p_brand text)
returns table (ends_at timestamptz, accounts bigint,
  balance_credit_micros bigint, median_twice bigint) language plpgsql stable
set jit = off set work_mem = '32MB' set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  since timestamptz := p_ends[1] - make_interval(hours => 24 * p_window);
begin
  return query
    with moves as materialized (
      -- The last queued row of an account in a place: the time
      -- between two instants. Place 0 is before the first one.
      select q.user_id, q.place, max(array[q.ledger_id, q.balance_after_credit_micros]) as last,
        max(q.created_at) filter (where q.reason in ('usage', 'space_usage')) as debited_at
      from (select w.*, width_bucket(w.created_at, p_ends) as place from ledger_queue w) q
      where q.place < cardinality(p_ends) and {{rollups.ofBrand q.user_id}} group by q.user_id, q.place
    ), lasting as (
      select m.user_id, m.place, lead(m.place) over upto as next_place, max(m.last) over upto as last,
        max(m.debited_at) over upto as debited_at
      from moves m
      window upto as (partition by m.user_id order by m.place)
    ), held as materialized (
      select 0 as first_place, coalesce(f.place, cardinality(p_ends)) as until_place, u.debited_at,
        u.balance_after_credit_micros as balance
      from ledger_users u
        left join (select m.user_id, min(m.place) as place from moves m group by m.user_id) f on f.user_id = u.user_id
      where u.debited_at >= since and {{rollups.ofBrand u.user_id}}
      union all
      select l.place, coalesce(l.next_place, cardinality(p_ends)), greatest(l.debited_at, u.debited_at),
        case when u.ledger_id > l.last[1] then u.balance_after_credit_micros else l.last[2] end
      from lasting l
        left join lateral (select n.* from ledger_users n where n.user_id = l.user_id offset 0) u on true
      order by balance
    )
    select k.ends_at, count(h.balance), coalesce(turnpike.added(h.balance), 0),
      coalesce(2 * percentile_cont(0.5) within group (order by h.balance::double precision), 0)::bigint
    from (select e.ends_at, e.place::integer as place, e.ends_at - make_interval(hours => 24 * p_window) as since
        from unnest(p_ends) with ordinality e(ends_at, place) order by e.ends_at offset 0) k
      left join held h on h.first_place < k.place and k.place <= h.until_place and h.debited_at >= k.since
    group by k.ends_at;
end $$;

-- Stores the balances of the latest day that is over, is not stored and has no queued rows.
-- An empty brand has the balances of all accounts, and each brand those of its own.
-- p_most: the longest window in days. Returns false if there is no such day, or if another run is rolling up.
-- Sequential scans are off, because a connection may have planned this while the tables were nearly empty.
create function turnpike.close_balances(p_moment timestamptz, p_most integer) returns boolean language plpgsql
set enable_seqscan = off as $$
declare
  oldest date;
  late date;
  closed date;
begin
  if not pg_try_advisory_xact_lock(hashtext('roll_ledger'), 0) then
    return false;
  end if;
  select d.day into oldest from ledger_days d order by d.day limit 1;
  select (min(q.created_at) at time zone 'UTC')::date into late from ledger_queue q;
  select g.day::date into closed
    from generate_series(least(p_moment at time zone 'UTC', late)::date - 1, oldest, interval '-1 day') g(day)
    where not exists (select from balance_days b where b.day = g.day::date and b.brand = ''
      and b.window_days = p_most) limit 1;
  if closed is not null then
    insert into balance_days (
        day, brand, window_days, accounts, balance_credit_micros, median_twice)
      select
        closed, o.brand, b.window_days, b.accounts, b.balance_credit_micros, b.median_twice
      from (select '' as brand union select d.brand from ledger_days d) o
        cross join lateral turnpike.balances_at(closed, 1, p_most, nullif(o.brand, '')) b
      on conflict do nothing;
  end if;
  return closed is not null;
end $$;
