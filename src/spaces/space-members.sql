-- Makes a space the messaging chat p_chat_key, or its own web chat (null), for an admin. While it is a messaging chat its origin is
-- 'messenger'. refused: admin, not_found, taken (entity: the slug of the space that is this chat).
create function turnpike.put_space_chat(p_request turnpike.request,
  p_space_id bigint, p_chat_key text)
returns table (actor turnpike.caller, refused text, entity jsonb) language plpgsql rows 1 as $$
declare
  found turnpike.admin_caller;
  was spaces;
  wanted text;
begin
  found := turnpike.find_admin(p_request);
  actor := found.caller;
  refused := found.refused;
  if refused is not null then
    return next;
    return;
  end if;
  select s.* into was from spaces s where s.space_id = p_space_id for no key update;
  wanted := coalesce(p_chat_key, 'space:' || was.slug);
  if was.space_id is null then
    refused := 'not_found';
  elsif was.chat_key is distinct from wanted then
    begin
      update spaces s set chat_key = wanted, updated_at = p_request.moment,
          origin = case when p_chat_key is not null then 'messenger' when s.created_by_key_id is not null then 'api' else 'dashboard' end
        where s.space_id = p_space_id;
      perform turnpike.note_change((found.caller).user_id, 'space.chat', 'space', was.slug, jsonb_build_object('chat_key', was.chat_key),
        jsonb_build_object('chat_key', wanted), p_request.request_id, p_request.address, p_request.moment);
    exception when unique_violation then
      refused := 'taken';
      entity := (select to_jsonb(s.slug) from spaces s where s.chat_key = wanted);
    end;
  end if;
  perform turnpike.note_use(found.caller, p_request.moment);
  return next;
end $$;

-- A registered member of a space, as operators see them; null when they are not.
create function turnpike.space_member_json(p_space_id bigint, p_user_id bigint) returns jsonb language sql stable as $$
  select jsonb_build_object('space_id', m.space_id, 'user_id', u.user_id, 'name', u.name, 'email', u.email, 'created_at', m.created_at)
    from space_members m join users u on u.user_id = m.user_id where m.space_id = p_space_id and m.user_id = p_user_id
$$;

-- Shares a space with a user for an admin, and tells its owner (told). refused: admin, not_found, unknown_user, already_member (its owner is one), full.
create function turnpike.add_space_member(p_request turnpike.request,
  p_space_id bigint, p_user_id bigint, p_most integer)
returns table (actor turnpike.caller, refused text, entity jsonb) language plpgsql rows 1 as $$
declare
  found turnpike.admin_caller;
  space spaces;
  shared jsonb;
begin
  found := turnpike.find_admin(p_request);
  actor := found.caller;
  refused := found.refused;
  if refused is not null then
    return next;
    return;
  end if;
  -- The space's row stands for its members: of two admins who add the same one, the second sees what the first has added.
  select s.* into space from spaces s where s.space_id = p_space_id for no key update;
  if space.space_id is null then
    refused := 'not_found';
  elsif not exists (select from users u where u.user_id = p_user_id) then
    refused := 'unknown_user';
  elsif space.user_id = p_user_id or turnpike.space_member_json(p_space_id, p_user_id) is not null then
    refused := 'already_member';
  elsif (select count(*) from space_members m where m.space_id = p_space_id) >= p_most then
    refused := 'full';
  else
    shared := turnpike.shared_with(array[p_space_id], p_user_id);
    insert into space_members (space_id, user_id, created_at) values (p_space_id, p_user_id, p_request.moment);
    perform turnpike.note_change((found.caller).user_id, 'space.member_add', 'space', space.slug, null,
      jsonb_build_object('user_id', p_user_id), p_request.request_id, p_request.address, p_request.moment);
    entity := turnpike.space_member_json(p_space_id, p_user_id)
      || jsonb_build_object('told', turnpike.tell_shared(array[p_space_id], p_user_id, shared, p_request.moment));
  end if;
  perform turnpike.note_use(found.caller, p_request.moment);
  return next;
end $$;

-- Ends a user's own share of a space for an admin. refused: admin, not_found, no_member.
create function turnpike.remove_space_member(p_request turnpike.request,
  p_space_id bigint, p_user_id bigint)
returns table (actor turnpike.caller, refused text, entity jsonb) language plpgsql rows 1 as $$
declare
  found turnpike.admin_caller;
  space spaces;
begin
  found := turnpike.find_admin(p_request);
  actor := found.caller;
  refused := found.refused;
  if refused is not null then
    return next;
    return;
  end if;
  select s.* into space from spaces s where s.space_id = p_space_id for no key update;
  entity := turnpike.space_member_json(p_space_id, p_user_id);
  if space.space_id is null then
    refused := 'not_found';
  elsif entity is null then
    refused := 'no_member';
  else
    delete from space_members m where m.space_id = p_space_id and m.user_id = p_user_id;
    perform turnpike.note_change((found.caller).user_id, 'space.member_remove', 'space', space.slug,
      jsonb_build_object('user_id', p_user_id), null, p_request.request_id, p_request.address, p_request.moment);
  end if;
  perform turnpike.note_use(found.caller, p_request.moment);
  return next;
end $$;
