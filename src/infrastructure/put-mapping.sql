-- A container mapping in answers to operators, without the values of its headers.
create type turnpike.mapping_answer as (
  container text,
  space text,
  url text,
  header_names text[],
  enabled boolean,
  version integer,
  created_at timestamptz,
  updated_at timestamptz,
  updated_by bigint, -- null: the command line
  updated_by_name text -- null
);

-- Returns null if the mapping does not exist.
create function turnpike.mapping_answer_of(p_space_id bigint, p_container text) returns turnpike.mapping_answer
language sql stable as $$
  select (m.container, s.slug, m.url, array(select jsonb_array_elements_text(m.header_names)), m.enabled, m.version,
    m.created_at, m.updated_at, m.updated_by, u.name)::turnpike.mapping_answer
    from container_mappings m
      join spaces s on s.space_id = m.space_id
      left join users u on u.user_id = m.updated_by
    where m.space_id = p_space_id and m.container = p_container
$$;

-- A URL without its query, which can contain credentials.
create function turnpike.shown_url(p_url text) returns text language sql immutable as $$
  select regexp_replace(p_url, '[?#].*$', '?…')
$$;

-- The fields of a mapping that the audit log records. Headers are left out, because they can contain credentials.
create function turnpike.mapping_facts(mapping container_mappings) returns jsonb language sql immutable as $$
  select to_jsonb(mapping) - 'headers' || jsonb_build_object('url', turnpike.shown_url(mapping.url))
$$;

-- True if two URLs certainly have the same scheme, host and port.
create function turnpike.is_same_server(p_url text, p_other text) returns boolean language sql immutable as $$
  select coalesce(substring(lower(p_url collate "C") from '^https?://[^/?#\\]+') = substring(lower(p_other collate "C")
    from '^https?://[^/?#\\]+'), false)
$$;

-- Maps a space to a container for an admin, and writes an audit entry.
-- p_headers: the sealed headers. p_header_names: their names. p_keeps_headers: ignores both and keeps the stored ones.
-- p_enabled: null leaves it; a new mapping is enabled.
-- refused: admin, stale, no_space, none_yet (If-Match has a version, but the mapping does not exist), other_server
-- (stored headers would be sent to a server for which they were not set).
create function turnpike.put_mapping(p_request turnpike.request,
  p_container text, p_space text, p_url text, p_keeps_headers boolean, p_headers text, p_header_names jsonb,
  p_enabled boolean, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.mapping_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  id bigint;
  was container_mappings;
  put container_mappings;
begin
  {{admin.opens row}}
  -- An advisory lock, because a new mapping has no row to lock.
  perform pg_advisory_xact_lock(hashtext('container_mapping'), hashtext(p_space || ' ' || p_container));
  select s.space_id into id from spaces s where s.slug = p_space limit 1;
  select m.* into was from container_mappings m where m.space_id = id and m.container = p_container limit 1;
  put := was;
  put.url := p_url;
  put.enabled := coalesce(p_enabled, was.enabled, true);
  if not p_keeps_headers then
    put.headers := p_headers;
    put.header_names := p_header_names;
  end if;
  if id is null then
    refused := 'no_space';
  elsif turnpike.is_stale(p_if_version, coalesce(was.version, 0)) then
    refused := case when was.mapping_id is null then 'none_yet' else 'stale' end;
  elsif p_keeps_headers and was.header_names <> '[]' and not turnpike.is_same_server(was.url, p_url) then
    refused := 'other_server';
  elsif put is distinct from was then
    insert into container_mappings as m (
        container, space_id, url, headers, header_names, enabled, created_at,
        updated_at, updated_by)
    values (
        p_container, id, put.url, put.headers, coalesce(put.header_names, '[]'), put.enabled, p_request.moment,
        p_request.moment, (admin.caller).user_id)
    on conflict (space_id, container) do update set url = excluded.url, headers = excluded.headers,
      header_names = excluded.header_names, enabled = excluded.enabled, updated_at = excluded.updated_at,
      updated_by = excluded.updated_by, version = m.version + 1
    returning m.* into put;
    perform turnpike.note_change((admin.caller).user_id, 'container_mapping.put', 'container_mapping',
      p_space || '/' || p_container, case when was.mapping_id is not null then turnpike.mapping_facts(was) end,
      turnpike.mapping_facts(put), p_request.request_id, p_request.address, p_request.moment);
  end if;
  entity := turnpike.mapping_answer_of(id, p_container);
  {{admin.closes row}}
end $$;

-- Removes the mapping of a space to a container for an admin, with its headers. Turns that are claimed later do not get
-- the tools of the container.
-- refused: admin, stale, not_found.
create function turnpike.remove_mapping(p_request turnpike.request,
  p_container text, p_space text, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.mapping_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was container_mappings;
begin
  {{admin.opens row}}
  perform pg_advisory_xact_lock(hashtext('container_mapping'), hashtext(p_space || ' ' || p_container));
  select m.* into was
    from container_mappings m
      join spaces s on s.space_id = m.space_id
    where s.slug = p_space and m.container = p_container
    for no key update of m;
  entity := turnpike.mapping_answer_of(was.space_id, p_container);
  if was.mapping_id is null then
    refused := 'not_found';
  elsif turnpike.is_stale(p_if_version, was.version) then
    refused := 'stale';
  else
    delete from container_mappings m where m.mapping_id = was.mapping_id;
    perform turnpike.note_change((admin.caller).user_id, 'container_mapping.remove', 'container_mapping',
      p_space || '/' || p_container, turnpike.mapping_facts(was), null, p_request.request_id, p_request.address,
      p_request.moment);
  end if;
  {{admin.closes row}}
end $$;

-- A container of a space, as turns use it.
create type turnpike.mapped_container as (
  container text,
  url text,
  -- A sealed JSON object.
  headers text -- null: no headers
);

-- The enabled containers of a space.
create function turnpike.containers_of(p_space_id bigint) returns turnpike.mapped_container[] language sql stable as $$
  select array(select (m.container, m.url, m.headers)::turnpike.mapped_container
    from container_mappings m where m.space_id = p_space_id and m.enabled order by m.container)
$$;

-- Replaces p_old with the same headers, sealed with a newer key. Returns false, and changes nothing, if the headers are
-- no longer p_old.
create function turnpike.reseal_container(p_space text, p_container text, p_old text, p_sealed text) returns boolean
language plpgsql as $$
begin
  update container_mappings m set headers = p_sealed
    from spaces s
    where s.slug = p_space and m.space_id = s.space_id and m.container = p_container and m.headers = p_old;
  return found;
end $$;
