-- Records an upload before its first byte is stored, unless the Idempotency-Key was already used (already).
-- refused: not_found, archived, limit (reached: the limit).
create function turnpike.begin_upload(p_request turnpike.request,
  p_once_key text, p_space text, p_file_id text, p_name text, p_media_type text, p_object_key text,
  out actor turnpike.caller, out already turnpike.earlier_request, out refused text, out reached turnpike.count_state)
language plpgsql as $$
declare
  caller turnpike.caller;
  space spaces;
begin
  {{caller.opens}}
  already := turnpike.used_key(caller, p_once_key);
  if already.resource_id is null then
    space := turnpike.find_space(caller, p_space);
    refused := turnpike.space_refusal(space);
    if refused is null then
      -- The lock keeps two concurrent calls from taking the last place.
      perform from users u where u.user_id = space.user_id for no key update;
      reached := coalesce(turnpike.over_limit('files', space.user_id, 1),
        turnpike.over_limit('file_bytes', space.user_id, 1));
      refused := case when reached.cap is not null then 'limit' end;
    end if;
    if refused is null then
      insert into files (
          file_id, user_id, space_id, test, key_id,
          member_id, name, media_type, object_key,
          state, created_at, updated_at)
      values (
          p_file_id, space.user_id, space.space_id, space.test, caller.key_id,
          case when space.user_id <> caller.user_id then caller.user_id end, p_name, p_media_type, p_object_key,
          'uploading', p_request.moment, p_request.moment);
    end if;
  end if;
  {{caller.closes}}
end $$;

-- Turns an upload whose bytes are stored into a file of its space. p_space: the space's slug.
-- refused: too_late (the upload was marked as abandoned), limit.
create function turnpike.finish_upload(p_request turnpike.request,
  p_once_key text, p_fingerprint text, p_space text, p_file_id text, p_bytes bigint, p_sha256 text,
  out actor turnpike.caller, out already turnpike.earlier_request, out file files, out refused text,
    out reached turnpike.count_state) language plpgsql as $$
declare
  caller turnpike.caller;
  ready files;
begin
  {{caller.opens}}
  already := turnpike.used_key(caller, p_once_key);
  if already.resource_id is null then
    select f.* into ready from files f where f.file_id = p_file_id for no key update;
    perform from users u where u.user_id = ready.user_id for no key update;
    reached := turnpike.over_limit('file_bytes', ready.user_id, p_bytes);
    update files f set state = 'ready', bytes = p_bytes, sha256 = p_sha256, updated_at = p_request.moment
      where f.file_id = p_file_id and f.state = 'uploading'
        and f.space_id = (turnpike.find_space(caller, p_space)).space_id
        and reached.cap is null
      returning f.* into ready;
    if found then
      perform turnpike.note_key(caller, p_once_key, p_fingerprint, p_file_id, p_request.moment);
      file := ready;
    else
      refused := case when reached.cap is not null then 'limit' else 'too_late' end;
    end if;
  end if;
  {{caller.closes}}
end $$;

-- The limit that keeps an account from storing another file of this size; null if there is room. Takes no lock.
create function turnpike.file_limit(p_user_id bigint, p_bytes bigint) returns turnpike.count_state
language plpgsql as $$
begin
  return coalesce(turnpike.over_limit('files', p_user_id, 1), turnpike.over_limit('file_bytes', p_user_id, p_bytes));
end $$;

-- Marks a failed upload as deleted, even if the sweeper already did: an object may have been stored since then. With
-- p_keep_ready, an upload that is ready is kept, because only the response that made it ready was lost.
-- The caller may have lost its rights during the upload, but the upload must be its own.
-- Returns true if the object must be removed.
create function turnpike.give_up_upload(p_request turnpike.request, p_file_id text, p_keep_ready boolean,
  out actor turnpike.caller, out given_up boolean) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  caller := turnpike.find_caller(p_request);
  actor := caller;
  update files f set state = 'deleted', object_removed_at = null, updated_at = p_request.moment
    where f.file_id = p_file_id and coalesce(f.member_id, f.user_id) = caller.user_id and f.key_id is not distinct
      from caller.key_id
      and not (p_keep_ready and f.state = 'ready');
  given_up := found;
end $$;
