-- Stores the tools that MCP servers listed in a run or a check: their token counts and their pins. In a pin,
-- `tools` is the first listing, `seen` a later listing that differs from it, and `speaks` the server's MCP
-- revision, unless it is an early one. Skips servers whose definition has changed since the listing. Returns true
-- if it wrote something.
create function turnpike.note_listing(p_space_id bigint, p_servers jsonb, p_tokens jsonb, p_pins jsonb, p_speaks jsonb)
returns boolean language plpgsql as $$
declare
  space spaces;
  tokens jsonb;
  pins jsonb;
begin
  select s.* into space from spaces s where s.space_id = p_space_id for no key update;
  select coalesce(jsonb_object_agg(l.key, l.value), '{}') into tokens
    from jsonb_each(p_tokens) l
    where space.mcp_servers -> l.key = p_servers -> l.key and space.mcp_tokens -> l.key is distinct from l.value;
  pins := turnpike.pins_of(space, space.mcp_servers);
  select pins || coalesce(jsonb_object_agg(l.key, jsonb_build_object('of', md5((p_servers -> l.key)::text),
      'tools', coalesce(pins -> l.key -> 'tools', l.value))
      || case when pins -> l.key -> 'tools' <> l.value then jsonb_build_object('seen', l.value) else '{}' end
      || case when p_speaks ? l.key then jsonb_build_object('speaks', p_speaks -> l.key) else '{}' end), '{}')
    into pins
    from jsonb_each(p_pins) l
    where space.mcp_servers -> l.key = p_servers -> l.key;
  if (tokens = '{}' and pins = space.mcp_pins) is true then
    return false;
  end if;
  space.mcp_tokens := space.mcp_tokens || tokens;
  space.mcp_pins := pins;
  update spaces s set mcp_tokens = space.mcp_tokens, mcp_pins = pins, prompt_facts = turnpike.prompt_facts(space)
    where s.space_id = p_space_id;
  return true;
end $$;
