-- Takes back uploads of a turn that was refused, with the Idempotency-Keys under which they were made. If a turn with
-- p_idempotency_key exists in the meantime, it may have the files, so they stay. Their bytes are removed afterwards.
create function turnpike.discard_uploads(p_request turnpike.request, p_idempotency_key text, p_file_ids text[],
  p_once_keys text[], out actor turnpike.caller, out discarded files[]) language plpgsql as $$
declare
  caller turnpike.caller;
  once text;
begin
  {{caller.opens}}
  discarded := '{}';
  once := caller.user_id::text || ' ' || caller.test::text || ' ' || p_idempotency_key;
  perform pg_advisory_xact_lock(hashtext('turn'), hashtext(once));
  if not exists (select from turns t where t.user_id::text || ' ' || t.test::text || ' '
    || t.idempotency_key = once) then
    with gone as (update files f set state = 'deleted', updated_at = p_request.moment
        where f.file_id = any (p_file_ids) and f.user_id = caller.user_id and f.key_id is not distinct
          from caller.key_id
          and f.turn_id is null and f.state = 'ready' returning f.*)
      select array_agg(g::files) into discarded
      from gone g;
    perform turnpike.forget_keys(caller, p_once_keys);
  end if;
  {{caller.closes}}
end $$;

-- Deletes the rows of discarded uploads whose bytes are removed. Returns the number of files.
create function turnpike.forget_discarded(p_file_ids text[]) returns integer language plpgsql as $$
declare
  forgotten integer;
begin
  delete from files f where f.file_id = any (p_file_ids) and f.state = 'deleted' and f.turn_id is null;
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;
