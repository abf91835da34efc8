-- What an operator, a demo or a test makes over a direct connection.

-- A user of a brand, with an empty wallet. Returns its user_id.
create function turnpike.seed_user(p_email text, p_name text, p_role text, p_password_hash text, p_brand text) returns bigint language plpgsql as $$
declare
  made users;
begin
  insert into users (email, email_verified, name, role, password_hash, brand)
  values (p_email, p_email is not null, p_name, p_role, p_password_hash, p_brand) returning * into made;
  insert into wallets (user_id) values (made.user_id);
  return made.user_id;
end $$;

-- An API key. p_key: its whole row. Returns its key_id.
create function turnpike.seed_key(p_key jsonb) returns text language plpgsql as $$
begin
  insert into api_keys select k.* from jsonb_populate_record(null::api_keys, p_key) k;
  return p_key ->> 'key_id';
end $$;
