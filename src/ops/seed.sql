-- What an operator, a demo or a test makes over a direct connection.

-- A user with an empty wallet. Returns its user_id.
create function turnpike.seed_user(p_email text, p_name text, p_role text, p_password_hash text) returns bigint language plpgsql as $$
declare
  made users;
begin
  insert into users (email, email_verified, name, role, password_hash)
  values (p_email, p_email is not null, p_name, p_role, p_password_hash) returning * into made;
  insert into wallets (user_id) values (made.user_id);
  return made.user_id;
end $$;

-- An API key. p_key: its whole row. Returns its key_id.
create function turnpike.seed_key(p_key jsonb) returns text language plpgsql as $$
begin
  insert into api_keys select k.* from jsonb_populate_record(null::api_keys, p_key) k;
  return p_key ->> 'key_id';
end $$;

-- A subscription from now on, of a plan that the setting `plans` has, or gets here when nobody has set it.
create function turnpike.seed_subscription(p_user_id bigint, p_plan text, p_plans jsonb, p_moment timestamptz) returns integer
language plpgsql as $$
declare
  made integer;
begin
  insert into settings (key, value, updated_at) values ('plans', p_plans, p_moment) on conflict (key) do nothing;
  insert into subscriptions as s (user_id, plan, starts_at, created_at, updated_at) values (p_user_id, p_plan, p_moment, p_moment, p_moment)
    returning s.sub_id into made;
  return made;
end $$;
