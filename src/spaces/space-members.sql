-- Links a space to the messaging chat p_chat_key, or to its own web chat (null), for an admin. While it is linked to a
-- messaging chat, its origin is 'messenger'.
-- refused: admin, not_found, taken (entity: the slug of the space that has this chat).
create function turnpike.put_space_chat(p_request turnpike.request,
  p_space_id bigint, p_chat_key text)
returns table (actor turnpike.caller, refused text, entity text) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was spaces;
  wanted text;
begin
  {{admin.opens row}}
  select s.* into was from spaces s where s.space_id = p_space_id for no key update;
  wanted := coalesce(p_chat_key, 'space:' || was.slug);
  if was.space_id is null then
    refused := 'not_found';
  elsif was.chat_key is distinct from wanted then
    begin
      update spaces s set chat_key = wanted, updated_at = p_request.moment,
          origin = case when p_chat_key is not null then 'messenger' when s.created_by_key_id is not null then 'api'
            else 'dashboard' end
        where s.space_id = p_space_id;
      perform turnpike.note_change((admin.caller).user_id, 'space.chat', 'space', was.slug,
        jsonb_build_object('chat_key', was.chat_key), jsonb_build_object('chat_key', wanted), p_request.request_id,
        p_request.address, p_request.moment);
    exception when unique_violation then
      refused := 'taken';
      entity := (select s.slug from spaces s where s.chat_key = wanted);
    end;
  end if;
  {{admin.closes row}}
end $$;

-- A registered member of a space, for operators.
create type turnpike.space_member_answer as (
  space_id bigint,
  user_id bigint,
  name text, -- null
  email text, -- null
  created_at timestamptz
);

-- The member as an answer; null if the user is not a member.
create function turnpike.space_member_answer_of(p_space_id bigint, p_user_id bigint)
returns turnpike.space_member_answer language sql stable as $$
  select (m.space_id, u.user_id, u.name, u.email, m.created_at)::turnpike.space_member_answer
    from space_members m
      join users u on u.user_id = m.user_id
    where m.space_id = p_space_id and m.user_id = p_user_id
$$;

-- Shares a space with a user, for an admin. notices: the notices for its owner.
-- refused: admin, not_found, unknown_user, already_member (also for the owner), full.
create function turnpike.add_space_member(p_request turnpike.request,
  p_space_id bigint, p_user_id bigint, p_most integer)
returns table (actor turnpike.caller, refused text, entity turnpike.space_member_answer,
  notices turnpike.shared_notice[]) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  space spaces;
  shared jsonb;
begin
  {{admin.opens row}}
  -- The lock on the space's row protects its list of members: a concurrent call waits here and then sees the new
  -- member.
  select s.* into space from spaces s where s.space_id = p_space_id for no key update;
  if space.space_id is null then
    refused := 'not_found';
  elsif not exists (select from users u where u.user_id = p_user_id) then
    refused := 'unknown_user';
  elsif space.user_id = p_user_id or (turnpike.space_member_answer_of(p_space_id, p_user_id)).user_id is not null then
    refused := 'already_member';
  elsif (select count(*) from space_members m where m.space_id = p_space_id) >= p_most then
    refused := 'full';
  else
    shared := turnpike.shared_with(array[p_space_id], p_user_id);
    insert into space_members (space_id, user_id, created_at) values (p_space_id, p_user_id, p_request.moment);
    perform turnpike.note_change((admin.caller).user_id, 'space.member_add', 'space', space.slug, null,
      jsonb_build_object('user_id', p_user_id), p_request.request_id, p_request.address, p_request.moment);
    entity := turnpike.space_member_answer_of(p_space_id, p_user_id);
    notices := turnpike.tell_shared(array[p_space_id], p_user_id, shared, p_request.moment);
  end if;
  {{admin.closes row}}
end $$;

-- Stops sharing a space directly with a user, for an admin. refused: admin, not_found, no_member.
create function turnpike.remove_space_member(p_request turnpike.request,
  p_space_id bigint, p_user_id bigint)
returns table (actor turnpike.caller, refused text, entity turnpike.space_member_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  space spaces;
begin
  {{admin.opens row}}
  select s.* into space from spaces s where s.space_id = p_space_id for no key update;
  entity := turnpike.space_member_answer_of(p_space_id, p_user_id);
  if space.space_id is null then
    refused := 'not_found';
  elsif entity.user_id is null then
    refused := 'no_member';
  else
    delete from space_members m where m.space_id = p_space_id and m.user_id = p_user_id;
    perform turnpike.note_change((admin.caller).user_id, 'space.member_remove', 'space', space.slug,
      jsonb_build_object('user_id', p_user_id), null, p_request.request_id, p_request.address, p_request.moment);
  end if;
  {{admin.closes row}}
end $$;
