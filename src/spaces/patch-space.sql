-- Changes a space's title and metadata (null keeps them) and, with p_has_model, its model. A different model
-- creates a new version of the configuration. refused: not_found, role, archived, unknown_pin.
create function turnpike.patch_space(p_request turnpike.request,
  p_slug text, p_title text, p_metadata jsonb, p_has_model boolean, p_model text,
  out actor turnpike.caller, out space spaces, out refused text, out unknown_pin text) language plpgsql as $$
declare
  caller turnpike.caller;
  found_space spaces;
  was jsonb;
begin
  {{caller.opens}}
  found_space := turnpike.lock_space(caller, p_slug);
  refused := turnpike.change_refusal(p_request, caller, found_space);
  if refused is null and p_has_model and p_model is not null then
    unknown_pin := turnpike.unknown_pin(array[p_model], null);
    refused := case when unknown_pin is not null then 'unknown_pin' end;
  end if;
  if refused is null then
    was := turnpike.space_facts(found_space);
    if p_title <> found_space.title or p_metadata <> found_space.metadata then
      update spaces s set title = coalesce(p_title, s.title), metadata = coalesce(p_metadata, s.metadata),
        updated_at = p_request.moment
        where s.space_id = found_space.space_id
        returning s.* into found_space;
      perform turnpike.note_own_change(p_request, turnpike.in_space_of(caller, found_space.user_id), 'space.update',
        'space', p_slug, was, turnpike.space_facts(found_space));
    end if;
    if p_has_model and p_model is distinct from found_space.model then
      found_space.model := p_model;
      found_space := turnpike.change_config(p_request, caller, found_space, 'model');
    end if;
    space := found_space;
  end if;
  {{caller.closes}}
end $$;
