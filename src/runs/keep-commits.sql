-- A step of a turn to commit: the answer of a model, or results of its tool calls. Fields of the other are null.
create type turnpike.step_commit as (
  place integer,
  turn_id text,
  epoch integer,
  -- An answer (new_step), and until when its calls may start.
  step jsonb,
  calls_until timestamptz, -- null: without calls
  -- Results: the number of their step, the results by the index of the call, and how many these are.
  number integer,
  results jsonb,
  count integer,
  -- [{file_id, name, media_type, bytes, sha256, object_key, place, paid}]
  files jsonb,
  -- The milliseconds of calls in each container.
  containers jsonb,
  -- Images that were paid for (keep_pictures).
  pictures jsonb,
  events jsonb,
  -- The accounts that the run would call next.
  accounts jsonb
);

-- Stores answers of models (commit_answers). p_turns: locked, in the order of p_commits.
create function turnpike.keep_answers(p_turns turns[], p_commits turnpike.step_commit[], p_lease timestamptz,
  p_moment timestamptz) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  steps turnpike.new_step[] := '{}';
begin
  for nth in 1 .. cardinality(p_commits) loop
    steps := steps || row(p_turns[nth], (p_commits[nth]).step, (p_commits[nth]).events, 0, null)::turnpike.new_step;
  end loop;
  perform turnpike.keep_steps(steps, p_moment);
  update turns t set cost_credit_micros = t.cost_credit_micros
    + case when t.test then 0 else (c.step ->> 'cost')::bigint end,
    rehearsed_cost_credit_micros = t.rehearsed_cost_credit_micros + (c.step ->> 'cost')::bigint,
    model_calls = t.model_calls + 1, tokens_input = t.tokens_input + (c.step ->> 'tokens_input')::bigint,
    tokens_cached = t.tokens_cached + (c.step ->> 'tokens_cached')::bigint,
    tokens_cache_written = t.tokens_cache_written + (c.step ->> 'tokens_cache_written')::bigint,
    tokens_output = t.tokens_output + (c.step ->> 'tokens_output')::bigint,
    tokens_reasoning = t.tokens_reasoning + (c.step ->> 'tokens_reasoning')::bigint, attempts = 0,
    model_failures = case c.step ->> 'finish' when 'aborted' then t.model_failures else 0 end, lease_until = p_lease,
    calls_start_until = greatest(t.calls_start_until, c.calls_until),
    last_event_seq = t.last_event_seq + jsonb_array_length(c.events)
    from unnest(p_commits) c
    where t.turn_id = c.turn_id;
  perform turnpike.set_wakes(p_turns, p_lease);
end $$;

-- Stores results of tool calls with the files that they made (commit_tool_results). p_turns: locked, in the order of
-- p_commits.
create function turnpike.keep_results(p_turns turns[], p_commits turnpike.step_commit[], p_lease timestamptz,
  p_moment timestamptz) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  mine turns;
  one turnpike.step_commit;
begin
  update turns t set tool_calls = t.tool_calls + c.count, attempts = 0, lease_until = p_lease,
    last_event_seq = t.last_event_seq + jsonb_array_length(c.events)
    from unnest(p_commits) c
    where t.turn_id = c.turn_id;
  perform turnpike.set_wakes(p_turns, p_lease);
  update turn_steps p set results = p.results || c.results, pending_calls = p.pending_calls - c.count
    from unnest(p_commits) c
    where p.turn_id = c.turn_id and p.step = c.number;
  for nth in 1 .. cardinality(p_commits) loop
    mine := p_turns[nth];
    one := p_commits[nth];
    if one.files <> '[]' then
      insert into files (
          file_id, user_id, space_id, test, key_id, turn_id, name, media_type,
          bytes, sha256, object_key, place, paid, state, created_at, updated_at)
      select
          f.file_id, mine.user_id, mine.space_id, mine.test, mine.key_id, mine.turn_id, f.name, f.media_type,
          f.bytes, f.sha256, f.object_key, f.place, coalesce(f.paid, false), 'pending', p_moment, p_moment
      from jsonb_to_recordset(one.files) as f(file_id text, name text, media_type text, bytes bigint, sha256 text,
        object_key text, place integer, paid boolean);
    end if;
    if one.containers <> '{}' and not mine.test then
      insert into container_calls (
          user_id, space_id, turn_id, container, milliseconds, created_at)
      select
          mine.user_id, mine.space_id, mine.turn_id, c.key, c.value::bigint, p_moment
      from jsonb_each_text(one.containers) c;
    end if;
    if one.pictures <> '[]' then
      perform turnpike.keep_pictures(mine, one.number, one.pictures, p_moment);
    end if;
    perform turnpike.write_drafts(mine.turn_id, mine.last_event_seq + 1, one.events);
  end loop;
end $$;
