-- The origins to which a configuration sends secrets. A reference is {{secrets.NAME}}, with any whitespace in the
-- braces. An invalid reference was already rejected when the entry was put. An origin is scheme and host as
-- written: another spelling is another origin.

-- True if tools or MCP servers send any secret. p_entries is one entry, or an object of entries by name.
create function turnpike.sends_secret(p_entries jsonb) returns boolean language sql immutable as $$
  select coalesce(p_entries::text, '') ~ '\{\{[^{}]*secrets\.'
$$;

-- The names of the secrets in a tool or an MCP server.
create function turnpike.secrets_in(p_entry jsonb) returns setof text language sql immutable as $$
  select distinct m[1] from regexp_matches(p_entry::text, '\{\{[^{}]*secrets\.([A-Za-z_][A-Za-z0-9_]*)', 'g') m
$$;

create function turnpike.origin_of(p_entry jsonb) returns text language sql immutable as $$
  select lower(substring(coalesce(p_entry -> 'request' ->> 'url', p_entry ->> 'url')
    from '^[A-Za-z]+://[^/?#\\]*') collate "C")
$$;

-- True if a tool or an MCP server would call an origin that no stored version of the configuration calls. Also if it
-- would send a secret to one to which none sends it. So an edit of an existing tool needs no proof of identity, and no
-- list of origins has to be stored.
create function turnpike.sends_anew(p_space_id bigint, p_entry jsonb) returns boolean language plpgsql stable as $$
begin
  if turnpike.origin_of(p_entry) is null then
    return false;
  end if;
  if not exists (select from config_parts p where p.space_id = p_space_id and p.kind in ('tool', 'mcp_server')
    and turnpike.origin_of(p.part) = turnpike.origin_of(p_entry))
  then
    return true;
  end if;
  return exists (select from turnpike.secrets_in(p_entry) n (name)
    where not exists (select from config_parts p
      where p.space_id = p_space_id and p.kind in ('tool', 'mcp_server')
        and turnpike.origin_of(p.part) = turnpike.origin_of(p_entry)
        and n.name in (select turnpike.secrets_in(p.part))));
end $$;
