-- A runner is an invocation that runs many turns in parallel, and looks for ready turns as long as it finds any. The
-- acceptance of a turn relies on a runner that is about to look (runners.looks_until), and otherwise calls one.

-- The arguments of a look.
create type turnpike.look as (
  -- How many turns the runner can take. If it can take no more after these (is_last), the last place is for an
  -- account without a running turn, and the one before for such an end user.
  places integer,
  is_last boolean,
  -- The look takes no more turns once they have this size as JSON.
  bytes integer,
  -- Turns that the runner has. After a look whose answer was lost, it takes over all other turns of its message.
  held jsonb,
  takes_over boolean,
  -- True if an earlier delivery of its message may have died. The turns of that delivery are ready at once.
  releases boolean,
  -- True if it looks again soon: even if this look finds nothing (stays), or only if it skips locked turns (waits).
  stays boolean,
  waits boolean,
  -- True if it takes no more turns.
  retires boolean,
  -- True if a turn that cannot be claimed is skipped. Otherwise it fails the whole look.
  careful boolean,
  -- The most runners of the service.
  runners integer,
  -- How many turns of an account can run at once, live and test, and how many of one end user.
  live_slots integer,
  test_slots integer,
  end_user_slots integer,
  -- The live and the test account after which the look begins, and the lane of the end user within each.
  after_live bigint, -- null: any
  after_test bigint, -- null: any
  after_lane integer,
  alive_until timestamptz,
  looks_until timestamptz,
  -- One for each place.
  event_ids jsonb,
  -- One for each place: the accounts that the worker has drawn itself for a turn.
  drawn jsonb,
  -- One for each place: the number from 0 to below 1 with which the database draws.
  random jsonb
);

-- The result of a look.
-- status: 'looking' (others rely on the runner to look again), 'waiting' (they do not), 'over' (the runner was
-- removed) or 'full' (there are enough runners, so it was not added).
create type turnpike.found_turns as (
  status text,
  claims turnpike.claimed_turn[],
  -- True if turns are ready for which the runner has no place.
  more boolean,
  runners integer, -- null: not counted
  -- The accounts after which the next look begins.
  after_live bigint, -- null: it looked at no account
  after_test bigint, -- null: it looked at no account
  -- Turns that could not be claimed: an object of reasons by turn_id.
  broken jsonb,
  -- True if the claim is a turn that was lost with its worker.
  alone boolean,
  -- The approximate size of the claims as JSON. An answer of the database
  -- is bounded, so a look stops when they are large.
  bytes bigint,
  -- True if a ready turn was skipped because another transaction had locked it.
  skipped boolean
);

-- Adds a runner, claims turns for it, and decides what others can expect of it (status).
-- A runner without turns takes one turn that was lost with its worker, and nothing else. Otherwise, turns that have
-- begun come first, then new ones, live before test.
-- New turns are taken in rounds: one turn of each account that may run more,
-- its end users in rotation, the oldest turn of each.
-- It never waits for a turn: turns that another transaction has locked are skipped.
create function turnpike.claim_turns(p_look turnpike.look, p_terms turnpike.claim_terms,
  out answer turnpike.found_turns)
language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  answer := turnpike.take_on_runner(p_look, p_terms);
  if answer.status <> 'full' then
    answer := turnpike.claim_ready(answer, p_look, p_terms);
    answer := turnpike.end_look(answer, p_look, p_terms);
  end if;
end $$;

-- Settles turns of a runner and looks for others, in one statement.
-- It locks wallets after the look, to keep these locks short, and before the lock of runners, as accept_turn does.
create function turnpike.settle_turns_and_look(p_ends jsonb, p_look turnpike.look, p_terms turnpike.claim_terms,
  out settled turnpike.settled_turn[], out looked turnpike.found_turns)
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  ends record;
begin
  ends := turnpike.end_runs(p_ends, p_terms.moment);
  looked := turnpike.take_on_runner(p_look, p_terms);
  if looked.status <> 'full' then
    looked := turnpike.claim_ready(looked, p_look, p_terms);
  end if;
  settled := ends.settled || turnpike.close_ended(ends.ended, p_terms.moment);
  if looked.status <> 'full' then
    looked := turnpike.end_look(looked, p_look, p_terms);
  end if;
end $$;

-- Returns 'looking' if the runner is known or may be added, or 'full' if there are enough runners.
-- The runner's row is written once, at the end of the look. If the answer of a look was lost, its repeat waits here
-- for the end of the first one.
create function turnpike.take_on_runner(p_look turnpike.look, p_terms turnpike.claim_terms) returns turnpike.found_turns
language plpgsql as $$
declare
  runners integer;
begin
  perform pg_advisory_xact_lock(hashtext('runner'), hashtext(p_terms.runner_id));
  if not exists (select from runners r where r.runner_id = p_terms.runner_id) then
    delete from runners r
      where r.runner_id in (select d.runner_id from runners d where d.alive_until <= p_terms.moment
      for update skip locked);
    runners := (select count(*) from runners r where r.alive_until > p_terms.moment);
    if coalesce(runners >= p_look.runners, true) then
      return row('full', '{}', false, runners, p_look.after_live, p_look.after_test, '{}', false, 0,
        false)::turnpike.found_turns;
    end if;
  end if;
  if p_look.releases then
    perform turnpike.release_runner(p_terms);
  end if;
  return row('looking', '{}', false, null, p_look.after_live, p_look.after_test, '{}', false, 0,
    false)::turnpike.found_turns;
end $$;

-- Decides what others can expect of a runner after a look, and writes its row. Unless the runner stays, it looks a
-- last time and gives up its promise.
create function turnpike.end_look(p_found turnpike.found_turns, p_look turnpike.look, p_terms turnpike.claim_terms)
returns turnpike.found_turns language plpgsql as $$
declare
  answer turnpike.found_turns := p_found;
  goes_on boolean := coalesce(p_look.stays or (p_look.waits and answer.skipped) or answer.bytes > p_look.bytes
    or (cardinality(answer.claims) >= p_look.places and p_look.places > 0), false);
begin
  -- A transaction that relies on the runner holds this lock until it commits. The
  -- promise is then kept, so that the next look sees its turn.
  if not goes_on and pg_try_advisory_xact_lock(hashtext('runners'), 0) then
    answer := turnpike.claim_ready(answer, p_look, p_terms);
    if p_look.retires or (cardinality(answer.claims) = 0 and p_look.held = '[]') then
      answer.status := 'over';
    elsif cardinality(answer.claims) < p_look.places or p_look.places = 0 then
      answer.status := 'waiting';
    end if;
  end if;
  if answer.status = 'over' then
    delete from runners r where r.runner_id = p_terms.runner_id;
  else
    perform turnpike.note_runner(p_terms.runner_id, p_look.alive_until,
      case when answer.status = 'looking' then p_look.looks_until end, p_terms.moment);
  end if;
  return answer;
end $$;

-- Claims ready turns in the order of claim_turns.
create function turnpike.claim_ready(p_found turnpike.found_turns, p_look turnpike.look, p_terms turnpike.claim_terms)
returns turnpike.found_turns language plpgsql as $$
declare
  answer turnpike.found_turns := turnpike.claim_begun(p_found, p_look, p_terms);
  kind boolean;
begin
  if answer.alone then
    return turnpike.count_left(answer, p_look, p_terms);
  end if;
  foreach kind in array array[false, true] loop
    exit when cardinality(answer.claims) >= p_look.places or answer.bytes > p_look.bytes;
    answer := turnpike.claim_new(answer, kind, p_look, p_terms);
  end loop;
  if cardinality(answer.claims) >= p_look.places then
    return turnpike.count_left(answer, p_look, p_terms);
  end if;
  return answer;
end $$;

-- Claims turns that have begun, and whose time to continue has come. It takes over those of a look whose answer was
-- lost. If it has no other turn, it takes one that was lost with its worker (alone).
create function turnpike.claim_begun(p_found turnpike.found_turns, p_look turnpike.look, p_terms turnpike.claim_terms)
returns turnpike.found_turns language plpgsql as $$
declare
  answer turnpike.found_turns := p_found;
  id text;
begin
  if p_look.takes_over then
    foreach id in array array(select t.turn_id from open_turns o join turns t on t.turn_id = o.turn_id
      where o.state = 'running' and t.claim_message = p_terms.runner_id and t.claim_try < p_terms.try
        and not p_look.held ? o.turn_id
        -- A released turn waits for its time.
        and t.lease_until is not null and t.attempts < p_terms.max_attempts
      order by t.turn_id limit p_look.places)
    loop
      exit when answer.bytes > p_look.bytes;
      answer := turnpike.claim_found(answer, id, p_look, p_terms);
    end loop;
  end if;
  if p_look.held = '[]' and p_look.places > 0 and cardinality(answer.claims) = 0 then
    foreach id in array array(select o.turn_id from open_turns o join turns t on t.turn_id = o.turn_id
      where o.state = 'running' and o.wake_at <= p_terms.moment and t.attempts between 1 and p_terms.max_attempts - 1
      order by o.wake_at limit p_look.places)
    loop
      answer := turnpike.claim_found(answer, id, p_look, p_terms);
      exit when cardinality(answer.claims) > 0;
    end loop;
    answer.alone := cardinality(answer.claims) > 0;
  end if;
  if answer.alone then
    return answer;
  end if;
  foreach id in array array(select o.turn_id from open_turns o
    where o.state = 'running' and o.wake_at <= p_terms.moment and not p_look.held ? o.turn_id
      and (select t.attempts = 0 from turns t where t.turn_id = o.turn_id)
    order by o.wake_at limit greatest(0, p_look.places - cardinality(answer.claims)))
  loop
    exit when answer.bytes > p_look.bytes;
    answer := turnpike.claim_found(answer, id, p_look, p_terms);
  end loop;
  return answer;
end $$;

-- Claims new turns of live or of test keys, in rounds: one of each account with a free slot, while there are any.
create function turnpike.claim_new(p_found turnpike.found_turns, p_test boolean, p_look turnpike.look,
  p_terms turnpike.claim_terms)
returns turnpike.found_turns language plpgsql as $$
declare
  answer turnpike.found_turns := p_found;
  slots integer := case when p_test then p_look.test_slots else p_look.live_slots end;
  accounts turnpike.ready_account[];
  last_account bigint;
  one turnpike.ready_account;
  head open_turns;
  passed text[] := '{}';
  went_on boolean;
begin
  select r.accounts, r.last into accounts, last_account
    from turnpike.ready_accounts(p_test,
    case when p_test then p_look.after_test else p_look.after_live end, slots,
    2 * (p_look.places - cardinality(answer.claims))) r;
  loop
    went_on := false;
    for nth in 1 .. cardinality(accounts) loop
      one := accounts[nth];
      exit when cardinality(answer.claims) >= p_look.places or answer.bytes > p_look.bytes;
      if one.lane is null then
        one.running := turnpike.count_running(one.user_id, p_test);
        -- Another runner counts the account at this moment.
        if one.running is null then
          one.running := slots;
          answer.skipped := true;
        end if;
      end if;
      head := turnpike.next_of_account(one, p_test, passed, slots, p_look.places - cardinality(answer.claims), p_look);
      if head.turn_id is null then
        one.running := slots;
      else
        went_on := true;
        one.lane := head.lane;
        passed := passed || head.turn_id;
        answer := turnpike.claim_found(answer, head.turn_id, p_look, p_terms);
        one.running := one.running + 1;
        last_account := one.user_id;
      end if;
      accounts[nth] := one;
    end loop;
    exit when not went_on or cardinality(answer.claims) >= p_look.places or answer.bytes > p_look.bytes;
  end loop;
  if p_test then
    answer.after_test := last_account;
  else
    answer.after_live := last_account;
  end if;
  return answer;
end $$;
-- Returns how many turns of an account run, or null if another runner counts them at this moment. Without the lock, two
-- runners that count at the same moment would both take the last slot.
create function turnpike.count_running(p_user_id bigint, p_test boolean) returns integer language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(hashtext('slots'), hashtext(p_user_id || ' ' || p_test)) then
    return null;
  end if;
  return (select count(*) from open_turns o where o.test = p_test and o.user_id = p_user_id and o.state = 'running');
end $$;

-- Returns the turn that an account may start next; null if it has no such turn, or no slot for one.
-- p_places: how many places the runner has left.
create function turnpike.next_of_account(p_account turnpike.ready_account, p_test boolean, p_passed text[],
  p_slots integer, p_places integer, p_look turnpike.look)
returns open_turns language plpgsql as $$
declare
  left_over integer := case when p_look.is_last then p_places end;
  is_short boolean;
begin
  if coalesce(p_account.running >= p_slots or (p_account.running > 0 and left_over = 1), false) then
    return null;
  end if;
  -- The last slots of an account, too, are for end users without a running turn.
  is_short := coalesce(left_over = 2, false)
    or (p_slots >= 4 and p_account.running >= p_slots - greatest(1, p_slots / 20));
  return turnpike.next_head(p_test, p_account.user_id, coalesce(p_account.lane, p_look.after_lane), p_passed,
    case when is_short then 1 else p_look.end_user_slots end, p_slots);
end $$;

-- Adds whether turns are ready that the look cannot take, and the number of runners.
create function turnpike.count_left(answer turnpike.found_turns, p_look turnpike.look, p_terms turnpike.claim_terms)
returns turnpike.found_turns language plpgsql as $$
begin
  answer.more := turnpike.is_any_ready(p_look.live_slots, p_look.test_slots);
  -- Its own row may not be written yet.
  answer.runners := 1
    + (select count(*) from runners r where r.alive_until > p_terms.moment and r.runner_id <> p_terms.runner_id);
  return answer;
end $$;

-- Claims a turn and adds it to the result of a look. Skips it if another transaction has locked it.
create function turnpike.claim_found(answer turnpike.found_turns, p_turn_id text, p_look turnpike.look,
  p_terms turnpike.claim_terms)
returns turnpike.found_turns language plpgsql as $$
declare
  locked turns;
  nth integer := cardinality(answer.claims);
  claim turnpike.claimed_turn;
begin
  select t.* into locked from turns t where t.turn_id = p_turn_id for no key update skip locked;
  if locked.turn_id is null then
    answer.skipped := true;
  end if;
  -- A worker may have let the turn wait after this look has read it.
  if locked.state in ('queued', 'running') and locked.waiting is null
    and (locked.state = 'queued' or locked.claim_message = p_terms.runner_id and p_look.takes_over
    or (locked.lease_until > p_terms.moment) is not true)
  then
    if p_look.careful then
      begin
        claim := turnpike.claim_turn(locked, p_terms, p_look.event_ids ->> nth, p_look.drawn -> nth,
          (p_look.random ->> nth)::double precision);
      exception when others then
        answer.broken := answer.broken || jsonb_build_object(p_turn_id, sqlerrm);
        return answer;
      end;
    else
      claim := turnpike.claim_turn(locked, p_terms, p_look.event_ids ->> nth, p_look.drawn -> nth,
        (p_look.random ->> nth)::double precision);
    end if;
    answer.claims := answer.claims || claim;
    answer.bytes := answer.bytes + turnpike.claim_bytes(claim);
  end if;
  return answer;
end $$;
