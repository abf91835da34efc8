-- Deletes a file that the caller can access. Its bytes are removed later. A member of the space can delete files
-- that they uploaded or that the agent created in their turns, and an admin of the space can delete any file. slug:
-- the space's slug.
-- refused: not_found (or already deleted), role.
create function turnpike.delete_file(p_request turnpike.request, p_file_id text,
  out actor turnpike.caller, out file files, out slug text, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
  gone files;
  space spaces;
  role text;
begin
  {{caller.opens}}
  select f.* into gone from files f where f.file_id = p_file_id limit 1;
  select s.* into space from spaces s where s.space_id = gone.space_id limit 1;
  if turnpike.in_scope(caller, space.user_id, space.test, space.created_by_key_id, space.space_id) is not true then
    role := turnpike.role_in(caller, space);
    refused := case when role is null or gone.state <> 'ready' then 'not_found'
      when role is not distinct from 'member' and gone.member_id is distinct from caller.user_id and not exists (
        select from turns t where t.turn_id = gone.turn_id and t.member_id = caller.user_id) then 'role' end;
  end if;
  if refused is null then
    update files f set state = 'deleted', updated_at = p_request.moment
      where f.file_id = p_file_id and f.state = 'ready'
      returning f.* into gone;
    if found then
      file := gone;
      slug := space.slug;
    else
      refused := 'not_found';
    end if;
  end if;
  {{caller.closes}}
end $$;

-- Records that the bytes of deleted files are removed. Returns the number of files.
create function turnpike.note_removed_files(p_file_ids text[], p_moment timestamptz) returns integer
language plpgsql as $$
declare
  noted integer;
begin
  update files f set object_removed_at = p_moment where f.file_id = any(p_file_ids) and f.state = 'deleted';
  get diagnostics noted = row_count;
  return noted;
end $$;
