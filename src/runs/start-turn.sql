-- A turn that is run by the request that sends it (docs/decisions/0036-run-in-place.md).

-- What a turn needs to start at once.
create type turnpike.start_terms as (
  -- How many turns of an account can run at once, live and test, and how many of one end user.
  live_slots integer,
  test_slots integer,
  end_user_slots integer,
  -- The place in its conversation that the caller expects.
  position integer, -- null: any
  event_id text,
  -- Until when the request reads the events of the turn.
  reader_until timestamptz, -- null: it waits for the end
  -- The accounts that the worker has drawn itself.
  drawn jsonb, -- null: none
  -- The number from 0 to below 1 with which the database draws.
  random double precision,
  -- Turns of the account that were accepted before then and are still ready wait for a runner.
  queued_before timestamptz
);

-- Accepts a turn, as accept_turn does, and claims it if it can start now.
-- claim: null if the turn is queued, or is another worker's. Then needs_runner says whether the caller must call one.
-- starts_soon: the turn may start after others of its account, so the caller asks again (start_accepted).
-- A repeat with a higher p_terms.try, after an answer was lost, takes over the turn that the first call has claimed.
create function turnpike.start_turn(p_request turnpike.request, p_asked turnpike.asked_turn, p_new turnpike.new_turn,
  p_shards integer, p_runners integer, p_start turnpike.start_terms, p_terms turnpike.claim_terms,
  out actor turnpike.caller, out outcome text, out turn turns, out slug text, out in_scope boolean,
  out hold turnpike.hold_state, out too_many turnpike.test_turn_count, out has_subscriber boolean,
  out needs_runner boolean, out waits_behind text, out waits_behind_until timestamptz, out most_output integer,
  out open_calls turnpike.open_calls, out also_refused turnpike.also_refused, out rated turnpike.rates_state,
  out claim turnpike.claimed_turn, out starts_soon boolean) language plpgsql
set plan_cache_mode = force_generic_plan as $$
declare
  answer record;
  locked turns;
begin
  answer := turnpike.accept_turn(p_request, p_asked, p_new, p_shards, null);
  actor := answer.actor;
  outcome := answer.outcome;
  turn := answer.turn;
  slug := answer.slug;
  in_scope := answer.in_scope;
  hold := answer.hold;
  too_many := answer.too_many;
  has_subscriber := answer.has_subscriber;
  needs_runner := false;
  waits_behind := answer.waits_behind;
  waits_behind_until := answer.waits_behind_until;
  most_output := answer.most_output;
  open_calls := answer.open_calls;
  also_refused := answer.also_refused;
  rated := answer.rated;
  starts_soon := false;
  if outcome = 'replayed' and turn.turn_id = p_new.turn_id then
    select t.* into locked from turns t where t.turn_id = turn.turn_id for no key update;
    if turnpike.is_own_start(locked, p_terms) then
      claim := turnpike.claim_turn(locked, p_terms, p_start.event_id, p_start.drawn, p_start.random);
    end if;
    starts_soon := turnpike.is_ready(locked);
  elsif outcome = 'accepted' then
    case turnpike.may_start(turn, p_start)
      when 'now' then claim := turnpike.start_now(turn, p_start, p_terms);
      when 'soon' then starts_soon := true;
      else null;
    end case;
  end if;
  if (claim.turn).turn_id is not null then
    turn := claim.turn;
    has_subscriber := has_subscriber or claim.has_subscriber;
  elsif outcome = 'accepted' and not starts_soon and turnpike.is_ready(turn) then
    needs_runner := turnpike.needs_runner(p_runners, p_request.moment);
  end if;
end $$;

-- A turn that was accepted and has not started. A repeat, after an answer was lost, has a higher try.
create type turnpike.asked_start as (
  turn_id text,
  try integer,
  start turnpike.start_terms
);

-- outcome: 'started' (with its claim), 'soon' (the caller asks again), 'later' (a runner must take it), or 'gone' (it
-- is another worker's, or has ended).
create type turnpike.start_answer as (
  turn_id text,
  outcome text,
  claim turnpike.claimed_turn -- null: not started
);

-- Claims turns of one account for the requests that have sent them, in the order of p_asked. answers: one for each.
-- needs_runner: the caller must call a runner for those that start later. It waits for no lock of a turn or of slots.
-- p_bytes: it claims no more turns once the claims have this size as JSON.
create function turnpike.start_accepted(p_asked jsonb, p_terms turnpike.claim_terms, p_runners integer, p_bytes integer,
  out answers turnpike.start_answer[], out needs_runner boolean)
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  one turnpike.asked_start;
  terms turnpike.claim_terms := p_terms;
  locked turns;
  claim turnpike.claimed_turn;
  outcome text;
  bytes bigint := 0;
begin
  answers := '{}';
  needs_runner := false;
  for one in select a.* from jsonb_populate_recordset(null::turnpike.asked_start, p_asked) a loop
    claim := null;
    terms.runner_id := one.turn_id;
    terms.try := one.try;
    select t.* into locked from turns t where t.turn_id = one.turn_id for no key update skip locked;
    if locked.turn_id is null or bytes > p_bytes then
      outcome := 'soon';
    elsif turnpike.is_own_start(locked, terms) then
      claim := turnpike.claim_turn(locked, terms, (one.start).event_id, (one.start).drawn, (one.start).random);
      outcome := 'started';
    elsif not turnpike.is_ready(locked) then
      outcome := 'gone';
    else
      outcome := turnpike.may_start(locked, one.start);
      case outcome
        when 'now' then
          claim := turnpike.start_now(locked, one.start, terms);
          outcome := case when (claim.turn).turn_id is null then 'later' else 'started' end;
        else null;
      end case;
    end if;
    if outcome = 'started' then
      bytes := bytes + turnpike.claim_bytes(claim);
    end if;
    needs_runner := needs_runner or outcome = 'later';
    answers := answers || row(one.turn_id, outcome, claim)::turnpike.start_answer;
  end loop;
  if needs_runner then
    needs_runner := turnpike.needs_runner(p_runners, p_terms.moment);
  end if;
end $$;

-- Settles a turn that ran in place. needs_runner: other turns of its account can start now, and the caller must call a
-- runner for them. A runner looks itself after it has settled a turn.
create function turnpike.settle_in_place(p_ends jsonb, p_runners integer, p_moment timestamptz,
  out settled turnpike.settled_turn[], out needs_runner boolean)
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  one turnpike.settled_turn;
begin
  settled := turnpike.settle_turns(p_ends, p_moment);
  one := settled[1];
  needs_runner := false;
  if one.outcome = 'settled' and exists (select from open_turns o where o.user_id = one.user_id and o.test = one.test
    and o.state = 'queued' and o.wake_at < 'infinity')
  then
    needs_runner := turnpike.needs_runner(p_runners, p_moment);
  end if;
end $$;

-- Returns true if a turn waits for nothing but a runner.
create function turnpike.is_ready(p_turn turns) returns boolean language plpgsql stable as $$
begin
  return exists (select from open_turns o where o.user_id = p_turn.user_id and o.test = p_turn.test
    and o.turn_id collate "C" = p_turn.turn_id and o.state = 'queued' and o.wake_at < 'infinity');
end $$;

-- True if an earlier try has claimed the turn for this request, and its answer was lost.
create function turnpike.is_own_start(p_turn turns, p_terms turnpike.claim_terms) returns boolean
language sql immutable as $$
  select coalesce(p_turn.state = 'running' and p_turn.claim_message = p_terms.runner_id
    and p_turn.claim_try < p_terms.try and p_turn.lease_until is not null, false)
$$;

-- Claims a turn that may start now. Null: it cannot be claimed, and a runner tells why (claim_found).
create function turnpike.start_now(p_turn turns, p_start turnpike.start_terms, p_terms turnpike.claim_terms)
returns turnpike.claimed_turn language plpgsql as $$
begin
  if p_start.reader_until is not null then
    update turns t set stream_until = p_start.reader_until where t.turn_id = p_turn.turn_id;
  end if;
  return turnpike.claim_turn(p_turn, p_terms, p_start.event_id, p_start.drawn, p_start.random);
exception when others then
  return null;
end $$;

-- Returns whether a new turn may take a slot of its account, by the rules of claim_ready.
-- 'now': the lock of slots is held then. 'later': a runner must take it.
-- 'soon': another transaction has the lock, or older turns of the account are ready, perhaps to start in the same way.
create function turnpike.may_start(p_turn turns, p_start turnpike.start_terms) returns text language plpgsql as $$
declare
  slots integer := case when p_turn.test then p_start.test_slots else p_start.live_slots end;
  running integer;
  most integer := p_start.end_user_slots;
  of_end_user integer;
begin
  if coalesce(p_turn.position <> p_start.position, false) or not turnpike.is_ready(p_turn)
    or exists (select from open_turns o where o.test = p_turn.test and o.user_id = p_turn.user_id and o.state = 'queued'
      and o.wake_at < 'infinity' and o.created_at < p_start.queued_before)
  then
    return 'later';
  end if;
  -- Only tried: a settlement holds this lock while it waits for a wallet, which an acceptance has locked.
  if not pg_try_advisory_xact_lock(hashtext('slots'), hashtext(p_turn.user_id || ' ' || p_turn.test)) then
    return 'soon';
  end if;
  running := (select count(*) from open_turns o where o.test = p_turn.test and o.user_id = p_turn.user_id
    and o.state = 'running');
  if coalesce(running >= slots, true) then
    return 'later';
  end if;
  -- The last slots of an account are for end users without a running turn.
  if slots >= 4 and running >= slots - greatest(1, slots / 20) then
    most := 1;
  end if;
  if most < slots then
    of_end_user := (select count(*) from open_turns o where o.test = p_turn.test and o.user_id = p_turn.user_id
      and o.lane = hashtext(p_turn.end_user_ref) and o.state = 'running');
    if coalesce(of_end_user >= most, true) then
      return 'later';
    end if;
  end if;
  if exists (select from open_turns o where o.test = p_turn.test and o.user_id = p_turn.user_id and o.state = 'queued'
    and o.wake_at < 'infinity' and (o.created_at, o.turn_id) < (p_turn.created_at, p_turn.turn_id))
  then
    return 'soon';
  end if;
  return 'now';
end $$;
