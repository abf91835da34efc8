create type turnpike.settled_turn as (
  turn_id text,
  -- 'settled', 'stale' (it belongs to another worker, or was not lost often
  -- enough) or 'busy' (another transaction has locked it).
  outcome text,
  user_id bigint, -- null: not settled, as for all fields below
  test boolean, -- null
  state text, -- null
  -- True if another turn of its conversation can start.
  next boolean, -- null
  -- True if a webhook receives an event.
  has_subscriber boolean, -- null
  -- True if post_charges has work.
  posts boolean, -- null
  -- The input tokens that rates have counted, and `input`: the tokens that it had (src/turns/rated-turn.sql).
  rated jsonb -- null: no rate counts tokens
);

-- Ends running turns. Writes for each turn: last step, state, events, files, charge, ledger row and bills of its
-- model calls. Also releases its hold, and writes the record of a web-chat turn in api_turns.
-- An earlier cancel wins over every outcome. A repeat with the same event_id, after
-- the first answer was lost, has no effect and returns the same.
-- Locks turns, conversations, then wallets. In a group, a turn that
-- another transaction has locked is skipped ('busy').
--
-- Billing: every committed model call is billed, however the turn ends, because its output can be read. If we have
-- lost the result, nothing is billed and the cost is our loss, unless the
-- turn was cancelled before. Images are always outputs.
create function turnpike.settle_turns(p_ends jsonb, p_moment timestamptz) returns turnpike.settled_turn[]
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  ends record;
begin
  ends := turnpike.end_runs(p_ends, p_moment);
  return ends.settled || turnpike.close_ended(ends.ended, p_moment);
end $$;

-- The first part of settle_turns: everything but the holds. settled: turns that were not ended now.
create function turnpike.end_runs(p_ends jsonb, p_moment timestamptz, out settled turnpike.settled_turn[],
  out ended turnpike.ended_turn[])
language plpgsql as $$
declare
  asked turnpike.turn_end[] := array(select e from jsonb_populate_recordset(null::turnpike.turn_end, p_ends) e
    order by e.turn_id collate "C");
  one turnpike.turn_end;
  mine turns;
  owned turns[];
  found_as text[];
  mines turns[] := '{}';
  ends turnpike.turn_end[] := '{}';
begin
  settled := '{}';
  select o.mines, o.found_as into owned, found_as
    from turnpike.own_turns(array(select e.turn_id from unnest(asked) e), array(select e.epoch from unnest(asked) e),
      null, cardinality(asked) > 1) o;
  for nth in 1 .. cardinality(asked) loop
    one := asked[nth];
    mine := owned[nth];
    if found_as[nth] = 'busy' then
      settled := settled || turnpike.unsettled_turn(one.turn_id, 'busy');
    elsif found_as[nth] = 'stale' then
      settled := settled || turnpike.settled_before(one, p_moment);
    elsif one.lost_after is not null
      and (mine.attempts < one.lost_after or coalesce(mine.lease_until > p_moment, false)) then
      settled := settled || turnpike.unsettled_turn(one.turn_id, 'stale');
    else
      mines := mines || mine;
      ends := ends || one;
    end if;
  end loop;
  ended := case when cardinality(mines) > 0 then turnpike.finish_turns(mines, ends, p_moment) else '{}' end;
end $$;

-- The second part of settle_turns: charges the turns and releases their holds.
create function turnpike.close_ended(p_ended turnpike.ended_turn[], p_moment timestamptz)
returns turnpike.settled_turn[] language plpgsql as $$
declare
  account record;
  of_account turnpike.ended_turn[];
  last turnpike.ended_turn;
  paid record;
  settled turnpike.settled_turn[] := '{}';
begin
  -- All wallets of end users before the first wallet of an account, so that no account waits for another's end user.
  if cardinality(p_ended) > 1 then
    foreach last in array p_ended loop
      if (last.turn).end_user_hold_credit_micros is not null then
        perform turnpike.lock_end_users(array(select (e.turn).turn_id from unnest(p_ended) e));
        exit;
      end if;
    end loop;
  end if;
  for account in select distinct (e.turn).user_id as user_id, (e.turn).test from unnest(p_ended) e order by 1, 2 loop
    of_account := case when cardinality(p_ended) = 1 then p_ended else array(
      select e
      from unnest(p_ended) e
      where (e.turn).user_id = account.user_id and (e.turn).test = account.test
      order by (e.turn).turn_id collate "C") end;
    paid := turnpike.close_holds(of_account, p_moment);
    foreach last in array of_account loop
      settled := settled
        || row((last.turn).turn_id, 'settled', account.user_id, account.test, (last.turn).state, last.next,
        last.has_subscriber or paid.has_subscriber, paid.posts,
        (last.turn).rated || jsonb_build_object('input', (last.turn).tokens_input))::turnpike.settled_turn;
    end loop;
  end loop;
  return settled;
end $$;

create function turnpike.unsettled_turn(p_turn_id text, p_outcome text) returns turnpike.settled_turn
language sql immutable as $$
  select row(p_turn_id, p_outcome, null, null, null, null, null, null, null)::turnpike.settled_turn
$$;

-- Returns the end that this worker has already committed, if its answer was lost; 'stale' if there is no such end.
create function turnpike.settled_before(p_end turnpike.turn_end, p_moment timestamptz) returns turnpike.settled_turn
language plpgsql as $$
declare
  ended turns;
begin
  select t.* into ended
    from turns t
    where t.turn_id = p_end.turn_id and t.epoch = p_end.epoch and t.finished_at is not null;
  if exists (select from events e where e.turn_id = ended.turn_id and e.event_id = p_end.event_id) then
    -- It is not known any more if a webhook or a posting waits. A needless wake costs only a look.
    return row(ended.turn_id, 'settled', ended.user_id, ended.test, ended.state,
      turnpike.next_turn(ended.conversation_id, p_moment), true, not ended.test, null)::turnpike.settled_turn;
  end if;
  return turnpike.unsettled_turn(p_end.turn_id, 'stale');
end $$;
