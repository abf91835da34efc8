-- How a running turn ends.
create type turnpike.turn_end as (
  turn_id text,
  epoch integer,
  state text,
  reason text, -- null: the state says it
  result text, -- null: no result
  error_code text, -- null: it has not failed
  error_message text, -- null: it has not failed
  error_details jsonb, -- null: no provider said why
  -- True if the result is JSON in the form that was asked for.
  has_output boolean,
  calls jsonb, -- null: it has not called its caller
  calls_tokens bigint, -- null: the same
  -- True if the service has lost its result.
  lost boolean,
  step jsonb, -- null: its last step is committed
  events jsonb,
  -- True if its agent may have made files.
  files boolean,
  -- The turn is ended only if it was lost this many times and no worker holds it.
  lost_after integer, -- null: in any case
  event_id text
);

-- A turn that ends, and what was decided about it.
create type turnpike.ending as (
  turn_id text,
  said turnpike.turn_end,
  cancelled boolean,
  -- True if the service has lost its result, and it was not cancelled before.
  lost boolean,
  -- The rehearsed cost of a test turn, which is billed nothing.
  billed bigint,
  outputs jsonb,
  result text -- null: no result
);

-- Ends a turn that the caller has locked, except for its hold.
create function turnpike.end_turn(p_turn turns, p_end turnpike.turn_end, p_moment timestamptz)
returns turnpike.ended_turn
language plpgsql as $$
begin
  return (turnpike.finish_turns(array[p_turn], array[p_end], p_moment))[1];
end $$;

-- Decides about a turn that ends. Its files, its losses and the provider account of its conversation are stored.
create function turnpike.ending_of(mine turns, said turnpike.turn_end, p_moment timestamptz) returns turnpike.ending
language plpgsql as $$
declare
  ending turnpike.ending := row(mine.turn_id, said, mine.cancel_requested_at is not null,
    said.lost and mine.cancel_requested_at is null, 0, mine.outputs, said.result)::turnpike.ending;
  cost bigint := coalesce((said.step ->> 'cost')::bigint, 0);
begin
  ending.billed := case when ending.lost then 0
    else coalesce(mine.rehearsed_cost_credit_micros, mine.cost_credit_micros) + cost end;
  if (said.step ->> 'bind')::boolean then
    update conversations c set provider_id = said.step ->> 'account', served_at = p_moment
      where c.conversation_id = mine.conversation_id;
  end if;
  if said.lost then
    perform turnpike.add_loss(mine, 'worker_lost', null, p_moment);
  end if;
  if ending.lost then
    perform turnpike.add_loss(mine, lower(said.error_code collate "C"), mine.cost_credit_micros + cost, p_moment);
  end if;
  if said.files then
    ending.outputs := turnpike.end_files(mine, said.state = 'done' and not ending.cancelled, p_moment);
  end if;
  if said.lost and ending.cancelled then
    -- The sweep, which ends a lost turn, does not know its text.
    ending.result := turnpike.said_in(mine.turn_id);
  end if;
  return ending;
end $$;

-- Stores the calls of turns that end, with their last steps. Each call is billed, unless its turn was lost.
-- Called by finish_turns only, whose settings of the planner apply.
create function turnpike.settle_calls(p_turns turns[], p_endings turnpike.ending[], p_moment timestamptz) returns void
language plpgsql as $$
declare
  steps turnpike.new_step[] := '{}';
  has_calls boolean := false;
  said turnpike.turn_end;
begin
  for nth in 1 .. cardinality(p_turns) loop
    said := (p_endings[nth]).said;
    has_calls := has_calls or (p_turns[nth]).model_calls > 0;
    if said.step is not null then
      steps := steps || row(p_turns[nth], said.step, said.events,
        case when (p_endings[nth]).billed > 0 then coalesce((said.step ->> 'cost')::bigint, 0) else 0 end,
        p_moment)::turnpike.new_step;
    end if;
  end loop;
  if has_calls then
    update model_calls c set settled_at = p_moment,
      billed_credit_micros = case when e.billed > 0 then c.cost_credit_micros else 0 end
      from unnest(p_endings) e
      where c.turn_id = e.turn_id;
  end if;
  if cardinality(steps) > 0 then
    perform turnpike.keep_steps(steps, p_moment);
  end if;
end $$;

-- Writes the ends into the turns, which are open no more. Returns the ended turns in the same order.
-- Called by finish_turns only, whose settings of the planner apply.
create function turnpike.write_ends(p_endings turnpike.ending[], p_moment timestamptz) returns turns[]
language plpgsql as $$
declare
  mine turns;
  ended turns[] := '{}';
begin
  for mine in
    update turns t set
      state = case when e.cancelled then 'cancelled' else (e.said).state end,
      status_reason = case when e.cancelled then coalesce(t.status_reason, 'client')
        else coalesce((e.said).reason, (e.said).error_code) end,
      result = e.result, has_output = (e.said).has_output and not e.cancelled,
      calls = case when not e.cancelled then (e.said).calls end, calls_tokens = (e.said).calls_tokens,
      truncated = (e.said).state = 'done' and not e.cancelled
      and coalesce((e.said).step ->> 'finish' = 'length', false),
      error_code = case when not e.cancelled then (e.said).error_code end, failed_by_us = e.lost,
      error_message = case when not e.cancelled then (e.said).error_message end,
      error_details = case when not e.cancelled then (e.said).error_details end,
      cost_credit_micros = t.cost_credit_micros
      + case when t.test then 0 else coalesce(((e.said).step ->> 'cost')::bigint, 0) end,
      billed_credit_micros = case when t.test then 0 else e.billed end,
      -- A turn whose wallet holds nothing gave its hold back, and its calls were free.
      end_user_charge_credit_micros = case
        when num_nonnulls(t.price_id, t.end_user_hold_credit_micros) > 0 then turnpike.sale_charge(t, e.billed,
        e.lost or (t.model_calls = 0 and (e.said).step is null)
        or coalesce(t.end_user_hold_credit_micros = 0, false)) end,
      model_calls = t.model_calls + case when (e.said).step is null then 0 else 1 end,
      tokens_input = t.tokens_input + coalesce(((e.said).step ->> 'tokens_input')::bigint, 0),
      tokens_cached = t.tokens_cached + coalesce(((e.said).step ->> 'tokens_cached')::bigint, 0),
      tokens_cache_written = t.tokens_cache_written + coalesce(((e.said).step ->> 'tokens_cache_written')::bigint, 0),
      tokens_output = t.tokens_output + coalesce(((e.said).step ->> 'tokens_output')::bigint, 0),
      tokens_reasoning = t.tokens_reasoning + coalesce(((e.said).step ->> 'tokens_reasoning')::bigint, 0),
      attempts = case when (e.said).step is null then t.attempts else 0 end,
      model_failures = case when (e.said).step is null then t.model_failures else 0 end,
      rehearsed_cost_credit_micros = case when t.rehearsed_hold_credit_micros is not null then e.billed end,
      held_credit_micros = 0, lease_until = null, finished_at = p_moment, outputs = e.outputs, waiting = null,
      profile = null,
      last_event_seq = t.last_event_seq + jsonb_array_length((e.said).events) + 1
    from unnest(p_endings) e
    where t.turn_id = e.turn_id
    returning t.*
  loop
    ended := ended || mine;
  end loop;
  delete from open_turns o
    using unnest(ended) t
    where o.user_id = t.user_id and o.test = t.test and o.turn_id collate "C" = t.turn_id;
  return ended;
end $$;

-- Writes what follows from a turn's end: its row of a web chat, its last events, and the end of its wait. Returns the
-- event of its transition. p_waited: it has waited before.
create function turnpike.note_end(mine turns, said turnpike.turn_end, p_waited boolean, p_moment timestamptz)
returns turnpike.new_event
language plpgsql as $$
begin
  if p_waited then
    perform turnpike.forget_wait(mine, p_moment);
  end if;
  if mine.key_id is null then
    insert into api_turns (
        turn_id, user_id, space_id, provider, model, model_calls,
        tokens_input, tokens_cached, tokens_cache_written, tokens_output,
        duration_sec, cost_credit_micros,
        billed_credit_micros, created_at)
      values (
        mine.turn_id, mine.user_id, mine.space_id, split_part(mine.model, '/', 1), mine.model, mine.model_calls,
        mine.tokens_input, mine.tokens_cached, mine.tokens_cache_written, mine.tokens_output,
        greatest(0, extract(epoch from mine.finished_at - mine.started_at)), mine.cost_credit_micros,
        mine.billed_credit_micros, p_moment);
  end if;
  if said.step is null and said.events <> '[]' then
    perform turnpike.write_drafts(mine.turn_id, mine.last_event_seq - jsonb_array_length(said.events), said.events);
  end if;
  return turnpike.transition_of(mine, null, said.event_id,
    jsonb_strip_nulls(jsonb_build_object('status_reason', mine.status_reason,
    'error_code', mine.error_code, 'truncated', nullif(mine.truncated, false))));
end $$;

-- Ends turns that the caller has locked, except for their holds. Writes each table once.
-- p_turns, p_ends: in the order of their turn_ids, at most one turn of each conversation.
-- The planner must not read a whole table for a few turns.
create function turnpike.finish_turns(p_turns turns[], p_ends turnpike.turn_end[], p_moment timestamptz)
returns turnpike.ended_turn[]
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  endings turnpike.ending[] := '{}';
  ended turns[];
  mine turns;
  events turnpike.new_event[] := '{}';
  -- Ids of the events that an endpoint gets.
  subscribed text[];
  begun text[];
  answer turnpike.ended_turn[] := '{}';
begin
  -- With these locks, a turn that is being accepted into the conversation is seen
  -- here, or its acceptance sees that this one has ended.
  perform from conversations c
    where c.conversation_id in (select t.conversation_id from unnest(p_turns) t)
    order by c.conversation_id for no key update;
  for nth in 1 .. cardinality(p_turns) loop
    endings := endings || turnpike.ending_of(p_turns[nth], p_ends[nth], p_moment);
  end loop;
  perform turnpike.settle_calls(p_turns, endings, p_moment);
  ended := turnpike.write_ends(endings, p_moment);
  for nth in 1 .. cardinality(ended) loop
    events := events || turnpike.note_end(ended[nth], p_ends[nth], (p_turns[nth]).waited_ms is not null, p_moment);
  end loop;
  subscribed := turnpike.add_events(events, p_moment);
  begun := turnpike.next_turns(array(select t.conversation_id from unnest(ended) t), p_moment);
  for nth in 1 .. cardinality(ended) loop
    mine := ended[nth];
    answer := answer
      || row(mine, mine.billed_credit_micros, mine.conversation_id = any (begun),
        (p_ends[nth]).event_id = any (subscribed))::turnpike.ended_turn;
  end loop;
  return answer;
end $$;
