-- Caps (docs/architecture/quotas.md). A turn counts in the day, month and window in which it was accepted, whenever
-- it is billed. So each period of a cap begins with nothing reserved.

-- Returns the start of the window of a key's cap that is open at a moment, or null.
-- A window without spend does not count, whenever it started. Clocks differ, so a window can be opened after one that
-- starts later and has stayed empty.
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

-- Returns the caps that bind a turn of a key for an end user at a moment, with the amounts of their counters.
-- p_key_id or p_end_user may be null: then only the caps of the other apply. Without
-- both, as for the web chat, only caps of the account apply.
-- p_window: the start of the key's window. p_shared: the space of a member's turn.
-- The limit of an end user is `own`, else the key's default, else the account's default.
create function turnpike.cap_states_under(own end_users, p_user_id bigint, p_key_id text, p_end_user text, p_moment timestamptz,
  p_window timestamptz, p_shared bigint)
returns setof turnpike.cap_state language sql stable rows 5 as $$
  select p.cap, p.source, p.kind, p.subject, p.period, p.amount, c.spent, c.reserved, p.starts_at, p.resets_at, c.is_counted, c.sharded
  from turnpike.cap_limits(own, p_user_id, p_key_id, p_end_user, p_moment, p_window, p_shared) p
    cross join lateral turnpike.counter_now(p_user_id, p.kind, p.subject, p.period, p.starts_at) c
  where p.amount is not null and p.subject is not null
$$;

-- cap_states_under, with the limits that the end user has.
create function turnpike.cap_states(p_user_id bigint, p_key_id text, p_end_user text, p_moment timestamptz, p_window timestamptz,
  p_shared bigint)
returns setof turnpike.cap_state language plpgsql stable rows 5 as $$
begin
  return query select s.* from (select p_end_user as ref) as asked
    left join end_users e on e.user_id = p_user_id and not e.test and e.end_user_ref = asked.ref,
    lateral turnpike.cap_states_under(e, p_user_id, p_key_id, p_end_user, p_moment, p_window, p_shared) s;
end $$;

-- The hold that a turn would get, or the limits that refuse it. Credit micros.
create type turnpike.hold_state as (
  amount bigint, -- null: refused
  -- The smallest hold that the turn needs.
  needed bigint,
  available bigint,
  held bigint,
  caps turnpike.cap_state[],
  -- The turn's own limit, if that does not pay for its first model call.
  max_cost bigint, -- null: it does
  -- The credit of the end user, with the charge for the smallest hold.
  credit turnpike.end_user_credit -- null: no wallet pays for the turn
);

-- Returns the hold that a turn would get now: up to p_wanted, as far as the balance and every cap allow. amount is
-- null if one of them has less left than p_needed.
-- Takes nothing and locks nothing. All amounts come from one snapshot.
-- p_is_new: the turn counts at p_moment in the open window of its key, or opens one. Otherwise it stays in p_window.
-- p_shared: the space of a member's turn.
-- p_sale: how the turn is charged to its end user. p_hold: the hold that the turn has, which bounds that charge too.
create function turnpike.headroom(p_user_id bigint, p_key_id text, p_end_user text, p_wanted bigint, p_needed bigint,
  p_moment timestamptz, p_is_new boolean, p_window timestamptz, p_shared bigint, p_sale turnpike.sale, p_hold bigint, out amount bigint,
  out window_started_at timestamptz, out available bigint, out held bigint, out caps turnpike.cap_state[],
  out credit turnpike.end_user_credit) language plpgsql stable as $$
declare
  room bigint;
  -- A web chat belongs to the owner, so limits of end users do not bind it.
  bound_user text := case when p_key_id is not null then p_end_user end;
begin
  select s.balance - s.held, s.held into available, held from turnpike.wallet_sums(p_user_id) s;
  room := available;
  caps := '{}';
  -- If its key has no cap of a window, a new turn is in no window.
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
  if p_sale.prepaid then
    select s.balance, s.held into credit.balance, credit.held from turnpike.end_user_sums(p_user_id, p_end_user) s;
    credit.needed := turnpike.sale_hold(p_sale.price, p_hold + p_needed) - coalesce(p_sale.held, 0);
    room := least(room, turnpike.end_user_room(p_sale, credit, p_hold));
  end if;
  if greatest(0, room) >= p_needed then
    amount := greatest(0, least(p_wanted, room));
  end if;
end $$;

-- Returns by how much a hold can grow that an end user's wallet pays for. p_hold: the hold so far; 0: a new turn.
create function turnpike.end_user_room(sale turnpike.sale, credit turnpike.end_user_credit, p_hold bigint) returns bigint
language plpgsql immutable as $$
begin
  return turnpike.sale_room(sale.price, credit.balance - credit.held + coalesce(sale.held, 0)) - p_hold;
end $$;

-- Returns true if one of these caps can be checked only under all locks of the account. A cap that is not counted yet
-- is one. In an account with shards, a cap of a key or account whose
-- counter must move into shards or out of them is another.
-- p_margin: the credit that must be left besides the turn's own hold; 0: the account has no shards.
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

-- Takes credit for the hold of a running turn: up to p_wanted, and at least p_needed. All amounts are read after the
-- locks were acquired, so no two turns get the same credit.
-- p_locked: locks the whole account. Without it, locks_needed can be true:
-- only these locks can decide, and nothing was taken.
-- shard: the shard that was changed.
create function turnpike.take_hold(turn turns, p_wanted bigint, p_needed bigint, p_locked boolean, out amount bigint, out shard integer,
  out available bigint, out held bigint, out caps turnpike.cap_state[], out locks_needed boolean, out end_user_room bigint)
language plpgsql as $$
declare
  sums record;
  all_locked boolean;
  sale turnpike.sale;
  room record;
begin
  locks_needed := false;
  if turn.end_user_hold_credit_micros is not null then
    sale := turnpike.sale_of_turn(turn);
    perform turnpike.lock_end_user(turn.user_id, turn.end_user_ref);
  end if;
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
  room := turnpike.headroom(turn.user_id, turn.key_id, turn.end_user_ref, p_wanted, p_needed, turn.created_at,
    false, turn.window_started_at, turnpike.shared_space(turn), sale, turn.hold_credit_micros);
  amount := room.amount;
  available := room.available;
  held := room.held;
  caps := room.caps;
  if sale.prepaid then
    end_user_room := greatest(0, turnpike.end_user_room(sale, room.credit, turn.hold_credit_micros));
  end if;
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
    raise exception 'the credit of account % is gone', turn.user_id;
  end if;
  if sale.prepaid and amount > 0 then
    perform turnpike.grow_end_user_hold(turn, sale, amount);
  end if;
end $$;

-- Grows the hold in the end user's wallet with the hold of a turn, by p_amount. The caller has locked that wallet.
create function turnpike.grow_end_user_hold(turn turns, p_sale turnpike.sale, p_amount bigint) returns void language plpgsql as $$
declare
  grown bigint := turnpike.sale_hold(p_sale.price, turn.hold_credit_micros + p_amount);
begin
  if not turnpike.change_end_user_held(turn.user_id, turn.end_user_ref, grown - turn.end_user_hold_credit_micros) then
    raise exception 'the credit of an end user of account % is gone', turn.user_id;
  end if;
  update turns t set end_user_hold_credit_micros = grown where t.turn_id = turn.turn_id;
end $$;

-- Returns true if the window of a turn that is not counted yet is still the open one. The caller has locked the
-- wallet or one of its shards, so no other turn opens a window in the meantime.
create function turnpike.is_in_open_window(turn turns) returns boolean language plpgsql as $$
begin
  return turn.window_started_at is not distinct from (
    select coalesce(turnpike.open_window(k.key_id, turn.created_at), turn.created_at)
      from api_keys k where k.key_id = turn.key_id and k.window_seconds is not null);
end $$;

-- Returns true if a turn that was just counted exceeds one of its caps. A
-- cap with a counter in shards must have p_margin left.
create function turnpike.overshoots(turn turns, p_margin bigint) returns boolean language plpgsql as $$
begin
  return exists (select from turnpike.cap_states(turn.user_id, turn.key_id,
        case when turn.key_id is not null then turn.end_user_ref end, turn.created_at, turn.window_started_at, turnpike.shared_space(turn)) s
      where s.starts_at is not null and s.limit_credit_micros - s.spent_credit_micros - s.reserved_credit_micros
        < case when s.sharded then p_margin else 0 end);
end $$;
