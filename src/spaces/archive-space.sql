-- Archives a space: nothing is accepted into it after this commit, and its turns are ended (ending_turns). Repeating it gives the same
-- answer. refused: not_found, role.
create function turnpike.archive_space(p_caller_kind text, p_caller_token text, p_caller_test boolean, p_moment timestamptz, p_slug text,
  out actor jsonb, out space jsonb, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
  archived spaces;
begin
  caller := turnpike.find_caller(p_caller_kind, p_caller_token, p_caller_test, p_moment);
  actor := to_jsonb(caller);
  if caller.usable is not true then
    return;
  end if;
  archived := turnpike.lock_space(caller, p_slug);
  refused := turnpike.change_refusal(caller, archived);
  if refused = 'archived' then
    refused := null;
  end if;
  if refused is null then
    if archived.archived_at is null then
      update spaces s set archived_at = p_moment, ending_turns = true, updated_at = p_moment
        where s.space_id = archived.space_id returning s.* into archived;
    end if;
    space := to_jsonb(archived);
  end if;
  perform turnpike.note_use(caller, p_moment);
end $$;
