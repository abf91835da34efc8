-- The parts of each kind of data of a turn. Amounts, token counts, times, states, codes and the account's own
-- references stay. So do the ledger, model_calls, api_turns and every rollup.

-- Deletes one kind of data of those turns that ended before p_ended_before, and returns their number. The others are
-- looked at again later (retention_left).
create function turnpike.forget_data(p_space_id bigint, p_data text, p_turns text[], p_ended_before timestamptz,
  p_moment timestamptz)
returns integer language plpgsql set retention.deletes = 'on' set enable_seqscan = off set jit = off as $$
declare
  due text[];
  kept_for interval := p_moment - p_ended_before;
begin
  if p_data in ('text', 'step', 'test_data', 'unstored') then
    -- Locked turns are left, so no statement waits.
    due := array(select t.turn_id from turns t where t.turn_id = any (p_turns) and t.finished_at < p_ended_before
      order by t.turn_id for no key update skip locked);
  else
    due := array(select t.turn_id from turns t where t.turn_id = any (p_turns) and t.finished_at < p_ended_before
      and not exists (select from webhook_deliveries d where d.turn_id = t.turn_id and d.state = 'pending'));
  end if;
  if cardinality(due) < cardinality(p_turns) then
    insert into retention_left as l (
        space_id, data, turn_id,
        look_at)
      select
        p_space_id, p_data, t.turn_id,
        greatest(p_moment + case p_data when 'unstored' then interval '10 minutes' else interval '1 hour' end,
          t.finished_at + kept_for)
      from turns t
      where t.turn_id = any (p_turns) and t.turn_id <> all (due)
      on conflict (turn_id, data, space_id) do update set look_at = excluded.look_at;
  end if;
  if cardinality(due) = 0 then
    return 0;
  end if;
  if p_data = 'unstored' then
    insert into retention_left (
        space_id, data, turn_id, look_at)
      select
        p_space_id, 'unstored_event', d, p_moment
      from unnest(due) d
      on conflict do nothing;
  end if;
  if p_data in ('step', 'test_data', 'unstored') then
    perform turnpike.forget_steps(due, p_moment);
  end if;
  if p_data in ('text', 'test_data', 'unstored') then
    -- The names of files stay: an erasure finds the files by them.
    update turns t set text = '', result = null, response_format = null, error_message = null, error_details = null,
      metadata = '{}', calls = case when calls is not null then '[]'::jsonb end, texts_deleted_at = p_moment
      where t.turn_id = any (due) and t.texts_deleted_at is null and t.erased_at is null;
    delete from turn_messages m where m.turn_id = any (due);
    delete from turn_tools o where o.turn_id = any (due);
    delete from conversation_summaries s
      using turns t
      where t.turn_id = any (due) and s.conversation_id = t.conversation_id and t.position <= s.until_position;
    update infrastructure_errors x set details = null, said = null
      where x.turn_id = any (due) and num_nonnulls(x.details, x.said) > 0;
  end if;
  if p_data in ('event', 'delivery', 'attempt', 'unstored_event') then
    delete from webhook_attempts a
      using webhook_deliveries d
      where d.turn_id = any (due) and a.delivery_id = d.delivery_id;
  end if;
  if p_data in ('event', 'delivery', 'unstored_event') then
    -- A delivery that is sent again in this moment stays, with its event.
    delete from webhook_deliveries d where d.turn_id = any (due) and d.state <> 'pending';
    insert into retention_left as l (space_id, data, turn_id, look_at)
      select distinct p_space_id, p_data, d.turn_id, p_moment + interval '1 hour'
      from webhook_deliveries d
      where d.turn_id = any (due)
      on conflict (turn_id, data, space_id) do update set look_at = excluded.look_at;
  end if;
  if p_data in ('event', 'unstored_event') then
    delete from events e
      where e.turn_id = any (due)
      and not exists (select from webhook_deliveries d where d.turn_id = e.turn_id);
  end if;
  return cardinality(due);
end $$;

-- Deletes the steps and the logs of turns. The images of their tool results are recorded for removal from the bucket.
create function turnpike.forget_steps(p_turns text[], p_moment timestamptz) returns void language plpgsql
set enable_seqscan = off set jit = off as $$
begin
  insert into deleted_objects (object_key)
    select k.key #>> '{}'
    from turn_steps p, jsonb_path_query(p.results, '$.*.value[*].objectKey') k(key)
    where p.turn_id = any (p_turns) and p.results <> '{}' and starts_with(k.key #>> '{}', 'turns/' || p.turn_id || '/')
      and not exists (select from files f where f.object_key = k.key #>> '{}')
    on conflict do nothing;
  delete from turn_events e where e.turn_id = any (p_turns);
  delete from turn_steps p where p.turn_id = any (p_turns);
  update turns t set steps_deleted_at = p_moment where t.turn_id = any (p_turns) and t.steps_deleted_at is null;
end $$;

-- Records that objects were removed from the bucket. Returns their number.
create function turnpike.note_removed_objects(p_keys text[]) returns integer language plpgsql as $$
declare
  removed integer;
begin
  delete from deleted_objects o where o.object_key = any (p_keys);
  get diagnostics removed = row_count;
  return removed;
end $$;
