-- The shared parts of every change of a space's configuration. The space's row is locked first, so concurrent changes
-- create one version each, one after the other. Accepting turns and files does not wait for this lock.

-- The space that a caller may use (find_space), locked, and read after the lock was acquired.
create function turnpike.lock_space(caller turnpike.caller, p_slug text) returns spaces language plpgsql as $$
declare
  space spaces := turnpike.find_space(caller, p_slug);
begin
  select s.* into space from spaces s where s.space_id = space.space_id limit 1 for no key update;
  return space;
end $$;

-- Why a caller cannot change the space that find_space returned: not_found, role, archived, or stale if its
-- configuration has another version than the request names; null if they can.
create function turnpike.change_refusal(p_request turnpike.request, caller turnpike.caller, space spaces) returns text
language plpgsql stable as $$
declare
  refusal text := turnpike.space_refusal(space);
begin
  if space.user_id is not null and space.user_id is distinct from caller.user_id
    and turnpike.role_in(caller, space) is distinct from 'admin' then
    return 'role';
  end if;
  if refusal is null and coalesce(p_request.if_config <> space.config_version, false) then
    return 'stale';
  end if;
  return refusal;
end $$;

-- The first of these pins that is not an enabled chat model. Else p_image, if it is given and is not an enabled
-- image model. Else null.
create function turnpike.unknown_pin(p_pins text[], p_image text) returns text language plpgsql stable as $$
declare
  wanted text;
begin
  foreach wanted in array p_pins loop
    perform from model_catalog c where c.pin = wanted and c.enabled and c.kind = 'chat' limit 1;
    if not found then
      return wanted;
    end if;
  end loop;
  if p_image is not null then
    perform from model_catalog c where c.pin = p_image and c.enabled and c.kind = 'image' limit 1;
    if not found then
      return p_image;
    end if;
  end if;
  return null;
end $$;

-- Writes a space's configuration as a new version. p_change names the change, such as tools/lookup_order. The
-- space's row must be locked.
create function turnpike.change_config(p_request turnpike.request, caller turnpike.caller, changed spaces,
  p_change text) returns spaces language plpgsql as $$
begin
  changed.config_version := changed.config_version + 1;
  changed.config_change := p_change;
  changed.updated_at := p_request.moment;
  perform turnpike.keep_config(changed);
  perform turnpike.drop_versions(changed, turnpike.limit_of('kept_versions')::integer);
  -- Unchanged parts keep their stored value, so that large values are not written again.
  update spaces s set model = changed.model,
    manifest = case when s.manifest = changed.manifest then s.manifest else changed.manifest end,
    tools = case when s.tools = changed.tools then s.tools else changed.tools end,
    mcp_servers = case when s.mcp_servers = changed.mcp_servers then s.mcp_servers else changed.mcp_servers end,
    mcp_tokens = changed.mcp_tokens, mcp_pins = changed.mcp_pins, prompt_facts = turnpike.prompt_facts(changed),
    config_version = changed.config_version, config_change = p_change, updated_at = p_request.moment
    where s.space_id = changed.space_id
    returning s.* into changed;
  perform turnpike.note_own_change(p_request, turnpike.in_space_of(caller, changed.user_id), 'space.config', 'space',
    changed.slug, jsonb_build_object('version', changed.config_version - 1),
    jsonb_build_object('version', changed.config_version, 'change', p_change));
  return changed;
end $$;

-- The title and metadata of a space, for the audit log. Versions have its configuration.
create function turnpike.space_facts(s spaces) returns jsonb language sql immutable as $$
  select jsonb_build_object('title', s.title, 'metadata', s.metadata, 'test', s.test)
$$;

-- Stores the space's current version, because a turn uses the version with which it started until it ends.
create function turnpike.keep_config(space spaces) returns void language plpgsql as $$
begin
  insert into space_configs (
      space_id, version, change, model, manifest, tools,
      mcp_servers, created_at)
  values (
      space.space_id, space.config_version, space.config_change, space.model, space.manifest, space.tools,
      space.mcp_servers, space.updated_at);
  perform turnpike.count_config(space.user_id, (select coalesce(sum(p.bytes), 0) from config_parts p
    where p.space_id = space.space_id and p.until_version is null and p.from_version = space.config_version));
end $$;

-- Deletes all but the newest p_keep versions of a space, and the parts that only the deleted versions used.
-- Versions that open turns use, and all newer ones, are kept. The space's row must be locked.
create function turnpike.drop_versions(space spaces, p_keep integer) returns void language plpgsql as $$
declare
  oldest integer := space.config_version - p_keep + 1;
  dropped bigint;
begin
  if oldest <= 1
    or not exists (select from config_versions v where v.space_id = space.space_id and v.version < oldest limit 1) then
    return;
  end if;
  oldest := least(oldest, (select min(t.config_version) from open_turns o join turns t on t.turn_id = o.turn_id
    where o.user_id = space.user_id and o.test = space.test and t.space_id = space.space_id));
  delete from config_versions v where v.space_id = space.space_id and v.version < oldest;
  with gone as (delete from config_parts p where p.space_id = space.space_id and p.until_version <= oldest
    returning p.bytes)
    select coalesce(sum(g.bytes), 0) into dropped
    from gone g;
  perform turnpike.count_config(space.user_id, -dropped);
end $$;

-- Adds p_bytes, which can be negative, to an account's bytes of configuration. The row is locked after the space's row.
create function turnpike.count_config(p_user_id bigint, p_bytes bigint) returns void language plpgsql as $$
begin
  if p_bytes <> 0 then
    insert into account_storage as a (user_id, config_bytes)
      values (p_user_id, greatest(0, p_bytes))
      on conflict (user_id) do update set config_bytes = greatest(0, a.config_bytes + p_bytes);
  end if;
end $$;

-- The limit that keeps the account from storing more configuration; null if there is room. At the limit, only the last
-- ten versions of this space are kept. The space's row must be locked.
create function turnpike.config_limit(space spaces) returns turnpike.count_state language plpgsql as $$
begin
  if (turnpike.over_limit('config_bytes', space.user_id, 1)).cap is null then
    return null;
  end if;
  perform turnpike.drop_versions(space, 10);
  return turnpike.over_limit('config_bytes', space.user_id, 1);
end $$;
