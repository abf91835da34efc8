-- Counts whole tables for the overview in one snapshot. Does not overwrite counts of a later moment.
create function turnpike.count_overview(p_moment timestamptz) returns boolean language plpgsql as $$
begin
  insert into overview_counts as o (people, active_1_day, active_7_days, active_30_days, spaces, balance_credit_micros,
    held_credit_micros, counted_at)
  select (select count(*) from users), seen.days_1, seen.days_7, seen.days_30, (select count(*) from spaces),
    wallet.balance + shard.balance, wallet.held + shard.held, p_moment
  from (select count(*) filter (where a.last_seen_at > p_moment - interval '1 day') as days_1,
        count(*) filter (where a.last_seen_at > p_moment - interval '7 days') as days_7, count(*) as days_30
      from (select max(n.last_seen_at) as last_seen_at from sessions n
        where n.last_seen_at > p_moment - interval '30 days'
        group by n.user_id) a) seen,
    (select coalesce(sum(w.balance_credit_micros - w.folded_credit_micros), 0)::bigint as balance,
        coalesce(sum(w.held_credit_micros), 0)::bigint as held from wallets w) wallet,
    (select coalesce(sum(p.balance_credit_micros), 0)::bigint as balance,
      coalesce(sum(p.held_credit_micros), 0)::bigint as held
      from wallet_shards p) shard
  on conflict (one) do update set people = excluded.people, active_1_day = excluded.active_1_day,
    active_7_days = excluded.active_7_days, active_30_days = excluded.active_30_days, spaces = excluded.spaces,
    balance_credit_micros = excluded.balance_credit_micros, held_credit_micros = excluded.held_credit_micros,
    counted_at = excluded.counted_at
  where o.counted_at <= excluded.counted_at;
  return found;
end $$;
