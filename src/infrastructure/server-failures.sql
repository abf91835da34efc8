-- The optional servers of a configuration that did not answer lately, each with the moment until which it is not asked.
create function turnpike.failing_servers(p_space_id bigint, p_servers jsonb) returns jsonb language plpgsql stable as $$
begin
  if p_servers = '{}' then
    return '{}';
  end if;
  return (select coalesce(jsonb_object_agg(f.name, f.paused_until), '{}') from mcp_server_failures f
    where f.space_id = p_space_id and f.definition = p_servers -> f.name);
end $$;

-- Counts that a server did not answer, which pauses it. p_server: {name, message, definition}. p_pauses: the seconds
-- after its first, second, … failure. Null if it is paused already: turns that fail at the same time count once.
create function turnpike.note_server_failure(p_space_id bigint, p_server jsonb, p_pauses integer[],
  p_moment timestamptz)
returns mcp_server_failures language plpgsql as $$
declare
  failure mcp_server_failures;
begin
  insert into mcp_server_failures as f (
      space_id, name, definition, failures, failing_since, failed_at,
      paused_until, error)
  values (
      p_space_id, p_server ->> 'name', p_server -> 'definition', 1, p_moment, p_moment,
      p_moment + make_interval(secs => p_pauses[1]), p_server ->> 'message')
  on conflict (space_id, name) do update set definition = excluded.definition, failed_at = p_moment,
    error = excluded.error, failures = case when f.definition = excluded.definition then f.failures + 1 else 1 end,
    failing_since = case when f.definition = excluded.definition then f.failing_since else p_moment end,
    paused_until = p_moment + make_interval(secs => p_pauses[case when f.definition = excluded.definition
      then least(f.failures + 1, cardinality(p_pauses)) else 1 end])
    where f.paused_until <= p_moment or f.definition <> excluded.definition
  returning f.* into failure;
  return failure;
end $$;

-- Forgets the failures of servers that answer again.
create function turnpike.forget_server_failures(p_space_id bigint, p_names text[]) returns void language plpgsql as $$
begin
  delete from mcp_server_failures f where f.space_id = p_space_id and f.name = any (p_names);
end $$;
