-- The sealed environment file of the engines, or null. Every statement that can precede a model call selects it.
create function turnpike.engine_keys() returns text language sql stable as $$
  select e.sealed from environment_files e where e.file = 'engines'
$$;

-- A key of an environment file in answers to operators, without its value.
create type turnpike.environment_key_answer as (
  file text,
  key text,
  version integer,
  set_at timestamptz, -- null: it has no value
  updated_at timestamptz,
  updated_by bigint, -- null: the command line
  updated_by_name text -- null
);

-- Returns null if the key was never set.
create function turnpike.environment_key_answer_of(p_file text, p_key text) returns turnpike.environment_key_answer
language sql stable as $$
  select (k.file, k.key, k.version, k.set_at, k.updated_at, k.updated_by, u.name)::turnpike.environment_key_answer
    from environment_keys k
      left join users u on u.user_id = k.updated_by
    where k.file = p_file and k.key = p_key
$$;

-- Saves an environment file in which an admin set or unset one key, with an audit entry that never contains the value.
-- p_sealed: the new sealed document; null if nothing changes. p_is_set: false if the key has no value in it.
-- p_made_from: the version of the document on which the change is based; 0 for a new document.
-- refused: admin, stale, or raced: another request changed the document, so the caller must read it again.
create function turnpike.put_environment_key(p_request turnpike.request,
  p_file text, p_key text, p_sealed text, p_is_set boolean, p_made_from integer, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.environment_key_answer)
language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  current_version integer;
  former integer;
begin
  {{admin.opens row}}
  -- An advisory lock, because a file without keys has no row to lock.
  perform pg_advisory_xact_lock(hashtext('environment_file'), hashtext(p_file));
  current_version := coalesce((select e.version from environment_files e where e.file = p_file), 0);
  former := coalesce((select k.version from environment_keys k where k.file = p_file and k.key = p_key), 0);
  if current_version is distinct from p_made_from then
    refused := 'raced';
  elsif turnpike.is_stale(p_if_version, former) then
    refused := 'stale';
  elsif p_sealed is not null then
    insert into environment_files as e (file, sealed)
      values (p_file, p_sealed)
      on conflict (file) do update set sealed = excluded.sealed, version = e.version + 1;
    insert into environment_keys as k (file, key, set_at, updated_at, updated_by)
      values (p_file, p_key, case when p_is_set then p_request.moment end, p_request.moment, (admin.caller).user_id)
      on conflict (file, key) do update set version = k.version + 1, updated_at = excluded.updated_at,
        updated_by = excluded.updated_by, set_at = case when p_is_set then coalesce(k.set_at, excluded.set_at) end;
    perform turnpike.note_change((admin.caller).user_id,
      case when p_is_set then 'api_key.update' else 'api_key.unset' end, 'external_api_key', p_file || '.' || p_key,
      jsonb_build_object('version', former), jsonb_build_object('version', former + 1), p_request.request_id,
      p_request.address, p_request.moment);
  end if;
  entity := turnpike.environment_key_answer_of(p_file, p_key);
  {{admin.closes row}}
end $$;

-- Replaces p_old with the same document, sealed with a newer key. Returns false, and changes nothing, if the document
-- is no longer p_old.
create function turnpike.reseal_environment(p_file text, p_old text, p_sealed text) returns boolean
language plpgsql as $$
begin
  update environment_files e set sealed = p_sealed where e.file = p_file and e.sealed = p_old;
  return found;
end $$;
