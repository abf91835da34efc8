create type turnpike.acting_answer as (
  user_id bigint,
  admin_user_id bigint,
  expires_at timestamptz
);

-- Lets an admin act as user p_user_id until p_expires_at. p_token: the token of the new acting session.
-- p_reason: why, null if not said. refused: admin, unknown, not_allowed (the user is an admin or disabled), or reason
-- (the setting turn_texts_for_operators asks for one, because acting shows texts).
create function turnpike.begin_acting(p_request turnpike.request,
  p_user_id bigint, p_token text, p_expires_at timestamptz, p_reason text)
returns table (actor turnpike.caller, refused text, entity turnpike.acting_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  owner users;
begin
  {{admin.opens row}}
  -- The user is not locked: if the user becomes an admin now, find_acting rejects the acting session.
  select u.* into owner from users u where u.user_id = p_user_id;
  if owner.user_id is null then
    refused := 'unknown';
  elsif owner.role = 'admin' or owner.disabled_at is not null then
    refused := 'not_allowed';
  elsif p_reason is null and turnpike.setting_value('turn_texts_for_operators') is distinct from '"shown"' then
    refused := 'reason';
  else
    insert into acting_sessions (
        acting_id, token_hash, user_id, epoch,
        admin_user_id, admin_session_id, created_at, expires_at)
    values (
        turnpike.id_of_token(p_token), turnpike.hash_of_token(p_token), p_user_id, owner.session_epoch,
        (admin.caller).user_id, (admin.caller).session_id, p_request.moment, p_expires_at);
    entity := row(p_user_id, (admin.caller).user_id, p_expires_at)::turnpike.acting_answer;
    perform turnpike.note_change((admin.caller).user_id, 'user.act_as', 'user', p_user_id::text, null,
      to_jsonb(entity) || jsonb_build_object('acting_id', turnpike.id_of_token(p_token), 'reason', p_reason),
      p_request.request_id, p_request.address, p_request.moment);
  end if;
  {{admin.closes row}}
end $$;

-- Records that an admin who acts as a user reads texts of that user at p_path, once per path and acting session.
create function turnpike.note_acting_read(p_request turnpike.request, p_path text, out actor turnpike.caller)
language plpgsql as $$
begin
  actor := turnpike.find_caller(p_request);
  if actor.usable is true and actor.acting_user_id is not null and not exists (select from audit_log a
    where a.subject_type = 'acting' and a.subject_id = actor.session_id and a.action = 'acting.read'
      and a.after ->> 'path' = p_path)
  then
    perform turnpike.note_change(actor.acting_user_id, 'acting.read', 'acting', actor.session_id, null,
      jsonb_build_object('path', p_path, 'user_id', actor.user_id), p_request.request_id, p_request.address,
      p_request.moment);
  end if;
end $$;

-- Ends all acting sessions of a user, whichever admin started them. refused: admin, unknown.
create function turnpike.end_acting(p_request turnpike.request,
  p_user_id bigint)
returns table (actor turnpike.caller, refused text, entity turnpike.ended_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  ended integer;
begin
  {{admin.opens row}}
  if not exists (select from users u where u.user_id = p_user_id) then
    refused := 'unknown';
  else
    update acting_sessions a set ended_at = p_request.moment
      where a.user_id = p_user_id and a.ended_at is null and a.expires_at > p_request.moment;
    get diagnostics ended = row_count;
    entity := row(ended)::turnpike.ended_answer;
    if ended > 0 then
      perform turnpike.note_change((admin.caller).user_id, 'user.end_acting', 'user', p_user_id::text, null,
        to_jsonb(entity), p_request.request_id, p_request.address,
        p_request.moment);
    end if;
  end if;
  {{admin.closes row}}
end $$;
