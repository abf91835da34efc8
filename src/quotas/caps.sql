-- Caps (docs/architecture/quotas.md). A turn counts in the day, month and window in which it was accepted, whenever it is billed. So the
-- next period of a cap begins with nothing reserved in it.

-- When the window of a key's cap began that is open at a moment; null when none is. One in which nothing was spent is none, wherever
-- it stands: moments come from many clocks, so that a window may be opened behind one that began later and came to nothing.
create function turnpike.open_window(p_key_id text, p_moment timestamptz) returns timestamptz language plpgsql stable as $$
begin
  return (select c.starts_at from api_keys k, lateral (
      select n.starts_at from spend_counters n
      where n.user_id = k.user_id and n.kind = 'key' and n.subject = k.key_id and n.period = 'window'
        and n.starts_at > p_moment - make_interval(secs => k.window_seconds)
        and n.spent_credit_micros + n.reserved_credit_micros + case when n.sharded then (
          select coalesce(sum(s.spent_credit_micros + s.reserved_credit_micros), 0) from spend_counter_shards s
          where s.user_id = n.user_id and s.kind = n.kind and s.subject = n.subject and s.period = n.period and s.starts_at = n.starts_at)
          else 0 end > 0
      order by n.starts_at desc limit 1) c
    where k.key_id = p_key_id);
end $$;

-- What the account's plan lets it spend in a day at a moment; null: it has no plan, or one without a cap.
create function turnpike.plan_cap(p_user_id bigint, p_moment timestamptz) returns bigint language plpgsql stable as $$
declare
  active text;
begin
  select s.plan into active from turnpike.active_subscription(p_user_id, p_moment) s;
  if active is null then
    return null;
  end if;
  return round((turnpike.setting_value('plans') -> active ->> 'daily_cap_usd')::numeric * 10000000)::bigint;
end $$;

-- What the members of a shared space may spend of its owner's balance in a day: as the owner has said, else the setting.
create function turnpike.members_cap(p_space_id bigint) returns bigint language plpgsql stable as $$
begin
  return coalesce((select s.members_daily_credit_micros from spaces s where s.space_id = p_space_id),
    turnpike.setting_number('members_daily_credit_micros'));
end $$;

-- The space of a turn that a member has sent into somebody else's; null: its owner has, or a key.
create function turnpike.shared_space(turn turns) returns bigint language sql immutable as $$
  select case when turn.member_id is not null then turn.space_id end
$$;

-- The caps that bind turns of a key for an end user (either may be null: then those of the other) which count at a moment, and in
-- a window; without either, those of the account alone, as for its web chat. The limit of an end user is `own`, else the key's default,
-- else the account's. p_shared: the space of a member's turn.
create function turnpike.cap_states_under(own end_users, p_user_id bigint, p_key_id text, p_end_user text, p_moment timestamptz,
  p_window timestamptz, p_shared bigint)
returns setof turnpike.cap_state language sql stable rows 5 as $$
  select p.cap, p.source, p.kind, p.subject, p.period, p.amount, c.spent, c.reserved, p.starts_at, p.resets_at, c.is_counted, c.sharded
  from (select date_trunc('day', p_moment, 'UTC') as day, date_trunc('month', p_moment, 'UTC') as month) as begun
    left join api_keys k on k.key_id = p_key_id
    left join wallets w on w.user_id = p_user_id
    left join spaces h on h.space_id = p_shared,
  lateral (values
    ('key_daily', 'key', k.daily_credit_micros, 'key', p_key_id, 'day', begun.day, begun.day + interval '24 hours'),
    ('key_window', 'key', k.window_credit_micros, 'key', p_key_id, 'window', p_window,
      p_window + make_interval(secs => k.window_seconds)),
    ('end_user_daily', case when (own).daily_limit_credit_micros is not null then 'end_user'
        when k.end_user_daily_credit_micros is not null then 'key' else 'account' end,
      coalesce((own).daily_limit_credit_micros, k.end_user_daily_credit_micros, w.end_user_daily_credit_micros),
      'end_user', p_end_user, 'day', begun.day, begun.day + interval '24 hours'),
    ('end_user_monthly', case when (own).monthly_limit_credit_micros is not null then 'end_user'
        when k.end_user_monthly_credit_micros is not null then 'key' else 'account' end,
      coalesce((own).monthly_limit_credit_micros, k.end_user_monthly_credit_micros, w.end_user_monthly_credit_micros),
      'end_user', p_end_user, 'month', begun.month,
      (date_trunc('month', p_moment at time zone 'UTC') + interval '1 month') at time zone 'UTC'),
    ('account_daily', 'plan', turnpike.plan_cap(p_user_id, p_moment), 'account', '', 'day', begun.day, begun.day + interval '24 hours'),
    ('members_daily', case when h.members_daily_credit_micros is not null then 'space' else 'default' end,
      case when p_shared is not null then turnpike.members_cap(p_shared) end, 'members', p_shared::text, 'day', begun.day,
      begun.day + interval '24 hours')
  ) as p(cap, source, amount, kind, subject, period, starts_at, resets_at)
    cross join lateral turnpike.counter_now(p_user_id, p.kind, p.subject, p.period, p.starts_at) c
  where p.amount is not null and p.subject is not null
$$;

-- The same under the limits that the end user has.
create function turnpike.cap_states(p_user_id bigint, p_key_id text, p_end_user text, p_moment timestamptz, p_window timestamptz,
  p_shared bigint)
returns setof turnpike.cap_state language plpgsql stable rows 5 as $$
begin
  return query select s.* from (select p_end_user as ref) as asked
    left join end_users e on e.user_id = p_user_id and not e.test and e.end_user_ref = asked.ref,
    lateral turnpike.cap_states_under(e, p_user_id, p_key_id, p_end_user, p_moment, p_window, p_shared) s;
end $$;

-- Whether any cap can bind turns of a key for an end user at a moment. Most turns have none: cap_states would take five times as long to
-- say so.
create function turnpike.has_caps(p_user_id bigint, p_key_id text, p_end_user text, p_moment timestamptz, p_shared bigint) returns boolean
language plpgsql stable as $$
begin
  return p_shared is not null
    or exists (select from api_keys k where k.key_id = p_key_id and num_nonnulls(k.daily_credit_micros, k.window_credit_micros,
      k.end_user_daily_credit_micros, k.end_user_monthly_credit_micros) > 0)
    or exists (select from wallets w where w.user_id = p_user_id
      and num_nonnulls(w.end_user_daily_credit_micros, w.end_user_monthly_credit_micros) > 0)
    or exists (select from end_users e where e.user_id = p_user_id and not e.test and e.end_user_ref = p_end_user
      and num_nonnulls(e.daily_limit_credit_micros, e.monthly_limit_credit_micros) > 0)
    or turnpike.plan_cap(p_user_id, p_moment) is not null;
end $$;

-- What a turn would hold, or what keeps it from that. Credit micros.
create type turnpike.hold_state as (
  amount bigint, -- null: it is refused
  -- The least that the turn must be able to hold.
  needed bigint,
  available bigint,
  held bigint,
  caps turnpike.cap_state[],
  -- The turn's own limit, where that does not pay for its first model call.
  max_cost bigint -- null: it does
);

-- The hold of up to p_wanted that a turn would get: as much as the balance and every cap have left, in all of them; or nothing
-- (amount is null) when one has less than p_needed. It takes nothing and locks nothing, and all its numbers are of one moment.
-- A new turn counts at p_moment in its key's window, which it opens when none is; a turn that has a window already stays in it. p_shared:
-- the space of a member's turn.
create function turnpike.headroom(p_user_id bigint, p_key_id text, p_end_user text, p_wanted bigint, p_needed bigint,
  p_moment timestamptz, p_is_new boolean, p_window timestamptz, p_shared bigint, out amount bigint, out window_started_at timestamptz,
  out available bigint, out held bigint, out caps turnpike.cap_state[]) language plpgsql stable as $$
declare
  room bigint;
  -- A web chat is the owner's own: limits of end users do not bind it.
  bound_user text := case when p_key_id is not null then p_end_user end;
begin
  select s.balance - s.held, s.held into available, held from turnpike.wallet_sums(p_user_id) s;
  room := available;
  caps := '{}';
  -- Without a cap of a window, a new turn of a key is in none.
  window_started_at := case when p_key_id is null or not p_is_new then p_window end;
  if turnpike.has_caps(p_user_id, p_key_id, bound_user, p_moment, p_shared) then
    if p_is_new and p_key_id is not null then
      select coalesce(turnpike.open_window(p_key_id, p_moment), p_moment) into window_started_at
        from api_keys k where k.key_id = p_key_id and k.window_seconds is not null;
    end if;
    select least(room, min(s.limit_credit_micros - s.spent_credit_micros - s.reserved_credit_micros)),
        coalesce(array_agg(s order by s.cap), '{}') into room, caps
      from turnpike.cap_states(p_user_id, p_key_id, bound_user, p_moment, window_started_at, p_shared) s where s.starts_at is not null;
  end if;
  if greatest(0, room) >= p_needed then
    amount := greatest(0, least(p_wanted, room));
  end if;
end $$;

-- Whether one of these caps can only be looked at under the locks of the whole account: it is not counted yet; or the
-- account has shards, and a cap of a key or of the account would gain or has too little left to be counted in them. p_margin: what has to
-- be left beside the turn's own hold; 0: the account has no shards.
create function turnpike.needs_all_locks(p_caps turnpike.cap_state[], p_window_opens boolean, p_wanted bigint, p_margin bigint) returns boolean
language plpgsql immutable as $$
begin
  return exists (
    select from unnest(p_caps) c,
      lateral (select c.limit_credit_micros - c.spent_credit_micros - c.reserved_credit_micros as remains) r
    where not c.is_counted or (p_margin > 0 and c.kind in ('key', 'account') and (
      (c.cap = 'key_window' and p_window_opens)
      or case when c.sharded then r.remains < p_margin + p_wanted else r.remains >= 2 * p_margin end)));
end $$;

-- Takes room for a turn that goes on, up to p_wanted and at least p_needed. Each query in here sees what was committed before its locks
-- were given: so no two turns get the same credit. With p_locked under the locks of the whole account; without, and where the account
-- has shards, only those may be able to tell: then locks_needed is true and nothing is taken. shard: the one that was changed.
create function turnpike.take_hold(turn turns, p_wanted bigint, p_needed bigint, p_locked boolean, out amount bigint, out shard integer,
  out available bigint, out held bigint, out caps turnpike.cap_state[], out locks_needed boolean) language plpgsql as $$
declare
  sums record;
  all_locked boolean;
begin
  locks_needed := false;
  if not p_locked and not turnpike.has_caps(turn.user_id, turn.key_id, case when turn.key_id is not null then turn.end_user_ref end,
    turn.created_at, turnpike.shared_space(turn))
  then
    shard := turnpike.take_shard(turn.user_id);
  end if;
  all_locked := shard is null;
  if all_locked then
    shard := turnpike.lock_account(turn.user_id);
  end if;
  select s.* into sums from turnpike.wallet_sums(turn.user_id) s;
  select r.amount, r.available, r.held, r.caps into amount, available, held, caps
    from turnpike.headroom(turn.user_id, turn.key_id, turn.end_user_ref, p_wanted, p_needed, turn.created_at,
      false, turn.window_started_at, turnpike.shared_space(turn)) r;
  if not all_locked
    and (p_wanted <= sums.shard_hold and available >= p_wanted + sums.shards * sums.shard_hold and cardinality(caps) = 0) is not true
  then
    amount := null;
    locks_needed := true;
    return;
  end if;
  if cardinality(caps) > 0 then
    perform turnpike.begin_counting(turn.user_id, caps, p_wanted, turn.created_at);
  end if;
  if coalesce(amount > 0, false) and not turnpike.change_held(turn.user_id, shard, amount) then
    raise exception 'the room of account % is gone', turn.user_id;
  end if;
end $$;

-- Whether the window of a turn that is not counted yet is still the one that is open. Behind the lock of the wallet or of one of its
-- shards: nobody opens one meanwhile.
create function turnpike.is_in_open_window(turn turns) returns boolean language plpgsql as $$
begin
  return turn.window_started_at is not distinct from (
    select coalesce(turnpike.open_window(k.key_id, turn.created_at), turn.created_at)
      from api_keys k where k.key_id = turn.key_id and k.window_seconds is not null);
end $$;

-- Whether a turn that has just been counted is more than its caps have left. Of those in shards p_margin has to be left beside it.
create function turnpike.overshoots(turn turns, p_margin bigint) returns boolean language plpgsql as $$
begin
  return exists (select from turnpike.cap_states(turn.user_id, turn.key_id,
        case when turn.key_id is not null then turn.end_user_ref end, turn.created_at, turn.window_started_at, turnpike.shared_space(turn)) s
      where s.starts_at is not null and s.limit_credit_micros - s.spent_credit_micros - s.reserved_credit_micros
        < case when s.sharded then p_margin else 0 end);
end $$;
