-- Locks and returns a running turn if it still belongs to this worker (its epoch); all null if the epoch is stale or
-- the turn waits.
create function turnpike.own_turn(p_turn_id text, p_epoch integer) returns turns language plpgsql as $$
declare
  mine turns;
begin
  select t.* into mine
    from turns t
    where t.turn_id = p_turn_id and t.epoch = p_epoch and t.state = 'running' and t.waiting is null
    for no key update;
  return mine;
end $$;

-- Makes the first open turn of each conversation ready, because the turn before it has ended. Returns the
-- conversations in which a turn can start. The caller forbids sequential scans.
create function turnpike.next_turns(p_conversations text[], p_moment timestamptz) returns text[] language plpgsql as $$
declare
  first record;
  begun text[] := '{}';
  idle text[] := p_conversations;
begin
  for first in select o.conversation_id, o.state
    from open_turns o
    where o.conversation_id = any (p_conversations) and o.wake_at < 'infinity' loop
    idle := array_remove(idle, first.conversation_id);
    if first.state = 'queued' then
      begun := begun || first.conversation_id;
    end if;
  end loop;
  for first in select o.*
    from unnest(idle) i(id)
      cross join lateral (
    select n.conversation_id, n.position, n.state
    from open_turns n
    where n.conversation_id = i.id and n.wake_at = 'infinity'
    order by n.position limit 1) o
  loop
    update open_turns o set wake_at = p_moment
      where o.conversation_id = first.conversation_id and o.position = first.position and o.wake_at = 'infinity';
    if first.state = 'queued' then
      begun := begun || first.conversation_id;
    end if;
  end loop;
  return begun;
end $$;

-- Makes the first open turn of one conversation ready. Returns true if a turn can start.
create function turnpike.next_turn(p_conversation_id text, p_moment timestamptz) returns boolean
language plpgsql set enable_seqscan = off as $$
begin
  return cardinality(turnpike.next_turns(array[p_conversation_id], p_moment)) > 0;
end $$;

-- Returns the turn of a conversation that waits, so that later turns cannot start; null if none does.
create function turnpike.waiting_before(p_conversation_id text) returns text language plpgsql stable as $$
begin
  return (select o.turn_id from open_turns o where o.conversation_id = p_conversation_id and o.wake_at < 'infinity'
    and o.state = 'waiting');
end $$;

-- Sets the time from which a runner may take an open turn.
create function turnpike.set_wake(mine turns, p_wake_at timestamptz) returns void language plpgsql as $$
begin
  update open_turns o set wake_at = p_wake_at
    where o.user_id = mine.user_id and o.test = mine.test and o.turn_id collate "C" = mine.turn_id;
end $$;

-- Sets this time for turns.
create function turnpike.set_wakes(p_turns turns[], p_wake_at timestamptz) returns void language plpgsql as $$
begin
  update open_turns o set wake_at = p_wake_at
    from unnest(p_turns) t
    where o.user_id = t.user_id and o.test = t.test and o.turn_id collate "C" = t.turn_id;
end $$;

-- Removes a turn that has ended from the open turns.
create function turnpike.close_turn(mine turns) returns void language plpgsql as $$
begin
  delete from open_turns o
    where o.user_id = mine.user_id and o.test = mine.test and o.turn_id collate "C" = mine.turn_id;
end $$;

-- Returns drafts of events in the form of turn_steps.events.
create function turnpike.packed_drafts(p_drafts jsonb) returns json language plpgsql stable as $$
begin
  return coalesce((select json_agg(json_build_array(draft.value -> 'id', draft.value -> 'type',
      (extract(epoch from (draft.value ->> 'at')::timestamptz) * 1000)::bigint, draft.value -> 'data')
        order by draft.position)
    from jsonb_array_elements(p_drafts) with ordinality as draft(value, position)), '[]');
end $$;

-- Writes events that the turn's row has already counted.
-- p_first: the number of the first event. p_drafts: [{id, type, data, at}].
create function turnpike.write_drafts(p_turn_id text, p_first integer, p_drafts jsonb) returns void
language plpgsql as $$
begin
  insert into turn_events (
      turn_id, seq, event_id, type,
      data, created_at)
  select
      p_turn_id, p_first + draft.position::integer - 1, draft.value ->> 'id', draft.value ->> 'type',
      draft.value -> 'data', (draft.value ->> 'at')::timestamptz
  from jsonb_array_elements(p_drafts) with ordinality as draft(value, position);
end $$;

-- Returns the event of a transition for the account's feed, which the turn's log shows too.
-- turn: the row after the transition, with its last event counted. p_data: the data of the log besides the state.
-- The hold is stored with it, because the row will not have it later.
create function turnpike.transition_of(turn turns, p_made_by text, p_event_id text, p_data jsonb)
returns turnpike.new_event
language plpgsql immutable as $$
begin
  return row(p_event_id, turn.user_id, turn.test, 'turn.' || turn.state, turn.turn_id, turn.last_event_seq,
    turn.space_id, p_made_by, p_data,
    case when turn.finished_at is null then turn.held_credit_micros end)::turnpike.new_event;
end $$;

-- Writes a transition. Returns true if a webhook receives it.
create function turnpike.write_transition(turn turns, p_made_by text, p_event_id text, p_data jsonb,
  p_moment timestamptz)
returns boolean language plpgsql as $$
begin
  return cardinality(turnpike.add_events(array[turnpike.transition_of(turn, p_made_by, p_event_id, p_data)], p_moment))
    > 0;
end $$;
