-- A runner: an invocation that runs many turns side by side. It looks for turns that are ready, as long as it finds any. Who accepts a turn
-- relies on a runner that is about to look (runners.looks_until), and calls another one only where there is none.

-- What a runner asks for.
create type turnpike.look as (
  -- How many turns it can take. Where it could take no more after these (is_last), the last of them is for an account of which none is
  -- running, and the one before for such an end user.
  places integer,
  is_last boolean,
  -- From which size on of what it has found, as JSON, it takes no more.
  bytes integer,
  -- Turns that it has. A try that follows one whose end is unknown takes over all others of its message.
  held jsonb,
  takes_over boolean,
  -- Whether an earlier delivery of its message may have died: what that had is ready at once.
  releases boolean,
  -- Whether it looks again soon, also when this look finds nothing, or only when it has passed over something.
  stays boolean,
  waits boolean,
  -- Whether it takes no turns any more.
  retires boolean,
  -- Whether a turn that cannot be claimed is passed over, instead of failing the whole look.
  careful boolean,
  -- How many runners there may be.
  runners integer,
  -- How many turns of an account run at once, live and test ones, and how many of one end user.
  live_slots integer,
  test_slots integer,
  end_user_slots integer,
  -- The live and the test account behind which it begins, and the end user's lane within each.
  after_live bigint, -- null: any
  after_test bigint, -- null: any
  after_lane integer,
  alive_until timestamptz,
  looks_until timestamptz,
  -- As many as places.
  event_ids jsonb,
  -- As many as places: the accounts that the worker has drawn itself for a turn.
  drawn jsonb,
  -- As many as places: the numbers with which the database draws.
  random jsonb
);

-- What a look has found. status: 'looking' (others rely on the runner to look again), 'waiting' (they do not), 'over' (it was struck off),
-- 'full' (there are enough runners: it was not taken on).
create type turnpike.found_turns as (
  status text,
  claims turnpike.claimed_turn[],
  -- Whether turns are ready that it could not take for want of places.
  more boolean,
  runners integer, -- null: it was not counted
  -- The accounts behind which the next look begins.
  after_live bigint, -- null: it has looked at none
  after_test bigint, -- null: it has looked at none
  -- Turns that could not be claimed, with the reasons: an object by turn_id.
  broken jsonb,
  -- Whether the claim is of a turn that was lost with its worker.
  alone boolean,
  -- How large the claims are as JSON, about: a look takes no more once they are large, since an answer of the database is bounded.
  bytes bigint,
  -- Whether something ready was passed over, since another transaction had it.
  skipped boolean
);

-- Takes a runner on, claims turns for it, and says what others may expect of it. In this order: turns that were lost with their worker, one
-- and nothing else, for a runner that has none; turns that have begun; then in turn a turn of each account that has one and may have
-- more at once, live before test; of an account the end users in turn; of an end user the oldest. Nobody is waited for: what another
-- transaction has locked is passed over.
create function turnpike.claim_turns(p_look turnpike.look, p_terms turnpike.claim_terms, out answer turnpike.found_turns)
language plpgsql as $$
begin
  answer := turnpike.take_on_runner(p_look, p_terms);
  if answer.status <> 'full' then
    answer := turnpike.claim_ready(answer, p_look, p_terms);
    answer := turnpike.end_look(answer, p_look, p_terms);
  end if;
end $$;

-- Settles turns of a runner and looks for others, in one statement. Wallets are locked after the look, so that nobody waits for them longer
-- than they must, and before the lock of runners, as who accepts a turn does.
create function turnpike.settle_turns_and_look(p_ends jsonb, p_look turnpike.look, p_terms turnpike.claim_terms,
  out settled turnpike.settled_turn[], out looked turnpike.found_turns) language plpgsql as $$
declare
  ends record;
begin
  select e.* into ends from turnpike.end_runs(p_ends, p_terms.moment) e;
  looked := turnpike.take_on_runner(p_look, p_terms);
  if looked.status <> 'full' then
    looked := turnpike.claim_ready(looked, p_look, p_terms);
  end if;
  settled := ends.settled || turnpike.close_ended(ends.ended, p_terms.moment);
  if looked.status <> 'full' then
    looked := turnpike.end_look(looked, p_look, p_terms);
  end if;
end $$;

-- Whether a runner may look: it is known or taken on ('looking'), or there are enough ('full'). Its row is written once, at the end of the
-- look. A repeat of a look whose answer was lost waits here for that one's end.
create function turnpike.take_on_runner(p_look turnpike.look, p_terms turnpike.claim_terms) returns turnpike.found_turns language plpgsql as $$
declare
  runners integer;
begin
  perform pg_advisory_xact_lock(hashtext('runner'), hashtext(p_terms.runner_id));
  if not exists (select from runners r where r.runner_id = p_terms.runner_id) then
    delete from runners r where r.runner_id in (select d.runner_id from runners d where d.alive_until <= p_terms.moment
      for update skip locked);
    runners := (select count(*) from runners r where r.alive_until > p_terms.moment);
    if coalesce(runners >= p_look.runners, true) then
      return row('full', '{}', false, runners, p_look.after_live, p_look.after_test, '{}', false, 0, false)::turnpike.found_turns;
    end if;
  end if;
  if p_look.releases then
    perform turnpike.release_runner(p_terms);
  end if;
  return row('looking', '{}', false, null, p_look.after_live, p_look.after_test, '{}', false, 0, false)::turnpike.found_turns;
end $$;

-- Says what others may expect of a runner after a look: unless it stays, it looks a last time and gives its promise up.
create function turnpike.end_look(p_found turnpike.found_turns, p_look turnpike.look, p_terms turnpike.claim_terms)
returns turnpike.found_turns language plpgsql as $$
declare
  answer turnpike.found_turns := p_found;
  goes_on boolean := coalesce(p_look.stays or (p_look.waits and answer.skipped) or answer.bytes > p_look.bytes
    or (cardinality(answer.claims) >= p_look.places and p_look.places > 0), false);
begin
  -- Who relies on it at this moment holds this lock, and its turn is seen once it has committed.
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
    perform turnpike.note_runner(p_terms.runner_id, p_look.alive_until, case when answer.status = 'looking' then p_look.looks_until end,
      p_terms.moment);
  end if;
  return answer;
end $$;

-- Claims what is ready, as claim_turns says.
create function turnpike.claim_ready(p_found turnpike.found_turns, p_look turnpike.look, p_terms turnpike.claim_terms)
returns turnpike.found_turns language plpgsql as $$
declare
  answer turnpike.found_turns := p_found;
  id text;
  kind boolean;
  accounts turnpike.ready_account[];
  last_account bigint;
  one turnpike.ready_account;
  head open_turns;
  passed text[] := '{}';
  went_on boolean;
  slots integer;
  left_over integer;
  is_short boolean;
begin
  if p_look.takes_over then
    foreach id in array array(select t.turn_id from open_turns o join turns t on t.turn_id = o.turn_id
      where o.state = 'running' and t.claim_message = p_terms.runner_id and t.claim_try < p_terms.try and not p_look.held ? o.turn_id
        -- One that was given back waits for its time.
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
    return turnpike.count_left(answer, p_look, p_terms);
  end if;
  foreach id in array array(select o.turn_id from open_turns o
    where o.state = 'running' and o.wake_at <= p_terms.moment and not p_look.held ? o.turn_id
      and (select t.attempts = 0 from turns t where t.turn_id = o.turn_id)
    order by o.wake_at limit greatest(0, p_look.places - cardinality(answer.claims)))
  loop
    exit when answer.bytes > p_look.bytes;
    answer := turnpike.claim_found(answer, id, p_look, p_terms);
  end loop;

  foreach kind in array array[false, true] loop
    exit when cardinality(answer.claims) >= p_look.places or answer.bytes > p_look.bytes;
    slots := case when kind then p_look.test_slots else p_look.live_slots end;
    select r.accounts, r.last into accounts, last_account from turnpike.ready_accounts(kind,
      case when kind then p_look.after_test else p_look.after_live end, slots, 2 * (p_look.places - cardinality(answer.claims))) r;
    if kind then
      answer.after_test := last_account;
    else
      answer.after_live := last_account;
    end if;
    loop
      went_on := false;
      for nth in 1 .. cardinality(accounts) loop
        one := accounts[nth];
        exit when cardinality(answer.claims) >= p_look.places or answer.bytes > p_look.bytes;
        if one.lane is null then
          -- Two runners that count at the same moment would both take its last slot.
          if pg_try_advisory_xact_lock(hashtext('slots'), hashtext(one.user_id || ' ' || kind)) then
            one.running := (select count(*) from open_turns o where o.test = kind and o.user_id = one.user_id and o.state = 'running');
          else
            one.running := slots;
            answer.skipped := true;
          end if;
          accounts[nth] := one;
        end if;
        left_over := case when p_look.is_last then p_look.places - cardinality(answer.claims) end;
        continue when coalesce(one.running >= slots or (one.running > 0 and left_over = 1), false);
        -- The last slots of an account are for end users of whom none is running, too.
        is_short := coalesce(left_over = 2, false) or (slots >= 4 and one.running >= slots - greatest(1, slots / 20));
        head := turnpike.next_head(kind, one.user_id, coalesce(one.lane, p_look.after_lane), passed,
          case when is_short then 1 else p_look.end_user_slots end, slots);
        if head.turn_id is null then
          one.running := slots;
        else
          went_on := true;
          one.lane := head.lane;
          passed := passed || head.turn_id;
          answer := turnpike.claim_found(answer, head.turn_id, p_look, p_terms);
          one.running := one.running + 1;
          if kind then
            answer.after_test := one.user_id;
          else
            answer.after_live := one.user_id;
          end if;
        end if;
        accounts[nth] := one;
      end loop;
      exit when not went_on or cardinality(answer.claims) >= p_look.places or answer.bytes > p_look.bytes;
    end loop;
  end loop;
  if cardinality(answer.claims) >= p_look.places then
    return turnpike.count_left(answer, p_look, p_terms);
  end if;
  return answer;
end $$;

-- Adds what is ready beyond what a look may take, and how many runners there are.
create function turnpike.count_left(answer turnpike.found_turns, p_look turnpike.look, p_terms turnpike.claim_terms)
returns turnpike.found_turns language plpgsql as $$
begin
  answer.more := turnpike.is_any_ready(p_look.live_slots, p_look.test_slots);
  -- Its own row may not be written yet.
  answer.runners := 1 + (select count(*) from runners r where r.alive_until > p_terms.moment and r.runner_id <> p_terms.runner_id);
  return answer;
end $$;

-- Adds a turn to what a look has found, unless another transaction has it.
create function turnpike.claim_found(answer turnpike.found_turns, p_turn_id text, p_look turnpike.look, p_terms turnpike.claim_terms)
returns turnpike.found_turns language plpgsql as $$
declare
  locked turns;
  nth integer := cardinality(answer.claims);
  numbers double precision[];
  claim turnpike.claimed_turn;
begin
  select t.* into locked from turns t where t.turn_id = p_turn_id for no key update skip locked;
  if locked.turn_id is null then
    answer.skipped := true;
  end if;
  if locked.state in ('queued', 'running') and (locked.state = 'queued' or locked.claim_message = p_terms.runner_id and p_look.takes_over
    or (locked.lease_until > p_terms.moment) is not true)
  then
    numbers := array(select jsonb_array_elements_text(p_look.random -> nth)::double precision);
    if p_look.careful then
      begin
        claim := turnpike.claim_turn(locked, p_terms, p_look.event_ids ->> nth, p_look.drawn -> nth, numbers);
      exception when others then
        answer.broken := answer.broken || jsonb_build_object(p_turn_id, sqlerrm);
        return answer;
      end;
    else
      claim := turnpike.claim_turn(locked, p_terms, p_look.event_ids ->> nth, p_look.drawn -> nth, numbers);
    end if;
    answer.claims := answer.claims || claim;
    answer.bytes := answer.bytes + turnpike.claim_bytes(claim);
  end if;
  return answer;
end $$;
