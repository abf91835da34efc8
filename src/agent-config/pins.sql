-- The pins of a space's MCP servers whose definitions are equal to those in p_servers.
create function turnpike.pins_of(space spaces, p_servers jsonb) returns jsonb language plpgsql immutable as $$
begin
  if p_servers = '{}' or space.mcp_pins = '{}' then
    return '{}';
  end if;
  return (select coalesce(jsonb_object_agg(p.key, p.value), '{}') from jsonb_each(space.mcp_pins) p
    where p.value ->> 'of' = md5((p_servers -> p.key)::text));
end $$;
