-- Procedures with which the command line, the demo and tests create data over a direct connection.

-- Creates a user of a brand with an empty wallet. Returns the user_id.
create function turnpike.seed_user(p_email text, p_name text, p_role text, p_password_hash text, p_brand text)
returns bigint language plpgsql as $$
declare
  new_user users;
begin
  insert into users (email, email_verified, name, role, password_hash, brand)
  values (p_email, p_email is not null, p_name, p_role, p_password_hash, p_brand)
  returning * into new_user;
  perform turnpike.create_wallet(new_user.user_id);
  return new_user.user_id;
end $$;

-- Creates an API key. p_key: the whole row. Returns the key_id.
create function turnpike.seed_key(p_key jsonb) returns text language plpgsql as $$
begin
  insert into api_keys select k.* from jsonb_populate_record(null::api_keys, p_key) k;
  return p_key ->> 'key_id';
end $$;

-- Creates a space with example tasks: a flow of three tasks and a single one. Does nothing if the database has a task.
-- p_key: the value of a key of the account that will own the space.
create function turnpike.seed_tasks(p_key text, p_slug text, p_moment timestamptz) returns boolean
language plpgsql as $$
declare
  owner users;
  new_space spaces;
begin
  if exists (select from tasks) then
    return false;
  end if;
  select u.* into owner
    from users u
      join api_keys k on k.user_id = u.user_id
    where k.hash = sha256(convert_to(p_key, 'UTF8'));
  new_space.config_version := 1;
  new_space.manifest := '{"instructions": "Handle returns.", "builtin_tools": ["create_task", "update_task"]}';
  new_space.tools := '{}';
  new_space.mcp_servers := '{}';
  new_space.mcp_tokens := '{}';
  insert into spaces (
      slug, user_id, origin, brand, title, manifest,
      prompt_facts, created_at, updated_at)
    values (
      p_slug, owner.user_id, 'dashboard', owner.brand, 'Returns desk', new_space.manifest,
      turnpike.prompt_facts(new_space), p_moment, p_moment)
    returning * into new_space;
  perform turnpike.keep_config(new_space);
  insert into tasks (space_id, brand, state, title, description, flow, flow_place, end_user_ref, assignee_user_id,
    creator_user_id, created_at, updated_at)
    values
    (new_space.space_id, owner.brand, 'done', 'Check the parcel', null, 'return of order 1207', 1, 'demo-customer',
      null, owner.user_id, p_moment, p_moment),
    (new_space.space_id, owner.brand, 'open', 'Pay back 20 USD', 'To the card that paid.', 'return of order 1207', 2,
      'demo-customer', owner.user_id, owner.user_id, p_moment, p_moment),
    (new_space.space_id, owner.brand, 'open', 'Tell the customer', null, 'return of order 1207', 3, 'demo-customer',
      null, owner.user_id, p_moment, p_moment),
    (new_space.space_id, owner.brand, 'open', 'Call back about the invoice', null, null, null, 'demo-customer',
      owner.user_id, owner.user_id, p_moment, p_moment);
  return true;
end $$;

-- Subscribes a user to a plan from p_moment on, unless the user has an active subscription, whose id is then returned.
-- p_plans becomes the value of the setting `plans` if it has none.
create function turnpike.seed_subscription(p_user_id bigint, p_plan text, p_plans jsonb, p_moment timestamptz)
returns integer
language plpgsql as $$
declare
  seeded_id integer;
begin
  insert into settings (key, value, updated_at) values ('plans', p_plans, p_moment) on conflict (key) do nothing;
  perform from users u where u.user_id = p_user_id for no key update;
  seeded_id := turnpike.overlapping_subscription(p_user_id, p_moment, null, '{}');
  if seeded_id is not null then
    return seeded_id;
  end if;
  insert into subscriptions as s (user_id, plan, starts_at, created_at, updated_at)
    values (p_user_id, p_plan, p_moment, p_moment, p_moment)
    returning s.sub_id into seeded_id;
  return seeded_id;
end $$;
