-- What a model or tools have answered in a turn's step, as commit_answer and commit_results take it: the fields that the other has are null.
create type turnpike.step_commit as (
  place integer,
  turn_id text,
  epoch integer,
  step jsonb,
  calls_until timestamptz,
  number integer,
  results jsonb,
  count integer,
  files jsonb,
  containers jsonb,
  pictures jsonb,
  events jsonb,
  accounts jsonb
);

create type turnpike.committed_step as (
  place integer,
  -- 'committed', 'stale' (the turn is another worker's), 'busy' (another transaction had it: nothing was done).
  outcome text,
  cancel_requested_at timestamptz, -- null: nobody has asked for it
  model_failures integer, -- null: it was not committed, as for all that follow
  stream_until timestamptz, -- null: nobody reads
  tool_calls integer, -- null
  engine_keys text, -- null: the environment has none
  unusable text[] -- null: none
);

-- Commits what models have answered in turns of a worker.
create function turnpike.commit_answers(p_commits jsonb, p_lease timestamptz, p_moment timestamptz) returns turnpike.committed_step[]
language plpgsql as $$
begin
  return turnpike.commit_steps('answer', p_commits, p_lease, p_moment);
end $$;

-- Commits what tools have answered in turns of a worker.
create function turnpike.commit_tool_results(p_commits jsonb, p_lease timestamptz, p_moment timestamptz) returns turnpike.committed_step[]
language plpgsql as $$
begin
  return turnpike.commit_steps('results', p_commits, p_lease, p_moment);
end $$;

-- Commits steps, in the order of their places within each turn. One of several whose turn or conversation another transaction has is left
-- out, so that no turn waits for another's.
create function turnpike.commit_steps(p_kind text, p_commits jsonb, p_lease timestamptz, p_moment timestamptz) returns turnpike.committed_step[]
language plpgsql as $$
declare
  alone boolean := jsonb_array_length(p_commits) = 1;
  one turnpike.step_commit;
  accounts text[];
  made record;
  committed turnpike.committed_step[] := '{}';
begin
  for one in select c.* from jsonb_populate_recordset(null::turnpike.step_commit, p_commits) c order by c.turn_id collate "C", c.place loop
    if not alone
      and coalesce((turnpike.free_turn(one.turn_id, one.epoch, coalesce((one.step ->> 'bind')::boolean, false))).is_busy, true)
    then
      committed := committed || turnpike.uncommitted_step(one.place, 'busy');
      continue;
    end if;
    accounts := array(select jsonb_array_elements_text(one.accounts));
    if p_kind = 'answer' then
      select a.* into made from turnpike.commit_answer(one.turn_id, one.epoch, one.step, one.events, one.calls_until, accounts, p_lease,
        p_moment) a;
    else
      select a.* into made from turnpike.commit_results(one.turn_id, one.epoch, one.number, one.results, one.count, one.files,
        one.containers, one.pictures, one.events, accounts, p_lease, p_moment) a;
    end if;
    committed := committed || case when made.model_failures is null then turnpike.uncommitted_step(one.place, 'stale')
      else row(one.place, 'committed', made.cancel_requested_at, made.model_failures, made.stream_until, made.tool_calls, made.engine_keys,
        made.unusable)::turnpike.committed_step end;
  end loop;
  return committed;
end $$;

create function turnpike.uncommitted_step(p_place integer, p_outcome text) returns turnpike.committed_step language sql immutable as $$
  select row(p_place, p_outcome, null, null, null, null, null, null)::turnpike.committed_step
$$;

-- A running turn under lock, if it is still this worker's, as own_turn has it, without waiting. is_busy: another transaction has it or, if
-- that is to be changed, its conversation.
create function turnpike.free_turn(p_turn_id text, p_epoch integer, p_conversation boolean, out mine turns, out is_busy boolean)
language plpgsql as $$
begin
  select t.* into mine from turns t
    where t.turn_id = p_turn_id and t.epoch = p_epoch and t.state = 'running' for no key update skip locked;
  if mine.turn_id is null then
    is_busy := exists (select from turns t where t.turn_id = p_turn_id and t.epoch = p_epoch and t.state = 'running');
  elsif p_conversation then
    perform from conversations c where c.conversation_id = mine.conversation_id for no key update skip locked;
    is_busy := not found;
  else
    is_busy := false;
  end if;
end $$;

-- Renews the leases of turns whose models are still answering, of each what renew_lease says: 'yes', 'cancel' or 'stale'. One that another
-- transaction has is not waited for: who commits a step renews its lease, and the next renewal comes soon enough otherwise.
create function turnpike.renew_leases(p_turns jsonb, p_lease timestamptz) returns table (turn_id text, found_as text) language plpgsql as $$
declare
  one record;
begin
  for one in select w.turn_id, w.epoch from jsonb_to_recordset(p_turns) w(turn_id text, epoch integer) order by w.turn_id collate "C" loop
    turn_id := one.turn_id;
    found_as := case when (turnpike.free_turn(one.turn_id, one.epoch, false)).is_busy then 'yes'
      else turnpike.renew_lease(one.turn_id, one.epoch, p_lease) end;
    return next;
  end loop;
end $$;
