-- Caps (docs/architecture/quotas.md). A turn counts in the day, month and window in which it was accepted, whenever
-- it is billed. So each period of a cap begins with nothing reserved.

-- Returns the start of the window of a key's cap that is open at a moment, or null.
-- A window without spend does not count, whenever it started. Clocks differ, so a window can be opened after one that
-- starts later and has stayed empty.
create function turnpike.open_window(p_key_id text, p_moment timestamptz) returns timestamptz
language plpgsql stable as $$
begin
  return (select c.starts_at from api_keys k, lateral (
      select n.starts_at
      from spend_counters n
      where n.user_id = k.user_id and n.kind = 'key' and n.subject = k.key_id and n.period = 'window'
        and n.starts_at > p_moment - make_interval(secs => k.window_seconds)
        and n.spent_credit_micros + n.reserved_credit_micros + case when n.sharded then (
          select coalesce(sum(s.spent_credit_micros + s.reserved_credit_micros), 0)
          from spend_counter_shards s
          where s.user_id = n.user_id and s.kind = n.kind and s.subject = n.subject and s.period = n.period
            and s.starts_at = n.starts_at)
          else 0 end > 0
      order by n.starts_at desc limit 1) c
    where k.key_id = p_key_id);
end $$;

-- Returns the start of the window in which a new turn of a key counts: the open one, or its own. Null without a key, or
-- if the key has no cap of a window.
create function turnpike.window_of(p_key_id text, p_moment timestamptz) returns timestamptz
language plpgsql stable as $$
begin
  return (select coalesce(turnpike.open_window(k.key_id, p_moment), p_moment) from api_keys k
    where k.key_id = p_key_id and k.window_seconds is not null);
end $$;

-- Returns the caps that bind a turn of a key for an end user at a moment, with the amounts of their counters.
-- p_key_id or p_end_user may be null: then only the caps of the other apply. Without
-- both, as for the web chat, only caps of the account apply.
-- p_window: the start of the key's window. p_shared: the space of a member's turn.
-- The limit of an end user is `own`, else the key's default, else the account's default.
create function turnpike.cap_states_under(own end_users, p_user_id bigint, p_key_id text, p_end_user text,
  p_moment timestamptz, p_window timestamptz, p_shared bigint)
returns setof turnpike.cap_state language sql stable rows 5 as $$
  select p.cap, p.source, p.kind, p.subject, p.period, p.amount, c.spent, c.reserved, p.starts_at, p.resets_at,
    c.is_counted, c.sharded
  from turnpike.cap_limits(own, p_user_id, p_key_id, p_end_user, p_moment, p_window, p_shared) p
    cross join lateral turnpike.counter_now(p_user_id, p.kind, p.subject, p.period, p.starts_at) c
  where p.amount is not null and p.subject is not null
$$;

-- cap_states_under, with the limits that the end user has.
create function turnpike.cap_states(p_user_id bigint, p_key_id text, p_end_user text, p_moment timestamptz,
  p_window timestamptz, p_shared bigint)
returns setof turnpike.cap_state language plpgsql stable rows 5 as $$
begin
  return query select s.*
    from (select p_end_user as ref) as asked
    left join end_users e on e.user_id = p_user_id and not e.test and e.end_user_ref = asked.ref,
    lateral turnpike.cap_states_under(e, p_user_id, p_key_id, p_end_user, p_moment, p_window, p_shared) s;
end $$;

-- Returns true if one of these caps can be checked only under all locks of the account. A cap that is not counted yet
-- is one. In an account with shards, a cap of a key or account whose
-- counter must move into shards or out of them is another.
-- p_margin: the credit that must be left besides the turn's own hold; 0: the account has no shards.
create function turnpike.needs_all_locks(p_caps turnpike.cap_state[], p_window_opens boolean, p_wanted bigint,
  p_margin bigint) returns boolean
language plpgsql immutable as $$
begin
  return exists (
    select from unnest(p_caps) c,
      lateral (select c.limit_credit_micros - c.spent_credit_micros - c.reserved_credit_micros as remains) r
    where not c.is_counted or (p_margin > 0 and c.kind in ('key', 'account') and (
      (c.cap = 'key_window' and p_window_opens)
      or case when c.sharded then r.remains < p_margin + p_wanted else r.remains >= 2 * p_margin end)));
end $$;

-- Returns true if the window of a turn that is not counted yet is still the open one. The caller has locked the
-- wallet or one of its shards, so no other turn opens a window in the meantime.
create function turnpike.is_in_open_window(turn turns) returns boolean language plpgsql as $$
begin
  return turn.window_started_at is not distinct from turnpike.window_of(turn.key_id, turn.created_at);
end $$;

-- Returns true if a turn that was just counted exceeds one of its caps. A
-- cap with a counter in shards must have p_margin left.
create function turnpike.overshoots(turn turns, p_margin bigint) returns boolean language plpgsql as $$
begin
  return exists (select from turnpike.cap_states(turn.user_id, turn.key_id,
        case when turn.key_id is not null then turn.end_user_ref end, turn.created_at, turn.window_started_at,
        turnpike.shared_space(turn)) s
      where s.starts_at is not null and s.limit_credit_micros - s.spent_credit_micros - s.reserved_credit_micros
        < case when s.sharded then p_margin else 0 end);
end $$;
