-- phase: before-deploy
-- transaction: none
-- What admission counts of a configuration. Workers of the former release leave it as it is when they write another version, which
-- the version in it tells. As src/spaces/prompt-facts.sql counts it.
alter table spaces add column if not exists prompt_facts jsonb, add column if not exists mcp_tokens jsonb not null default '{}';

create index concurrently spaces_not_counted on spaces (space_id) where prompt_facts is null;

-- batch
update spaces s set prompt_facts = jsonb_strip_nulls(
    jsonb_build_object('version', s.config_version, 'model', s.manifest -> 'model', 'answer', s.manifest -> 'max_output_tokens',
      'history', s.manifest -> 'history', 'builtin', s.manifest -> 'builtin_tools',
      'system', nullif(octet_length(s.manifest ->> 'instructions'), 0))
    || (select jsonb_build_object('tools', nullif(count(*), 0), 'tool_bytes', sum(octet_length(jsonb_build_object('name', t.key,
        'description', t.value -> 'description', 'inputSchema', t.value -> 'input_schema')::text))) from jsonb_each(s.tools) t)
    || (select jsonb_build_object('agents', nullif(count(*), 0),
        'agent_bytes', sum(2 * octet_length(a ->> 'name') + octet_length((a -> 'description')::text)))
      from jsonb_array_elements(s.manifest -> 'subagents') a)
    || (select jsonb_build_object('unlisted', nullif(count(*), 0)) from jsonb_object_keys(s.mcp_servers)))
  where s.space_id in (select n.space_id from spaces n where n.prompt_facts is null order by n.space_id limit 100);

drop index concurrently if exists spaces_not_counted;
