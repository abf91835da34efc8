-- An account with turns that can start.
create type turnpike.ready_account as (
  user_id bigint,
  running integer,
  -- The lane of the end user whose turn was taken last.
  lane integer
);

-- Returns up to p_most accounts that have turns which can start, and fewer than p_slots running turns.
-- Goes around all accounts, from the one after p_after; null: from a random one.
-- last: the last account that was looked at. The next look continues after it.
create function turnpike.ready_accounts(p_test boolean, p_after bigint, p_slots integer, p_most integer,
  out accounts turnpike.ready_account[], out last bigint)
language plpgsql as $$
declare
  first bigint := p_after;
  next bigint;
  running integer;
  is_around boolean := false;
  visits integer := 0;
begin
  accounts := '{}';
  if first is null then
    select floor(random() * o.user_id) into first
      from open_turns o
      where o.test = p_test and o.state = 'queued' and o.wake_at < 'infinity'
      order by o.user_id desc limit 1;
  end if;
  last := first;
  while first is not null and cardinality(accounts) < p_most and visits < 200 loop
    visits := visits + 1;
    select o.user_id into next
      from open_turns o
      where o.test = p_test and o.state = 'queued' and o.wake_at < 'infinity' and o.user_id > last
      order by o.user_id limit 1;
    if next is null then
      exit when is_around;
      is_around := true;
      last := -1;
      continue;
    end if;
    exit when is_around and next > first;
    last := next;
    running := (select count(*) from open_turns o where o.test = p_test and o.user_id = next and o.state = 'running');
    if running < p_slots then
      accounts := accounts || row(next, running, null)::turnpike.ready_account;
    end if;
  end loop;
end $$;

-- Returns true if an account has turns that can start and a free slot, among the first accounts with such turns.
create function turnpike.is_any_ready(p_live_slots integer, p_test_slots integer) returns boolean language plpgsql as $$
begin
  return coalesce(cardinality((turnpike.ready_accounts(false, -1, p_live_slots, 1)).accounts) > 0
    or cardinality((turnpike.ready_accounts(true, -1, p_test_slots, 1)).accounts) > 0, false);
end $$;

-- Returns true if turns are ready, no runner is about to look, and fewer than p_runners are alive.
-- Turns that were lost p_max_attempts times do not count: the sweep ends them.
create function turnpike.lacks_runner(p_runners integer, p_live_slots integer, p_test_slots integer,
  p_max_attempts integer, p_moment timestamptz)
returns boolean language plpgsql as $$
begin
  return turnpike.needs_runner(p_runners, p_moment) and (turnpike.is_any_ready(p_live_slots, p_test_slots)
    or exists (select from open_turns o join turns t on t.turn_id = o.turn_id
      where o.state = 'running' and o.wake_at <= p_moment and t.attempts < p_max_attempts));
end $$;

-- Returns the oldest ready turn of an account's next end user after a lane, in rotation; null if none is found.
-- End users with p_most or more running turns are skipped.
-- The turn is not locked: other runners skip the account (claim_ready), and claim_found locks the turn.
create function turnpike.next_head(p_test boolean, p_user_id bigint, p_after integer, p_passed text[], p_most integer,
  p_slots integer)
returns open_turns language plpgsql as $$
declare
  head open_turns;
  last bigint := p_after;
  is_around boolean := false;
begin
  for tries in 1 .. 200 loop
    select o.* into head
      from open_turns o
      where o.test = p_test and o.user_id = p_user_id and o.state = 'queued' and o.wake_at < 'infinity'
        and o.lane > last
        and o.turn_id <> all (p_passed)
      order by o.lane, o.created_at limit 1;
    if head.turn_id is null then
      exit when is_around;
      is_around := true;
      last := -2147483649;
      continue;
    end if;
    exit when is_around and head.lane > p_after;
    if p_most >= p_slots or p_most > (
      select count(*)
        from open_turns o
        where o.test = p_test and o.user_id = p_user_id and o.lane = head.lane and o.state = 'running')
    then
      return head;
    end if;
    last := head.lane;
  end loop;
  return null;
end $$;
