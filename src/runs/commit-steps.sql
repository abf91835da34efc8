create type turnpike.committed_step as (
  place integer,
  -- 'committed', 'stale' (the turn belongs to another worker) or 'busy' (another transaction has locked it).
  outcome text,
  cancel_requested_at timestamptz, -- null: not requested
  model_failures integer, -- null: not committed, as for all fields below
  stream_until timestamptz, -- null: no reader
  tool_calls integer, -- null
  engine_keys text, -- null: the environment has none
  -- The accounts that the worker must not call without asking (unusable_accounts).
  unusable text[] -- null: none
);

-- Commits answers of models in turns of one worker, before any of their tool calls starts, and renews the leases. So a
-- later worker makes exactly these calls, under the same keys.
create function turnpike.commit_answers(p_commits jsonb, p_lease timestamptz, p_moment timestamptz)
returns turnpike.committed_step[]
language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  return turnpike.commit_steps('answer', p_commits, p_lease, p_moment);
end $$;

-- Commits results of tool calls (all of a step, or the ones that have ended) in turns of one worker, with the files
-- that they made, and renews the leases.
create function turnpike.commit_tool_results(p_commits jsonb, p_lease timestamptz, p_moment timestamptz)
returns turnpike.committed_step[]
language plpgsql as $$
begin
  return turnpike.commit_steps('results', p_commits, p_lease, p_moment);
end $$;

-- Commits steps, by turn and within a turn by place. A repeat, after the first answer was lost, has no effect.
-- A single step waits for locks. In a group, a step whose turn or conversation is locked by another transaction is
-- skipped ('busy'), so that no turn waits for another one.
create function turnpike.commit_steps(p_kind text, p_commits jsonb, p_lease timestamptz, p_moment timestamptz)
returns turnpike.committed_step[]
language plpgsql as $$
declare
  asked turnpike.step_commit[] := array(select c from jsonb_populate_recordset(null::turnpike.step_commit, p_commits) c
    order by c.turn_id collate "C", c.place);
  one turnpike.step_commit;
  round turnpike.step_commit[];
  later turnpike.step_commit[];
  last text;
  committed turnpike.committed_step[] := '{}';
begin
  -- Each round has one step of each turn.
  while cardinality(asked) > 0 loop
    round := '{}';
    later := '{}';
    last := '';
    foreach one in array asked loop
      if one.turn_id = last then
        later := later || one;
      else
        round := round || one;
      end if;
      last := one.turn_id;
    end loop;
    committed := committed
      || turnpike.commit_round(p_kind, round, jsonb_array_length(p_commits) > 1, p_lease, p_moment);
    asked := later;
  end loop;
  return committed;
end $$;

-- Commits one step of each of some turns, in the order of the turn_ids, and writes each table once.
create function turnpike.commit_round(p_kind text, p_commits turnpike.step_commit[], p_is_group boolean,
  p_lease timestamptz, p_moment timestamptz)
returns turnpike.committed_step[] language plpgsql as $$
declare
  one turnpike.step_commit;
  mine turns;
  owned turns[];
  found_as text[];
  known text[];
  mines turns[] := '{}';
  fresh turnpike.step_commit[] := '{}';
  committed turnpike.committed_step[] := '{}';
begin
  select o.mines, o.found_as into owned, found_as
    from turnpike.own_turns(array(select c.turn_id from unnest(p_commits) c),
      array(select c.epoch from unnest(p_commits) c),
      array(select coalesce((c.step ->> 'bind')::boolean, false) from unnest(p_commits) c), p_is_group) o;
  -- An epoch commits each step once, and each result, so these are repeats.
  known := array(select p.turn_id from unnest(p_commits) c
    join turn_steps p on p.turn_id = c.turn_id and p.step = coalesce((c.step ->> 'step')::integer, c.number)
    where case p_kind when 'answer' then p.epoch = c.epoch
      else p.results ?| array(select jsonb_object_keys(c.results)) end);
  for nth in 1 .. cardinality(p_commits) loop
    one := p_commits[nth];
    mine := owned[nth];
    if found_as[nth] is distinct from 'own' then
      committed := committed || turnpike.uncommitted_step(one.place, found_as[nth]);
      continue;
    end if;
    if one.turn_id <> all (known) then
      mines := mines || mine;
      fresh := fresh || one;
      -- A step that was cut off does not count as a success of its model.
      if p_kind = 'answer' and one.step ->> 'finish' is distinct from 'aborted' then
        mine.model_failures := 0;
      end if;
      mine.tool_calls := mine.tool_calls + coalesce(one.count, 0);
    end if;
    committed := committed
      || row(one.place, 'committed', mine.cancel_requested_at, mine.model_failures, mine.stream_until, mine.tool_calls,
      turnpike.engine_keys(),
      turnpike.unusable_accounts(array(select jsonb_array_elements_text(one.accounts)),
        p_moment))::turnpike.committed_step;
  end loop;
  if cardinality(fresh) > 0 and p_kind = 'answer' then
    perform turnpike.keep_answers(mines, fresh, p_lease, p_moment);
  elsif cardinality(fresh) > 0 then
    perform turnpike.keep_results(mines, fresh, p_lease, p_moment);
  end if;
  return committed;
end $$;

create function turnpike.uncommitted_step(p_place integer, p_outcome text) returns turnpike.committed_step
language sql immutable as $$
  select row(p_place, p_outcome, null, null, null, null, null, null)::turnpike.committed_step
$$;

-- Locks a running turn like own_turn, but without waiting. Returns true if another transaction holds the lock.
create function turnpike.is_held(p_turn_id text, p_epoch integer) returns boolean language plpgsql as $$
begin
  perform from turns t
    where t.turn_id = p_turn_id and t.epoch = p_epoch and t.state = 'running' and t.waiting is null
    for no key update skip locked;
  return not found and turnpike.is_running(p_turn_id, p_epoch);
end $$;

-- Locks running turns that still belong to this worker, like own_turn, with their conversations. For each turn,
-- found_as: 'own', 'stale' (it does not) or 'busy' (another transaction holds a lock). mines: the turn if it is own.
-- p_turn_ids: each once, in their order. p_binds: whether its conversation is locked; null: all.
-- A group waits for no lock, a single turn does.
create function turnpike.own_turns(p_turn_ids text[], p_epochs integer[], p_binds boolean[], p_is_group boolean,
  out mines turns[], out found_as text[]) language plpgsql as $$
declare
  mine turns;
begin
  if p_is_group then
    select f.mines, f.found_as into mines, found_as from turnpike.free_turns(p_turn_ids, p_epochs, p_binds) f;
  else
    mine := turnpike.own_turn(p_turn_ids[1], p_epochs[1]);
    mines := array[mine];
    found_as := array[case when mine.turn_id is null then 'stale' else 'own' end];
  end if;
end $$;

-- The group of own_turns.
create function turnpike.free_turns(p_turn_ids text[], p_epochs integer[], p_binds boolean[], out mines turns[],
  out found_as text[])
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  free turns[] := array(select t from turns t where t.turn_id = any (p_turn_ids) and t.state = 'running'
    and t.waiting is null
    order by t.turn_id collate "C" for no key update skip locked);
  bound text[] := p_turn_ids;
  conversations text[];
  mine turns;
  taken integer := 0;
begin
  mines := '{}';
  found_as := '{}';
  if p_binds is not null then
    bound := array(select b.id from unnest(p_turn_ids, p_binds) b(id, binds) where b.binds);
  end if;
  conversations := array(select c.conversation_id from conversations c
    where c.conversation_id in (select t.conversation_id from unnest(free) t where t.turn_id = any (bound))
    order by c.conversation_id for no key update skip locked);
  for nth in 1 .. cardinality(p_turn_ids) loop
    mine := null;
    if (free[taken + 1]).turn_id = p_turn_ids[nth] then
      taken := taken + 1;
      mine := free[taken];
    end if;
    if mine.epoch = p_epochs[nth] and (mine.turn_id <> all (bound) or mine.conversation_id = any (conversations)) then
      found_as[nth] := 'own';
    elsif mine.epoch = p_epochs[nth]
      or (mine.turn_id is null and turnpike.is_running(p_turn_ids[nth], p_epochs[nth])) then
      found_as[nth] := 'busy';
      mine := null;
    else
      found_as[nth] := 'stale';
      mine := null;
    end if;
    mines[nth] := mine;
  end loop;
end $$;

-- Returns true if a turn runs and belongs to this worker, without a lock.
create function turnpike.is_running(p_turn_id text, p_epoch integer) returns boolean language plpgsql as $$
begin
  return exists (select from turns t where t.turn_id = p_turn_id and t.epoch = p_epoch and t.state = 'running'
    and t.waiting is null);
end $$;

-- Renews the leases of turns whose models are still answering.
-- Returns the result of renew_lease for each: 'yes', 'cancel' or 'stale'. A locked turn is skipped and gets 'yes': if
-- the other transaction does not renew its lease, the next renewal comes soon enough.
create function turnpike.renew_leases(p_turns jsonb, p_lease timestamptz) returns table (turn_id text, found_as text)
language plpgsql as $$
declare
  one record;
begin
  for one in select w.turn_id, w.epoch
    from jsonb_to_recordset(p_turns) w(turn_id text, epoch integer)
    order by w.turn_id collate "C" loop
    turn_id := one.turn_id;
    found_as := case when turnpike.is_held(one.turn_id, one.epoch) then 'yes'
      else turnpike.renew_lease(one.turn_id, one.epoch, p_lease) end;
    return next;
  end loop;
end $$;
