-- One cap with its amounts in credit micros, and the key of its counter (kind, subject, period, starts_at).
create type turnpike.cap_state as (
  cap text,
  source text,
  kind text,
  subject text,
  period text,
  limit_credit_micros bigint,
  spent_credit_micros bigint,
  reserved_credit_micros bigint,
  starts_at timestamptz, -- null: a window that no turn has opened yet
  resets_at timestamptz, -- null: the same
  is_counted boolean,
  sharded boolean
);

-- Counters of spent and reserved credit (docs/architecture/quotas.md). Each transaction counts its own changes.
-- spend_counted has a row for each limited key and account, for all end users together, and for members of spaces.
-- Counters are locked last: end user, then key, account and members, each by period.

-- Returns true if every change of a period that starts at p_starts_at was counted, since counting began at p_since.
-- Clocks differ, and a transaction may commit up to an hour after its moment, so a period must start an hour later.
-- Earlier periods begin with the sums of their turns.
create function turnpike.is_counted_from(p_since timestamptz, p_starts_at timestamptz) returns boolean
language sql stable as $$
  select coalesce(p_starts_at >= p_since + interval '1 hour', false)
$$;

-- Returns what was spent and reserved in a period: from its counter if is_counted, else from its turns.
create function turnpike.counter_now(p_user_id bigint, p_kind text, p_subject text, p_period text,
  p_starts_at timestamptz, out spent bigint, out reserved bigint, out is_counted boolean, out sharded boolean)
language plpgsql stable as $$
declare
  counter spend_counters;
begin
  spent := 0;
  reserved := 0;
  is_counted := true;
  sharded := false;
  -- No turn has opened this window.
  if p_starts_at is null then
    return;
  end if;
  -- The limit keeps this a lookup of one row, even in a plan that was made while the table was empty.
  select n.* into counter
    from spend_counters n
    where n.user_id = p_user_id and n.kind = p_kind and n.subject = p_subject
    and n.period = p_period and n.starts_at = p_starts_at limit 1;
  if counter.counted is not true then
    is_counted := coalesce((select turnpike.is_counted_from(s.since, p_starts_at) from spend_counted s
      where s.user_id = p_user_id
      and s.kind = p_kind and s.subject = case p_kind when 'key' then p_subject else '' end), false);
  end if;
  if not is_counted then
    select coalesce(sum(t.spent), 0), coalesce(sum(t.reserved), 0) into spent, reserved
      from turnpike.subject_spend(p_user_id, p_kind, p_subject, turnpike.first_counted_id(p_starts_at)) t
      where turnpike.counts_in(p_period, p_starts_at, t.day, t.window_started_at);
  elsif counter.user_id is not null then
    spent := counter.spent_credit_micros;
    reserved := counter.reserved_credit_micros;
    sharded := counter.sharded;
    if sharded then
      select spent + coalesce(sum(s.spent_credit_micros), 0),
        reserved + coalesce(sum(s.reserved_credit_micros), 0) into spent, reserved
        from spend_counter_shards s
        where s.user_id = p_user_id and s.kind = p_kind and s.subject = p_subject and s.period = p_period
          and s.starts_at = p_starts_at;
    end if;
  end if;
end $$;

-- Starts the counters of these caps. Moves the counter of a key or an account into shards while its cap is far away,
-- and out of them when the cap is near. The caller holds all locks of the account.
create function turnpike.begin_counting(p_user_id bigint, p_caps turnpike.cap_state[], p_wanted bigint,
  p_moment timestamptz) returns void language plpgsql as $$
declare
  account record;
  counter record;
  truth record;
  to_shards boolean;
begin
  select w.shards, w.shards * w.shard_hold_credit_micros as margin into account
    from wallets w
    where w.user_id = p_user_id;
  for counter in
    select c.kind, c.subject, c.period, coalesce(c.starts_at, p_moment) as starts_at, c.limit_credit_micros as most
    from unnest(p_caps) c
    order by c.kind, c.period
  loop
    if not exists (select from spend_counted s where s.user_id = p_user_id and s.kind = counter.kind
      and s.subject = case counter.kind when 'key' then counter.subject else '' end)
    then
      -- A turn that grows its hold is older than other turns, which were not counted.
      insert into spend_counted (
          user_id, kind, subject,
          since)
      values (
          p_user_id, counter.kind, case counter.kind when 'key' then counter.subject else '' end,
          greatest(p_moment,
            (select t.created_at from turns t where t.user_id = p_user_id and not t.test
              order by t.turn_id collate "C" desc limit 1),
                (select max(p.counted_at) from turn_parts p where p.user_id = p_user_id)))
      on conflict do nothing;
    end if;
    select n.* into truth
      from turnpike.counter_now(p_user_id, counter.kind, counter.subject, counter.period, counter.starts_at) n;
    to_shards := account.shards > 0 and counter.kind in ('key', 'account')
      and counter.most - truth.spent - truth.reserved
      >= case when truth.sharded then account.margin + p_wanted else 2 * account.margin end;
    continue when (truth.is_counted and truth.sharded = to_shards) is true;
    delete from spend_counter_shards s
      where s.user_id = p_user_id and s.kind = counter.kind and s.subject = counter.subject
      and s.period = counter.period and s.starts_at = counter.starts_at;
    insert into spend_counters (
        user_id, kind, subject, period, starts_at, spent_credit_micros, reserved_credit_micros, counted,
        sharded)
    values (
        p_user_id, counter.kind, counter.subject, counter.period, counter.starts_at, truth.spent, truth.reserved, true,
        to_shards)
    on conflict (user_id, kind, subject, period,
      starts_at) do update set spent_credit_micros = excluded.spent_credit_micros,
      reserved_credit_micros = excluded.reserved_credit_micros, counted = true, sharded = excluded.sharded;
  end loop;
end $$;

-- Returns the space of a turn that a member sent into another user's space; null for turns of its owner and of keys.
create function turnpike.shared_space(turn turns) returns bigint language sql immutable as $$
  select case when turn.member_id is not null then turn.space_id end
$$;

-- The amounts that a turn has newly spent and reserved.
create type turnpike.turn_spend as (
  turn turns,
  spent bigint,
  reserved bigint
);

-- Adds the new rehearsed spend and holds of test turns to the counters of their days and months, as count_spends does
-- for live turns.
create function turnpike.count_test_spends(p_user_id bigint, p_spends turnpike.turn_spend[]) returns void
language plpgsql as $$
declare
  counter record;
begin
  for counter in
    select s.end_user_ref as subject, p.period, p.starts_at, sum(s.spent)::bigint as spent,
      sum(s.reserved)::bigint as reserved
    from (select (u.turn).*, u.spent, u.reserved from unnest(p_spends) u) s
    cross join lateral (values ('day', date_trunc('day', s.created_at, 'UTC')),
      ('month', date_trunc('month', s.created_at, 'UTC')))
      as p(period, starts_at)
    where s.rehearsed_hold_credit_micros is not null
    group by s.end_user_ref, p.period, p.starts_at
    order by s.end_user_ref collate "C", p.period collate "C", p.starts_at
  loop
    insert into spend_counters as c (
        user_id, kind, subject, period, starts_at, spent_credit_micros,
        reserved_credit_micros, counted)
    values (
        p_user_id, 'test_end_user', counter.subject, counter.period, counter.starts_at, greatest(0, counter.spent),
        greatest(0, counter.reserved), true)
    on conflict (user_id, kind, subject, period, starts_at) do update set
      spent_credit_micros = greatest(0, c.spent_credit_micros + counter.spent),
      reserved_credit_micros = greatest(0, c.reserved_credit_micros + counter.reserved), counted = true;
  end loop;
end $$;

-- Adds the new spend and holds of an account's turns to the counters of their days, months and windows.
-- Periods that are not counted are skipped. Each counter is written once, in an order that all transactions keep.
-- p_shard: the shard of the wallet that this transaction has locked; null: the account has no shards.
-- A counter never falls below 0: a wrong counter must not keep a turn from ending. The reconciliation finds it.
-- The turns are all live or all test turns.
create function turnpike.count_spends(p_user_id bigint, p_spends turnpike.turn_spend[], p_shard integer) returns void
language plpgsql as $$
declare
  -- A turn of a web chat has no key. It counts for the account, but not for an end user.
  of_users timestamptz := (select s.since from spend_counted s where s.user_id = p_user_id and s.kind = 'end_user'
    and s.subject = '');
  of_account timestamptz := (select s.since from spend_counted s where s.user_id = p_user_id and s.kind = 'account'
    and s.subject = '');
  of_members timestamptz := (select s.since from spend_counted s where s.user_id = p_user_id and s.kind = 'members'
    and s.subject = '');
  has_keys boolean := exists (select from spend_counted s where s.user_id = p_user_id and s.kind = 'key');
  counter record;
begin
  if coalesce((p_spends[1]).turn.test, false) then
    perform turnpike.count_test_spends(p_user_id, p_spends);
    return;
  end if;
  if of_users is null and of_account is null and of_members is null and not has_keys then
    return;
  end if;
  for counter in
    select p.kind, p.subject, p.period, p.starts_at, sum(s.spent)::bigint as spent, sum(s.reserved)::bigint as reserved
    from unnest(p_spends) s
    cross join lateral (select (select k.since from spend_counted k where k.user_id = p_user_id and k.kind = 'key'
      and k.subject = (s.turn).key_id) as since) of_key
    cross join lateral (select o.*,
      case o.kind when 'end_user' then of_users when 'key' then of_key.since when 'account' then of_account
        when 'members' then of_members end as since
      from turnpike.counters_of((s.turn).key_id, (s.turn).end_user_ref, turnpike.shared_space(s.turn),
        (s.turn).created_at, (s.turn).window_started_at) o) p
    left join lateral (select n.counted, n.sharded from spend_counters n where n.user_id = p_user_id and n.kind = p.kind
      and n.subject = p.subject and n.period = p.period and n.starts_at = p.starts_at limit 1) known on true
    where p.since is not null and (known.counted or turnpike.is_counted_from(p.since, p.starts_at))
      and (p_shard is null or known.sharded is not true)
    group by p.rank, p.kind, p.subject, p.period, p.starts_at
    order by p.rank, p.subject collate "C", p.period collate "C", p.starts_at
  loop
    insert into spend_counters as c (
        user_id, kind, subject, period, starts_at, spent_credit_micros,
        reserved_credit_micros, counted)
    values (
        p_user_id, counter.kind, counter.subject, counter.period, counter.starts_at, greatest(0, counter.spent),
        greatest(0, counter.reserved), true)
    on conflict (user_id, kind, subject, period, starts_at) do update set
      spent_credit_micros = greatest(0, c.spent_credit_micros + counter.spent),
      reserved_credit_micros = greatest(0, c.reserved_credit_micros + counter.reserved), counted = true;
  end loop;
  if p_shard is not null and (has_keys or of_account is not null) then
    insert into spend_counter_shards as c (
        user_id, kind, subject, period, starts_at, shard, spent_credit_micros, reserved_credit_micros)
    select
        p_user_id, p.kind, p.subject, p.period, p.starts_at, p_shard, sum(s.spent), sum(s.reserved)
      from unnest(p_spends) s
      cross join lateral turnpike.counters_of((s.turn).key_id, (s.turn).end_user_ref, null, (s.turn).created_at,
        (s.turn).window_started_at) p
      cross join lateral (select from spend_counters n where n.user_id = p_user_id and n.kind = p.kind
        and n.subject = p.subject
        and n.period = p.period and n.starts_at = p.starts_at and n.sharded limit 1) sharded
      where p.kind in ('key', 'account')
      group by p.kind, p.subject, p.period, p.starts_at
    on conflict (user_id, kind, subject, period, starts_at, shard) do update set
      spent_credit_micros = c.spent_credit_micros + excluded.spent_credit_micros,
      reserved_credit_micros = c.reserved_credit_micros + excluded.reserved_credit_micros;
  end if;
end $$;

-- count_spends for one turn.
create function turnpike.count_spend(turn turns, p_spent bigint, p_reserved bigint, p_shard integer) returns void
language plpgsql as $$
begin
  if turn.test or exists (select from spend_counted c where c.user_id = turn.user_id) then
    perform turnpike.count_spends(turn.user_id, array[row(turn, p_spent, p_reserved)::turnpike.turn_spend], p_shard);
  end if;
end $$;
