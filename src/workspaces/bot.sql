-- Sets the bot of a workspace for an admin.
-- p_change: the fields to change (username, id, and the sealed token and webhook_secret); null clears a field.
-- Answers and audit entries never contain the token or the secret. refused: admin, not_found, stale.
create function turnpike.put_workspace_bot(p_request turnpike.request,
  p_workspace_id text, p_change jsonb, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.workspace_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was workspaces;
  bot jsonb;
begin
  {{admin.opens row}}
  select w.* into was from workspaces w where w.workspace_id = p_workspace_id limit 1 for no key update;
  if was.workspace_id is null then
    refused := 'not_found';
  elsif turnpike.is_stale(p_if_version, was.version) then
    refused := 'stale';
  else
    bot := jsonb_build_object('username', was.bot_username, 'id', was.bot_id, 'token', was.bot_token,
      'webhook_secret', was.bot_webhook_secret) || p_change;
    -- Sealing the same token twice gives different texts, so every token in a request counts as a change.
    if bot ->> 'username' is distinct from was.bot_username or bot ->> 'token' is distinct from was.bot_token then
      update workspaces w set bot_username = bot ->> 'username', bot_id = bot ->> 'id', bot_token = bot ->> 'token',
          bot_webhook_secret = bot ->> 'webhook_secret', version = w.version + 1, updated_at = p_request.moment,
          updated_by = (admin.caller).user_id
        where w.workspace_id = p_workspace_id;
      perform turnpike.note_change((admin.caller).user_id, 'workspace.bot', 'workspace', p_workspace_id,
        jsonb_build_object('bot_username', was.bot_username, 'has_token', was.bot_token is not null),
        jsonb_build_object('bot_username', bot ->> 'username', 'has_token', bot ->> 'token' is not null,
          'token_set', p_change ->> 'token' is not null), p_request.request_id, p_request.address, p_request.moment);
    end if;
  end if;
  entity := turnpike.workspace_answer_of(p_workspace_id);
  {{admin.closes row}}
end $$;

-- Writes an audit entry for a call to the platform about the bot of a workspace.
-- p_action: the call. p_outcome: its result. refused: admin.
create function turnpike.note_bot_call(p_request turnpike.request,
  p_workspace_id text, p_action text, p_outcome jsonb)
returns table (actor turnpike.caller, refused text) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
begin
  {{admin.opens row}}
  perform turnpike.note_change((admin.caller).user_id, p_action, 'workspace', p_workspace_id, null, p_outcome,
    p_request.request_id, p_request.address, p_request.moment);
  {{admin.closes row}}
end $$;
