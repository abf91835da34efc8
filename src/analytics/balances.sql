-- Last balances at the end of a day (UTC), of accounts with a debit on one of the p_window days that end with it, for each window from
-- p_least to p_most: rollup and queue. An account's last balance is that of its highest ledger_id up to then.
create function turnpike.balances_at(p_day date, p_least integer, p_most integer) returns table (window_days integer, accounts bigint,
  balance_credit_micros bigint, median_twice bigint) language plpgsql stable
set jit = off set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  until timestamptz := (p_day + 1)::timestamp at time zone 'UTC';
  is_newest boolean := not exists (select from ledger_days d where d.day > p_day)
    and not exists (select from ledger_queue q where q.created_at >= until);
begin
  return query
    with queued as materialized (
      select distinct on (q.user_id) q.user_id, q.ledger_id, q.balance_after_credit_micros as balance,
        max(q.created_at) filter (where q.reason in ('usage', 'space_usage')) over (partition by q.user_id) as debited_at
      from ledger_queue q where q.created_at < until order by q.user_id, q.ledger_id desc
    ), active as materialized (
      select a.user_id, min(a.age) as age from (
        select u.user_id, p_day - (u.debited_at at time zone 'UTC')::date as age from ledger_users u
          where is_newest and u.debited_at >= (p_day - p_most + 1)::timestamp at time zone 'UTC'
        union all select u.user_id, p_day - u.day from ledger_user_days u
          where not is_newest and u.day > p_day - p_most and u.day <= p_day and u.debits > 0
        union all select q.user_id, p_day - (q.debited_at at time zone 'UTC')::date from queued q
          where q.debited_at >= (p_day - p_most + 1)::timestamp at time zone 'UTC'
      ) a group by a.user_id
    ), held as materialized (
      select a.age, case when coalesce(q.ledger_id, 0) > coalesce(l.ledger_id, 0) then q.balance
          else l.balance_after_credit_micros end as balance
      from active a left join queued q on q.user_id = a.user_id
        left join lateral (
          select u.ledger_id, u.balance_after_credit_micros from ledger_users u where is_newest and u.user_id = a.user_id
          union all
          (select d.ledger_id, d.balance_after_credit_micros from ledger_user_days d
            where not is_newest and d.user_id = a.user_id and d.day <= p_day order by d.ledger_id desc limit 1)
        ) l on true
    )
    select w.days, count(h.age), coalesce(sum(h.balance), 0)::bigint,
      coalesce(2 * percentile_cont(0.5) within group (order by h.balance::double precision), 0)::bigint
    from generate_series(p_least, p_most) w(days) left join held h on h.age < w.days group by w.days;
end $$;

-- Keeps the balances of the latest day that is over, is not kept and has nothing queued, for windows up to p_most days. False
-- when there is none, or another run rolls.
create function turnpike.close_balances(p_moment timestamptz, p_most integer) returns boolean language plpgsql as $$
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
    where not exists (select from balance_days b where b.day = g.day::date and b.window_days = p_most) limit 1;
  if closed is not null then
    insert into balance_days (day, window_days, accounts, balance_credit_micros, median_twice)
      select closed, b.window_days, b.accounts, b.balance_credit_micros, b.median_twice from turnpike.balances_at(closed, 1, p_most) b
      on conflict do nothing;
  end if;
  return closed is not null;
end $$;
