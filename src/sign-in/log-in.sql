-- The addresses of a user's 200 newest sessions. Sessions that wait for a code are excluded, since
-- they only prove the password.
create function turnpike.session_addresses(p_user_id bigint) returns text[] language plpgsql stable as $$
begin
  return array(select s.address from sessions s
    where s.user_id = p_user_id and not s.factor_due order by s.session_id collate "C" desc limit 200);
end $$;

-- Finds the user with an email, the hash of the user's password, and the addresses where the user has signed in.
-- name: the email in lower case. Throttles of an unknown email use it, so that all spellings count together, as for
-- a known email.
create function turnpike.find_login(p_email text, out name text, out user_id bigint, out password_hash text,
  out disabled boolean, out epoch integer, out addresses text[]) language plpgsql stable as $$
begin
  name := folded(p_email);
  select u.user_id, u.password_hash, u.disabled_at is not null, u.session_epoch into user_id, password_hash, disabled,
    epoch
    from users u
    where folded(u.email) = find_login.name;
  addresses := turnpike.session_addresses(find_login.user_id);
end $$;
