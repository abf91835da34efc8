-- Events of an account. Each is written once: in the transaction of the change that it reports, under the lock of the
-- wallet. Each function returns true if an endpoint receives an event that it wrote.

-- Writes `cap.reached` for each of these percents that was not told yet in this period, with the amounts of p_state.
-- The notes in `told` contain the limit: a changed limit is told again, and keys may give an end user different limits.
create function turnpike.tell_cap(p_user_id bigint, p_key_id text, p_state turnpike.cap_state, p_percents integer[],
  p_moment timestamptz)
returns boolean language plpgsql as $$
declare
  told text[];
  of_limit text := '/' || p_state.limit_credit_micros;
  news integer[];
  has_subscriber boolean := false;
begin
  select c.told into told
    from spend_counters c
    where c.user_id = p_user_id and c.kind = p_state.kind
    and c.subject = p_state.subject and c.period = p_state.period and c.starts_at = p_state.starts_at;
  news := array(select p from unnest(p_percents) p where p || of_limit <> all (coalesce(told, '{}')) order by p);
  if cardinality(news) = 0 then
    return false;
  end if;
  -- A cap that is too small for any turn has no counter yet.
  insert into spend_counters as c (
      user_id, kind, subject, period, starts_at, spent_credit_micros, reserved_credit_micros,
      told)
  values (
      p_user_id, p_state.kind, p_state.subject, p_state.period, p_state.starts_at, 0, 0,
      array(select p || of_limit from unnest(news) p))
  on conflict (user_id, kind, subject, period, starts_at) do update set told = c.told || excluded.told;
  for step in 1 .. cardinality(news) loop
    if turnpike.add_event(turnpike.event_id_at(p_moment, step), p_user_id, p_state.kind = 'test_end_user',
      'cap.reached', null, null, null, null,
      jsonb_build_object('cap', p_state.cap, 'source', p_state.source, 'percent', news[step],
        'limit_credit_micros', p_state.limit_credit_micros, 'spent_credit_micros', p_state.spent_credit_micros,
        'reserved_credit_micros', p_state.reserved_credit_micros, 'resets_at', p_state.resets_at,
        'key_id', case when p_state.kind = 'key' or p_state.source = 'key' then p_key_id end,
        'end_user_ref', case when p_state.kind in ('end_user', 'test_end_user') then p_state.subject end,
        'space', case
          when p_state.kind = 'members' then (select s.slug from spaces s
            where s.space_id = p_state.subject::bigint) end), p_moment) then
      has_subscriber := true;
    end if;
  end loop;
  return has_subscriber;
end $$;

-- Returns those percents of a cap that events report and that p_spent has reached.
create function turnpike.reached_percents(p_spent bigint, p_limit bigint) returns integer[] language sql immutable as $$
  select array(select p from unnest('{50, 80, 100}'::integer[]) p where p_spent * 100 >= p_limit * p)
$$;

-- Writes `cap.reached` for the caps of a turn that was charged. Runs after count_spend has counted the charge.
create function turnpike.tell_spend(turn turns, p_moment timestamptz) returns boolean language plpgsql as $$
declare
  state turnpike.cap_state;
  has_subscriber boolean := false;
  bound_user text := case when turn.key_id is not null then turn.end_user_ref end;
begin
  -- This account counts nothing. A cap that was just set starts to count with the next turn.
  if not turn.test and not exists (select from spend_counted c where c.user_id = turn.user_id) then
    return false;
  end if;
  for state in select s.*
    from (
      select b.*
      from turnpike.test_cap_states(turn.user_id, turn.key_id, bound_user, turn.created_at) b
      where turn.test
      union all select b.*
      from turnpike.cap_states(turn.user_id, turn.key_id, bound_user, turn.created_at, turn.window_started_at,
        turnpike.shared_space(turn)) b
      where not turn.test) s
    where s.starts_at is not null and s.spent_credit_micros * 2 >= s.limit_credit_micros
  loop
    if turnpike.tell_cap(turn.user_id, turn.key_id, state,
      turnpike.reached_percents(state.spent_credit_micros, state.limit_credit_micros), p_moment) then
      has_subscriber := true;
    end if;
  end loop;
  return has_subscriber;
end $$;

-- Reports why a turn got no hold, but only if no turn can get one from now on. That is so if no hold is left that could
-- be released, and even a turn with a short text is refused (it needs p_short_needed).
-- The amounts are the results of headroom under the wallet's lock.
create function turnpike.tell_refusal(p_user_id bigint, p_key_id text, p_needed bigint, p_short_needed bigint,
  p_available bigint, p_held bigint, p_caps turnpike.cap_state[], p_moment timestamptz) returns boolean
language plpgsql as $$
declare
  state turnpike.cap_state;
  has_subscriber boolean := false;
begin
  if p_available < p_needed then
    if p_held > 0 or p_available >= p_short_needed then
      return false;
    end if;
    return turnpike.tell_depleted(p_user_id, p_available + p_held, p_moment);
  end if;
  for state in select s.*
    from unnest(p_caps) s
    where s.reserved_credit_micros = 0 and s.limit_credit_micros - s.spent_credit_micros < p_short_needed
      -- A window without spend has not begun.
      and (s.cap <> 'key_window' or s.spent_credit_micros > 0)
  loop
    if turnpike.tell_cap(p_user_id, p_key_id, state, '{100}', p_moment) then
      has_subscriber := true;
    end if;
  end loop;
  return has_subscriber;
end $$;
