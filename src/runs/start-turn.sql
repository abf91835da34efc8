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
  random double precision
);

-- Accepts a turn, as accept_turn does, and claims it if it can start now.
-- claim: null if the turn is queued, or is another worker's. Then needs_runner says whether the caller must call one.
-- A repeat with a higher p_terms.try, after an answer was lost, takes over the turn that the first call has claimed.
create function turnpike.start_turn(p_request turnpike.request, p_asked turnpike.asked_turn, p_new turnpike.new_turn,
  p_shards integer, p_runners integer, p_start turnpike.start_terms, p_terms turnpike.claim_terms,
  out actor turnpike.caller, out outcome text, out turn turns, out slug text, out in_scope boolean,
  out hold turnpike.hold_state, out too_many turnpike.test_turn_count, out has_subscriber boolean,
  out needs_runner boolean, out waits_behind text, out waits_behind_until timestamptz, out most_output integer,
  out claim turnpike.claimed_turn) language plpgsql
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
  if outcome = 'replayed' and turn.turn_id = p_new.turn_id then
    select t.* into locked from turns t where t.turn_id = turn.turn_id for no key update;
    if locked.state = 'running' and locked.claim_message = p_terms.runner_id and locked.claim_try < p_terms.try then
      claim := turnpike.claim_turn(locked, p_terms, p_start.event_id, p_start.drawn, p_start.random);
    end if;
  elsif outcome = 'accepted' and turnpike.can_start(turn, p_start) then
    begin
      if p_start.reader_until is not null then
        update turns t set stream_until = p_start.reader_until where t.turn_id = turn.turn_id;
      end if;
      claim := turnpike.claim_turn(turn, p_terms, p_start.event_id, p_start.drawn, p_start.random);
    exception when others then
      -- A runner tells why the turn cannot be claimed (claim_found).
      claim := null;
    end;
  end if;
  if (claim.turn).turn_id is not null then
    turn := claim.turn;
    has_subscriber := has_subscriber or claim.has_subscriber;
  elsif (outcome = 'accepted' or turn.turn_id = p_new.turn_id) and turnpike.is_ready(turn) then
    needs_runner := turnpike.needs_runner(p_runners, p_request.moment);
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

-- Returns true if a new turn may take a slot of its account now, by the rules of claim_ready. The lock of slots is then
-- held. No other turn of the account is ready: it would be older.
create function turnpike.can_start(p_turn turns, p_start turnpike.start_terms) returns boolean language plpgsql as $$
declare
  slots integer := case when p_turn.test then p_start.test_slots else p_start.live_slots end;
  running integer;
  most integer := p_start.end_user_slots;
  of_end_user integer;
begin
  if coalesce(p_turn.position <> p_start.position, false) or not turnpike.is_ready(p_turn)
    -- Only tried: a settlement holds this lock while it waits for a wallet, which this transaction has locked.
    or not pg_try_advisory_xact_lock(hashtext('slots'), hashtext(p_turn.user_id || ' ' || p_turn.test))
    or exists (select from open_turns o where o.test = p_turn.test and o.user_id = p_turn.user_id and o.state = 'queued'
      and o.wake_at < 'infinity' and o.turn_id <> p_turn.turn_id)
  then
    return false;
  end if;
  running := (select count(*) from open_turns o where o.test = p_turn.test and o.user_id = p_turn.user_id
    and o.state = 'running');
  if coalesce(running >= slots, true) then
    return false;
  end if;
  -- The last slots of an account are for end users without a running turn.
  if slots >= 4 and running >= slots - greatest(1, slots / 20) then
    most := 1;
  end if;
  if most < slots then
    of_end_user := (select count(*) from open_turns o where o.test = p_turn.test and o.user_id = p_turn.user_id
      and o.lane = hashtext(p_turn.end_user_ref) and o.state = 'running');
    return coalesce(of_end_user < most, false);
  end if;
  return true;
end $$;
