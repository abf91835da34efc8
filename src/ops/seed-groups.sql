-- Creates a team, a workspace with members, a space and a board for a demo. It does so only once, so that changes by an
-- operator stay. Returns true if it created them.
-- p_key_hash: the hash of a key of the account that will own the space, in hex.
create function turnpike.seed_groups(p_key_hash text, p_slug text, p_moment timestamptz) returns boolean
language plpgsql as $$
declare
  owner bigint := (select k.user_id from api_keys k where k.hash = decode(p_key_hash, 'hex'));
  new_team_id integer;
  lead bigint;
  member bigint;
  guest bigint;
  board bigint;
  space spaces;
begin
  insert into workspaces (workspace_id, name, bot_username, bot_id, created_at, updated_at)
    values ('demo', 'Demo workspace', 'demo_support_bot', '5550100', p_moment, p_moment)
    on conflict on constraint workspaces_pkey do nothing;
  if not found or owner is null then
    return false;
  end if;
  lead := turnpike.seed_user(null, 'Ada, team lead', 'user', null, 'turnpike');
  member := turnpike.seed_user(null, 'Ben, support', 'user', null, 'turnpike');
  insert into teams (name, description, created_at, updated_at)
    values ('Support', 'Answers the customers of the demo.', p_moment, p_moment)
    returning team_id into new_team_id;
  insert into team_members (team_id, user_id, role, created_at)
    values (new_team_id, lead, 'lead', p_moment), (new_team_id, member, 'member', p_moment);
  update workspaces w set team_id = new_team_id where w.workspace_id = 'demo';
  insert into workspace_members (workspace_id, user_id, role, created_at)
    values ('demo', owner, 'owner', p_moment), ('demo', lead, 'admin', p_moment);
  space.config_version := 1;
  space.manifest := '{"instructions": "You help the support team of the demo, in short sentences."}';
  space.tools := '{}';
  space.mcp_servers := '{}';
  space.mcp_tokens := '{}';
  insert into spaces (
      slug, user_id, title, manifest, prompt_facts, workspace_id, created_at, updated_at)
    values (
      p_slug, owner, 'Support of the demo', space.manifest, turnpike.prompt_facts(space), 'demo', p_moment, p_moment)
    returning * into space;
  perform turnpike.keep_config(space);
  -- The space is a chat of the messaging platform. Its members are the team, a guest and a person without an account.
  guest := turnpike.seed_user(null, 'Cleo, of the support chat', 'user', null, 'turnpike');
  update spaces s set chat_key = turnpike.chat_key_of(-1005550100), origin = 'messenger'
    where s.space_id = space.space_id;
  insert into identities (issuer, subject, user_id, created_at)
    values ('messenger:turnpike', '5550101', lead, p_moment), ('messenger:turnpike', '5550102', member, p_moment),
      ('messenger:turnpike', '5550103', guest, p_moment);
  insert into boards (
      bot_id, chat_id, chat_key, title, bot_in, bot_said, created_at,
      updated_at)
    values (
      '5550100', -1005550100, turnpike.chat_key_of(-1005550100), 'Support of the demo', true, '{1,1}', p_moment,
      p_moment)
    returning board_id into board;
  insert into board_members (
      board_id, messaging_id, present, said)
    select
      board, n::text, true, '{1,1}'
    from generate_series(5550101, 5550104) n;
  return true;
end $$;
