-- Whether a change of the configuration lets an agent act without asking. An approval is 'never' (also null), 'always',
-- or {when: schema}. Whether one schema asks more often than another is not known, so another schema is looser.

create function turnpike.is_looser_approval(p_was jsonb, p_wanted jsonb) returns boolean language sql immutable as $$
  select coalesce(p_was, '"never"') <> '"never"' and p_wanted is distinct from p_was and p_wanted is distinct
    from '"always"'
$$;

-- True if a tool, an MCP server or a manifest asks less often than before: for all of its tools (approval), or for one
-- of them by name (approvals).
create function turnpike.asks_less(p_was jsonb, p_wanted jsonb) returns boolean language sql immutable as $$
  select turnpike.is_looser_approval(p_was -> 'approval', p_wanted -> 'approval')
    or exists (select
      from jsonb_object_keys(coalesce(p_was -> 'approvals', '{}') || coalesce(p_wanted -> 'approvals', '{}')) k (name)
      where turnpike.is_looser_approval(coalesce(p_was -> 'approvals' -> k.name, p_was -> 'approval'),
        coalesce(p_wanted -> 'approvals' -> k.name, p_wanted -> 'approval')))
$$;

-- True if an entry asks less often than its latest stored version, also if it was deleted since. The same if it makes a
-- request that its latest version did not make, to an origin at which another entry asks more.
create function turnpike.entry_asks_less(p_space_id bigint, p_kind text, p_name text, p_entry jsonb) returns boolean
language plpgsql stable as $$
declare
  latest jsonb;
begin
  select p.part into latest
    from config_parts p
    where p.space_id = p_space_id and p.kind = p_kind and p.name = p_name
    order by p.from_version desc limit 1;
  if turnpike.asks_less(latest, p_entry) then
    return true;
  end if;
  return coalesce(latest -> 'request', latest -> 'url') is distinct
    from coalesce(p_entry -> 'request', p_entry -> 'url')
    and exists (select from config_parts p where p.space_id = p_space_id and p.kind in ('tool', 'mcp_server')
      and turnpike.origin_of(p.part) = turnpike.origin_of(p_entry) and turnpike.asks_less(p.part, p_entry));
end $$;
