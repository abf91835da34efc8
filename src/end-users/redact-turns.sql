-- Redacts ended turns that an erasure covers, with all their data: text, results, events, steps, names of
-- conversations, files that they created, and files sent with them. The keys of their objects are recorded in the
-- same transaction, so none is lost if the worker dies. Redacts at most p_most_turns turns with p_most_events
-- events. Returns the number of turns.
create function turnpike.redact_turns(p_erasure_id text, p_most_turns integer, p_most_events integer,
  p_moment timestamptz)
returns integer language plpgsql as $$
declare
  erasure erasures;
  ids text[];
  of_conversations text[];
  attached text[];
  of_files text[];
  conversations_done integer;
  steps_done integer;
  events_done integer;
  of_steps integer;
  files_done integer;
  tasks_done integer;
begin
  select e.* into erasure from erasures e where e.erasure_id = p_erasure_id;
  -- Skips locked turns, because another run may be working on them.
  ids := array(
    select picked.turn_id
    from (
      select ended.turn_id, row_number() over by_id as row_number, sum(ended.last_event_seq) over by_id as events_so_far
      from (
        select t.turn_id, t.last_event_seq
        from turns t
        where t.user_id = erasure.user_id and t.test = erasure.test and t.end_user_ref = erasure.end_user_ref
          and t.created_at <= erasure.until_at and t.finished_at is not null and t.erased_at is null
        order by t.turn_id collate "C" limit p_most_turns for no key update skip locked
      ) ended
      window by_id as (order by ended.turn_id collate "C")
    ) picked
    where picked.row_number = 1 or picked.events_so_far <= p_most_events);
  if cardinality(ids) = 0 then
    return 0;
  end if;
  of_conversations := array(select c.conversation_id from conversations c
    where c.conversation_id in (select t.conversation_id from turns t where t.turn_id = any (ids))
      and c.name <> c.conversation_id
    order by c.conversation_id for update);
  attached := array(select distinct f.id from turns t,
    jsonb_array_elements_text(t.file_ids) as f(id) where t.turn_id = any (ids));
  of_files := turnpike.files_to_redact(erasure, ids, attached);
  -- The order of ids prevents deadlocks with other runs that lock some of the same files.
  perform from files f where f.file_id = any (of_files) order by f.file_id for no key update;

  -- Stored images have no row, so the whole prefix is recorded. Only turns with tool calls can have images.
  insert into erased_objects (erasure_id, object_key)
  select distinct p_erasure_id, 'turns/' || p.turn_id || '/'
  from turn_steps p
    where p.turn_id = any (ids) and p.content @> '[{"type": "tool-call"}]'
  union
  select p_erasure_id, 'turns/' || t.turn_id || '/'
  from turns t
    where t.turn_id = any (ids) and t.steps_deleted_at is not null and t.tool_calls > 0
  on conflict do nothing;
  update turns t set text = '', result = null, response_format = null, error_message = null, error_details = null,
    metadata = '{}', file_ids = '[]', outputs = '[]', request_hash = '', erased_at = p_moment
    where t.turn_id = any (ids);
  of_steps := (select count(*) from turn_steps p, jsonb_array_elements(p.events::jsonb) d
    where p.turn_id = any (ids) and d -> 3 <> turnpike.kept_of_event(d -> 3));
  update turn_steps p set text = '', content = '[]', results = '{}', events = turnpike.kept_of_events(p.events)
    where p.turn_id = any (ids);
  get diagnostics steps_done = row_count;
  update turn_events e set data = turnpike.kept_of_event(e.data)
    where e.turn_id = any (ids) and e.data <> turnpike.kept_of_event(e.data);
  get diagnostics events_done = row_count;
  events_done := events_done + of_steps;
  update conversations c set name = c.conversation_id, found_tools = null
    where c.conversation_id = any (of_conversations);
  get diagnostics conversations_done = row_count;
  with redacted as (
    update files f set state = 'deleted', name = '', media_type = 'application/octet-stream', sha256 = '',
      updated_at = p_moment
      where f.file_id = any (of_files) and (f.state <> 'deleted' or f.name <> '' or f.sha256 <> '')
      returning f.object_key
  ), noted as (
    insert into erased_objects (
        erasure_id, object_key)
      select
        p_erasure_id, r.object_key
      from redacted r
      on conflict do nothing
  )
    select count(*) into files_done
    from redacted;
  tasks_done := turnpike.redact_elsewhere(ids, p_moment);
  update erasures e set turns = e.turns + cardinality(ids), steps = e.steps + steps_done,
    events = e.events + events_done, files = e.files + files_done, conversations = e.conversations + conversations_done,
    tasks = e.tasks + tasks_done
    where e.erasure_id = p_erasure_id;
  return cardinality(ids);
end $$;

-- The files that are erased with these turns: files that their agents created, and files sent with them. A file is
-- kept if another end user's turn or a later turn uses it, or if the agent of another end user's turn created it.
create function turnpike.files_to_redact(erasure erasures, p_turns text[], p_attached text[]) returns text[]
language plpgsql stable as $$
begin
  return array(
    select f.file_id
    from files f
    where f.turn_id = any (p_turns)
    union
    select f.file_id
    from files f
    where f.file_id = any (p_attached) and f.user_id = erasure.user_id
      and not exists (select from turns t where t.turn_id = f.turn_id and t.end_user_ref <> erasure.end_user_ref)
      and not exists (select from turns t
        where t.user_id = erasure.user_id and t.file_ids @> jsonb_build_array(f.file_id) and t.file_ids <> '[]'
          and (t.end_user_ref <> erasure.end_user_ref or t.created_at > erasure.until_at)));
end $$;

-- The part of an event's data that is kept: numbers, states, and names that the service or the configuration chose.
create function turnpike.kept_of_event(p_data jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_object_agg(d.key, d.value), '{}')
  from jsonb_each(p_data) d
  where d.key in ('state', 'status_reason', 'error_code', 'config_version', 'step', 'agent', 'delegated_by', 'call',
    'ok', 'finish', 'truncated', 'duration_ms', 'tokens_input', 'tokens_cached', 'tokens_output', 'tokens_reasoning',
    'model', 'attempt', 'turns', 'earlier', 'results', 'max_output_tokens', 'temperature', 'reasoning')
$$;

-- Redacts the event drafts that were written with a step.
create function turnpike.kept_of_events(p_drafts json) returns json language sql immutable as $$
  select coalesce(json_agg(jsonb_set(d.draft, '{3}', turnpike.kept_of_event(d.draft -> 3)) order by d.number), '[]')
  from jsonb_array_elements(p_drafts::jsonb) with ordinality d (draft, number)
$$;

-- Redacts the rows of other rooms that belong to these turns. Returns the number of tasks. A new table with texts
-- of turns must be added here: the test of erasure searches every table.
create function turnpike.redact_elsewhere(p_turns text[], p_moment timestamptz) returns integer language plpgsql as $$
declare
  tasks_done integer;
begin
  delete from turn_messages m where m.turn_id = any (p_turns);
  delete from turn_tools o where o.turn_id = any (p_turns);
  update turns t set calls = '[]' where t.turn_id = any (p_turns) and t.calls is not null;
  delete from conversation_summaries s
    using turns t
    where t.turn_id = any (p_turns) and s.conversation_id = t.conversation_id and t.position <= s.until_position;
  update tasks k set title = '', description = null, flow = null, flow_place = null, updated_at = p_moment
    where k.turn_id = any (p_turns);
  get diagnostics tasks_done = row_count;
  -- A provider may repeat words of its prompt, and names the files that it refuses.
  update infrastructure_errors x set details = null, said = null
    where x.turn_id = any (p_turns) and num_nonnulls(x.details, x.said) > 0;
  -- The owner's words. The operator's answer is about the decision, and is in the books too.
  update refund_requests r set reason = '' where r.turn_id = any (p_turns) and r.reason <> '';
  update webhook_attempts a set answer = null, location = null
    from webhook_deliveries d
    where d.turn_id = any (p_turns) and a.delivery_id = d.delivery_id
      and (a.answer is not null or a.location is not null);
  return tasks_done;
end $$;
