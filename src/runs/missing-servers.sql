-- Notes that a turn does without optional servers: a warning at the turn and an event in its log.
-- p_missing: a list of {name, message, failed, definition}. p_back: servers that answer again. p_pauses: as in
-- note_server_failure. The owner is notified of a server that failed as often as there are pauses.
-- Returns false if the turn belongs to another worker.
create function turnpike.note_servers(p_turn_id text, p_epoch integer, p_missing jsonb, p_back text[],
  p_pauses integer[], p_event_id text, p_moment timestamptz) returns boolean language plpgsql as $$
declare
  mine turns;
  failure mcp_server_failures;
begin
  select t.* into mine
    from turns t
    where t.turn_id = p_turn_id and t.epoch = p_epoch and t.state = 'running' for no key update;
  if mine.turn_id is null then
    return false;
  end if;
  perform turnpike.forget_server_failures(mine.space_id, p_back);
  if p_missing <> '[]' then
    update turns t set last_event_seq = t.last_event_seq + 1,
      warnings = coalesce(t.warnings, '[]') || turnpike.server_warnings(p_missing)
      where t.turn_id = p_turn_id
      returning t.* into mine;
    perform turnpike.write_drafts(mine.turn_id, mine.last_event_seq,
      jsonb_build_array(jsonb_build_object('id', p_event_id,
      'type', 'tools.missing', 'at', p_moment, 'data',
      jsonb_build_object('servers', turnpike.server_warnings(p_missing)))));
    for failure in select f.*
      from jsonb_array_elements(p_missing) m,
        turnpike.note_server_failure(mine.space_id, m.value, p_pauses, p_moment) f
      where (m.value ->> 'failed')::boolean and f.failures = cardinality(p_pauses) and not mine.test
    loop
      perform turnpike.tell_notice(mine.user_id, 'mcp_server.failing', jsonb_build_object(
        'space', (select s.slug from spaces s where s.space_id = mine.space_id), 'server', failure.name, 'failures',
          failure.failures, 'failing_minutes', (extract(epoch from p_moment - failure.failing_since) / 60)::integer,
          'error', failure.error), p_moment);
    end loop;
  end if;
  return true;
end $$;

-- Servers that a turn lacks, as responses show them.
create function turnpike.server_warnings(p_missing jsonb) returns jsonb language sql immutable as $$
  select jsonb_agg(jsonb_build_object('code', 'TOOLS_MISSING', 'server', m.value -> 'name', 'message',
    m.value -> 'message'))
    from jsonb_array_elements(p_missing) m
$$;
