-- Adds a member to a workspace for an admin. notices: the notices of tell_shared.
-- refused: admin, not_found, stale, unknown_user, already_member.
create function turnpike.add_workspace_member(p_request turnpike.request,
  p_workspace_id text, p_user_id bigint, p_role text, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.workspace_answer, notices turnpike.shared_notice[])
language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was workspaces;
  before jsonb;
  space_ids bigint[];
  shared jsonb;
begin
  {{admin.opens row}}
  -- The lock on the workspace also covers its members: of two admins who add the same user, the second waits and gets
  -- already_member.
  select w.* into was from workspaces w where w.workspace_id = p_workspace_id limit 1 for no key update;
  if was.workspace_id is null then
    refused := 'not_found';
  elsif turnpike.is_stale(p_if_version, was.version) then
    refused := 'stale';
  elsif not exists (select from users u where u.user_id = p_user_id) then
    refused := 'unknown_user';
  elsif exists (select from workspace_members m where m.workspace_id = p_workspace_id and m.user_id = p_user_id) then
    refused := 'already_member';
  else
    before := turnpike.workspace_facts(p_workspace_id);
    space_ids := array(select s.space_id from spaces s where s.workspace_id = p_workspace_id);
    shared := turnpike.shared_with(space_ids, p_user_id);
    insert into workspace_members (workspace_id, user_id, role, created_at)
      values (p_workspace_id, p_user_id, p_role, p_request.moment);
    notices := turnpike.tell_shared(space_ids, p_user_id, shared, p_request.moment);
    perform turnpike.note_workspace(p_workspace_id, 'workspace.member_add', before, (admin.caller).user_id,
      p_request.request_id, p_request.address, p_request.moment);
  end if;
  entity := turnpike.workspace_answer_of(p_workspace_id);
  {{admin.closes row}}
end $$;

create type turnpike.removed_member as (
  email text, -- null
  brand text
);

-- Removes a member from a workspace for an admin. The last owner can be removed only if there are no other members,
-- because an owner must be able to change its spaces. removed: where to email the removed member.
-- refused: admin, not_found, stale, no_member, last_owner.
create function turnpike.remove_workspace_member(p_request turnpike.request,
  p_workspace_id text, p_user_id bigint, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.workspace_answer, removed turnpike.removed_member)
language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was workspaces;
  before jsonb;
  leaving workspace_members;
begin
  {{admin.opens row}}
  -- If two admins remove the last two owners at the same time, the second waits and sees that one owner is left.
  select w.* into was from workspaces w where w.workspace_id = p_workspace_id limit 1 for no key update;
  select m.* into leaving
    from workspace_members m
    where m.workspace_id = p_workspace_id and m.user_id = p_user_id limit 1;
  if was.workspace_id is null then
    refused := 'not_found';
  elsif turnpike.is_stale(p_if_version, was.version) then
    refused := 'stale';
  elsif leaving.user_id is null then
    refused := 'no_member';
  elsif leaving.role = 'owner'
    and not exists (select from workspace_members m
      where m.workspace_id = p_workspace_id and m.user_id <> p_user_id and m.role = 'owner')
    and exists (select from workspace_members m where m.workspace_id = p_workspace_id and m.user_id <> p_user_id)
  then
    refused := 'last_owner';
  else
    before := turnpike.workspace_facts(p_workspace_id);
    delete from workspace_members m where m.workspace_id = p_workspace_id and m.user_id = p_user_id;
    select u.email, u.brand into removed from users u where u.user_id = p_user_id limit 1;
    perform turnpike.note_workspace(p_workspace_id, 'workspace.member_remove', before, (admin.caller).user_id,
      p_request.request_id, p_request.address,
      p_request.moment);
  end if;
  entity := turnpike.workspace_answer_of(p_workspace_id);
  {{admin.closes row}}
end $$;
