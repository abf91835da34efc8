-- Creates a space with its whole configuration, in the caller's account and brand.
-- p_tools, p_mcp_servers: objects by name. p_secrets: sealed values by name. p_pins: all model pins that it contains.
-- refused: unknown_pin, limit (reached: the limit), or
-- - scope: the key is bound to one space
-- - proof: turns would call a server, and the caller has not proved their identity recently
create function turnpike.create_space(p_request turnpike.request,
  p_once_key text, p_fingerprint text, p_slug text, p_title text, p_model text, p_manifest jsonb, p_tools jsonb,
  p_mcp_servers jsonb, p_secrets jsonb, p_metadata jsonb, p_pins text[],
  out actor turnpike.caller, out already turnpike.earlier_request, out space spaces, out refused text,
  out reached turnpike.count_state, out unknown_pin text) language plpgsql as $$
declare
  caller turnpike.caller;
  new_space spaces;
begin
  {{caller.opens}}
  already := turnpike.used_key(caller, p_once_key);
  if already.resource_id is not null then
    null;
  elsif caller.scope is not distinct from 'space' then
    refused := 'scope';
  elsif turnpike.lacks_proof(caller, p_request.moment) and exists (select from jsonb_each(p_tools || p_mcp_servers) e
    where turnpike.origin_of(e.value) is not null)
  then
    refused := 'proof';
  else
    unknown_pin := turnpike.unknown_pin(p_pins, p_manifest ->> 'image_model');
    if unknown_pin is not null then
      refused := 'unknown_pin';
    else
      -- The lock keeps two concurrent calls from taking the last place.
      perform from users u where u.user_id = caller.user_id for no key update;
      reached := coalesce(turnpike.over_limit('spaces', caller.user_id, 1),
        turnpike.over_limit('config_bytes', caller.user_id, 1));
    end if;
    if reached.cap is not null then
      refused := 'limit';
    elsif refused is null then
      new_space.config_version := 1;
      new_space.manifest := p_manifest;
      new_space.tools := p_tools;
      new_space.mcp_servers := p_mcp_servers;
      new_space.mcp_tokens := '{}';
      insert into spaces (
          slug, user_id, created_by_key_id, test,
          origin,
          brand, title, model, manifest, tools,
          mcp_servers, prompt_facts, metadata, created_at, updated_at)
        values (
          p_slug, caller.user_id, caller.key_id, caller.test,
          case caller.kind when 'key' then 'api' else 'dashboard' end,
          (select u.brand from users u where u.user_id = caller.user_id), p_title, p_model, p_manifest, p_tools,
          p_mcp_servers, turnpike.prompt_facts(new_space), p_metadata, p_request.moment, p_request.moment)
        returning * into new_space;
      perform turnpike.keep_config(new_space);
      insert into space_secrets (
          space_id, name, sealed, created_at, updated_at)
        select
          new_space.space_id, o.key, o.value, p_request.moment, p_request.moment
        from jsonb_each_text(p_secrets) o;
      perform turnpike.note_key(caller, p_once_key, p_fingerprint, p_slug, p_request.moment);
      perform turnpike.note_own_change(p_request, caller, 'space.create', 'space', p_slug, null,
        turnpike.space_facts(new_space));
      space := new_space;
    end if;
  end if;
  {{caller.closes}}
end $$;
