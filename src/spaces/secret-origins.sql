-- Where a configuration sends secrets. A reference is {{secrets.NAME}}, whatever blanks there are in the braces: what else stands there was
-- refused when the entry was put. An origin is scheme and host as they are written: another spelling counts as another origin.

-- Whether tools or MCP servers, an object by name or one of them, send any secret.
create function turnpike.sends_secret(p_entries jsonb) returns boolean language sql immutable as $$
  select coalesce(p_entries::text, '') ~ '\{\{[^{}]*secrets\.'
$$;

-- The secrets that a tool or an MCP server names.
create function turnpike.secrets_in(p_entry jsonb) returns setof text language sql immutable as $$
  select distinct m[1] from regexp_matches(p_entry::text, '\{\{[^{}]*secrets\.([A-Za-z_][A-Za-z0-9_]*)', 'g') m
$$;

create function turnpike.origin_of(p_entry jsonb) returns text language sql immutable as $$
  select lower(substring(coalesce(p_entry -> 'request' ->> 'url', p_entry ->> 'url') from '^[A-Za-z]+://[^/?#\\]*'))
$$;

-- Whether a tool or an MCP server would send a secret to an origin to which no version of the space's configuration that is kept sends
-- it. So an edit of a tool that is there asks for nothing, and no list of origins grows.
create function turnpike.sends_anew(p_space_id bigint, p_entry jsonb) returns boolean language plpgsql stable as $$
begin
  if not turnpike.sends_secret(p_entry) then
    return false;
  end if;
  return exists (select from turnpike.secrets_in(p_entry) n (name)
    where not exists (select from config_parts p
      where p.space_id = p_space_id and p.kind in ('tool', 'mcp_server') and turnpike.origin_of(p.part) = turnpike.origin_of(p_entry)
        and n.name in (select turnpike.secrets_in(p.part))));
end $$;
