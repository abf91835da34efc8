-- Archives a space. It accepts nothing from this commit on, and ending_turns makes its open turns end.
-- A second call returns the same answer. refused: not_found, role.
create function turnpike.archive_space(p_request turnpike.request, p_slug text,
  out actor turnpike.caller, out space spaces, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
  archived spaces;
begin
  {{caller.opens}}
  archived := turnpike.lock_space(caller, p_slug);
  refused := turnpike.change_refusal(p_request, caller, archived);
  if refused = 'archived' then
    refused := null;
  end if;
  if refused is null then
    if archived.archived_at is null then
      update spaces s set archived_at = p_request.moment, ending_turns = true, updated_at = p_request.moment
        where s.space_id = archived.space_id
        returning s.* into archived;
      perform turnpike.note_own_change(p_request, turnpike.in_space_of(caller, archived.user_id), 'space.archive',
        'space', p_slug, null, turnpike.space_facts(archived));
    end if;
    space := archived;
  end if;
  {{caller.closes}}
end $$;
