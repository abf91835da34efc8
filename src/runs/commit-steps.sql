-- The arguments of commit_answer or commit_results for one step of a turn. Fields of the other procedure are null.
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
  -- 'committed', 'stale' (the turn belongs to another worker) or 'busy' (another transaction has locked it).
  outcome text,
  cancel_requested_at timestamptz, -- null: not requested
  model_failures integer, -- null: not committed, as for all fields below
  stream_until timestamptz, -- null: no reader
  tool_calls integer, -- null
  engine_keys text, -- null: the environment has none
  unusable text[] -- null: none
);

-- Commits answers of models in turns of one worker.
create function turnpike.commit_answers(p_commits jsonb, p_lease timestamptz, p_moment timestamptz) returns turnpike.committed_step[]
language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  return turnpike.commit_steps('answer', p_commits, p_lease, p_moment);
end $$;

-- Commits results of tools in turns of one worker.
create function turnpike.commit_tool_results(p_commits jsonb, p_lease timestamptz, p_moment timestamptz) returns turnpike.committed_step[]
language plpgsql as $$
begin
  return turnpike.commit_steps('results', p_commits, p_lease, p_moment);
end $$;

-- Commits steps, by turn and within a turn by place.
-- A single step waits for locks. In a group, a step whose turn or conversation is locked by another transaction is
-- skipped ('busy'), so that no turn waits for another one.
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

-- Locks a running turn like own_turn, but without waiting, if it still belongs to this worker.
-- p_conversation: its conversation is locked too. is_busy: another transaction holds one of these locks.
create function turnpike.free_turn(p_turn_id text, p_epoch integer, p_conversation boolean, out mine turns, out is_busy boolean)
language plpgsql as $$
begin
  select t.* into mine from turns t
    where t.turn_id = p_turn_id and t.epoch = p_epoch and t.state = 'running' and t.waiting is null
    for no key update skip locked;
  if mine.turn_id is null then
    is_busy := exists (select from turns t where t.turn_id = p_turn_id and t.epoch = p_epoch and t.state = 'running'
      and t.waiting is null);
  elsif p_conversation then
    perform from conversations c where c.conversation_id = mine.conversation_id for no key update skip locked;
    is_busy := not found;
  else
    is_busy := false;
  end if;
end $$;

-- Renews the leases of turns whose models are still answering.
-- Returns the result of renew_lease for each: 'yes', 'cancel' or 'stale'. A locked turn is skipped and gets 'yes': if
-- the other transaction does not renew its lease, the next renewal comes soon enough.
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
