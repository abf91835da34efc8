-- The facts about a space's configuration that acceptance needs: counts and bytes that bound its first prompt, and
-- settings. src/turns/first-call.ts adds the rest of the prompt. Every write of the configuration stores them as
-- `prompt_facts`, so accepting a turn never reads the configuration. An absent key means none. The keys are:
-- - model, answer (max_output_tokens), history {max_turns, max_tokens}, builtin (names), tier (service_tier)
-- - system (bytes of the instructions), tools, tool_bytes, agents, agent_bytes
-- - listed (tokens of listed MCP tools), unlisted (number of servers that were never listed)
-- - mode (of the tools), pinned (number of MCP tools as they were pinned), group_bytes (of their servers' names, and of
--   the names of REST tools)
-- - form (bytes of the response format)
-- - note (bytes of the names and defaults of variables), profile (true: a turn may use its end user's profile)
create function turnpike.prompt_facts(space spaces) returns jsonb language plpgsql stable as $$
begin
  return jsonb_strip_nulls(
    jsonb_build_object('model', space.manifest -> 'model',
      'answer', space.manifest -> 'max_output_tokens', 'history', space.manifest -> 'history',
      'builtin', space.manifest -> 'builtin_tools', 'tier', space.manifest -> 'service_tier', 'mode',
      space.manifest -> 'tools' -> 'mode', 'system', nullif(octet_length(space.manifest ->> 'instructions'), 0))
    -- jsonb as text is never shorter than the output of JSON.stringify.
    || (select jsonb_build_object('tools', nullif(count(*), 0), 'tool_bytes',
      sum(octet_length(jsonb_build_object('name', t.key,
        'description', t.value -> 'description', 'inputSchema', t.value -> 'input_schema')::text)))
          from jsonb_each(space.tools) t)
    -- The description of the tool `delegate` contains the name and description of each sub-agent. Its schema
    -- repeats the names.
    || (select jsonb_build_object('agents', nullif(count(*), 0),
        'agent_bytes', sum(2 * octet_length(a ->> 'name') + octet_length((a -> 'description')::text)))
      from jsonb_array_elements(space.manifest -> 'subagents') a)
    || (select jsonb_build_object('listed', sum((space.mcp_tokens ->> s)::bigint),
        'unlisted', nullif(count(*) filter (where not space.mcp_tokens ? s), 0))
          from jsonb_object_keys(space.mcp_servers) s)
    || (select jsonb_build_object('pinned', nullif(count(*), 0))
          from jsonb_each(turnpike.pins_of(space, space.mcp_servers)) p, jsonb_object_keys(p.value -> 'tools'))
    || (select jsonb_build_object('group_bytes', sum(octet_length(n) + 2))
          from (select jsonb_object_keys(space.mcp_servers) union all select jsonb_object_keys(space.tools)) s (n))
    || jsonb_build_object('form', case when space.manifest -> 'response_format' ->> 'type' <> 'text' then
        octet_length((space.manifest -> 'response_format')::text) end)
    || jsonb_build_object('note', turnpike.variable_bytes(space),
        'profile', nullif(concat(space.manifest, space.tools, space.mcp_servers) ~ '\{\{\s*profile\.', false)));
end $$;

-- Returns the bytes that the variables of a space's agent add to the note of their values, apart from the values
-- (src/agent-config/variables.ts); null without variables. An escape makes at most six bytes of one.
create function turnpike.variable_bytes(space spaces) returns bigint language plpgsql stable as $$
declare
  texts text := concat_ws(' ', space.manifest ->> 'instructions',
    (select string_agg(a ->> 'description', ' ') from jsonb_array_elements(space.manifest -> 'subagents') a),
    (select string_agg(t.value ->> 'description', ' ') from jsonb_each(space.tools) t));
begin
  return (select sum(6 * octet_length(v.named[1])) from regexp_matches(texts, '\{\{[^{}]*\}\}', 'g') v (named));
end $$;
