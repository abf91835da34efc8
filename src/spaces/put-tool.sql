-- Tools and MCP servers are entries by name in the column p_column: tools or mcp_servers. p_change is the name of the
-- change in the version's record.

-- Adds or replaces an entry, as a new version of the configuration. An equal entry changes nothing, except for an MCP
-- server whose tools have changed: then its latest listing is pinned.
-- refused: not_found, role, archived, limit (reached: the limit), or
-- - proof: turns would call a new origin, a secret would go to one, or a call would no longer wait for a decision. The
--   caller has no fresh proof
-- - too_many: the space already has p_max entries
-- - too_large: all entries together have more than p_max_bytes of JSON
create function turnpike.put_entry(p_request turnpike.request,
  p_slug text, p_column text, p_change text, p_name text, p_entry jsonb, p_max integer, p_max_bytes integer,
  out actor turnpike.caller, out refused text, out reached turnpike.count_state) language plpgsql as $$
declare
  caller turnpike.caller;
  space spaces;
  entries jsonb;
  accepts boolean;
begin
  {{caller.opens}}
  space := turnpike.lock_space(caller, p_slug);
  refused := turnpike.change_refusal(p_request, caller, space);
  if refused is null then
    entries := case p_column when 'tools' then space.tools else space.mcp_servers end;
    accepts := p_column = 'mcp_servers' and entries -> p_name = p_entry
      and turnpike.pins_of(space, entries) -> p_name ? 'seen';
    if accepts then
      space.mcp_pins := jsonb_set(space.mcp_pins, array[p_name],
        jsonb_build_object('of', space.mcp_pins -> p_name -> 'of', 'tools', space.mcp_pins -> p_name -> 'seen'));
    end if;
    if accepts or entries -> p_name is distinct from p_entry then
      if not coalesce(entries ? p_name, false) and (select count(*) from jsonb_object_keys(entries)) >= p_max then
        refused := 'too_many';
      elsif (octet_length((entries - p_name)::text) + octet_length(p_entry::text) <= p_max_bytes) is not true then
        refused := 'too_large';
      elsif turnpike.lacks_proof(caller, p_request.moment) and (turnpike.sends_anew(space.space_id, p_entry)
        or turnpike.entry_asks_less(space.space_id, case p_column when 'tools' then 'tool' else 'mcp_server' end,
          p_name, p_entry))
      then
        refused := 'proof';
      else
        reached := turnpike.config_limit(space);
        refused := case when reached.cap is not null then 'limit' end;
      end if;
      if refused is null then
        perform turnpike.change_entries(p_request, caller, space, p_column,
          entries || jsonb_build_object(p_name, p_entry), p_change);
      end if;
    end if;
  end if;
  {{caller.closes}}
end $$;

-- Removes an entry, as a new version of the configuration. refused: not_found, role, archived, no_entry.
create function turnpike.remove_entry(p_request turnpike.request,
  p_slug text, p_column text, p_change text, p_name text,
  out actor turnpike.caller, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
  space spaces;
  entries jsonb;
begin
  {{caller.opens}}
  space := turnpike.lock_space(caller, p_slug);
  refused := turnpike.change_refusal(p_request, caller, space);
  if refused is null then
    entries := case p_column when 'tools' then space.tools else space.mcp_servers end;
    if entries ? p_name then
      perform turnpike.change_entries(p_request, caller, space, p_column, entries - p_name, p_change);
    else
      refused := 'no_entry';
    end if;
  end if;
  {{caller.closes}}
end $$;

create function turnpike.change_entries(p_request turnpike.request, caller turnpike.caller, space spaces,
  p_column text, p_entries jsonb, p_change text) returns void language plpgsql as $$
begin
  if p_column = 'tools' then
    space.tools := p_entries;
  else
    -- A changed or removed server loses its token count.
    space.mcp_tokens := (select coalesce(jsonb_object_agg(k.key, k.value), '{}') from jsonb_each(space.mcp_tokens) k
      where space.mcp_servers -> k.key = p_entries -> k.key);
    space.mcp_pins := turnpike.pins_of(space, p_entries);
    space.mcp_servers := p_entries;
  end if;
  perform turnpike.change_config(p_request, caller, space, p_change);
end $$;
