-- Replaces a space's manifest as a new version of its configuration. p_pins: its model pins. An equal manifest
-- changes nothing. refused: not_found, role, archived, unknown_pin, limit (reached: the limit), or proof (a call of a
-- built-in tool would no longer wait for a decision).
create function turnpike.put_manifest(p_request turnpike.request,
  p_slug text, p_manifest jsonb, p_pins text[],
  out actor turnpike.caller, out refused text, out reached turnpike.count_state, out unknown_pin text)
language plpgsql as $$
declare
  caller turnpike.caller;
  space spaces;
begin
  {{caller.opens}}
  space := turnpike.lock_space(caller, p_slug);
  refused := turnpike.change_refusal(p_request, caller, space);
  if refused is null then
    unknown_pin := turnpike.unknown_pin(p_pins, p_manifest ->> 'image_model');
    if unknown_pin is not null then
      refused := 'unknown_pin';
    elsif turnpike.lacks_proof(caller, p_request.moment) and turnpike.asks_less(space.manifest, p_manifest) then
      refused := 'proof';
    elsif space.manifest <> p_manifest then
      space.manifest := p_manifest;
      reached := turnpike.config_limit(space);
      if reached.cap is not null then
        refused := 'limit';
      else
        perform turnpike.change_config(p_request, caller, space, 'manifest');
      end if;
    end if;
  end if;
  {{caller.closes}}
end $$;
