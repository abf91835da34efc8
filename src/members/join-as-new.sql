-- Makes a user for the holder of the email's token, who has none yet, and accepts the invitation. Returns the user;
-- null if no invitation is open for the token, it did not come by email, or the email has a user.
create function turnpike.join_as_new(p_token text, p_name text, p_password_hash text, p_request_id text, p_address text,
  p_moment timestamptz) returns bigint language plpgsql as $$
declare
  request turnpike.request := jsonb_populate_record(null::turnpike.request,
    jsonb_build_object('moment', p_moment, 'request_id', p_request_id, 'address', p_address));
  opened turnpike.opened_invitation := turnpike.find_invitation(p_token, p_moment);
  person bigint;
begin
  if opened.account_id is not null then
    perform turnpike.lock_people(opened.account_id, null);
    -- It may have ended before the lock.
    opened := turnpike.find_invitation(p_token, p_moment);
  end if;
  if (opened.by_mail and not opened.has_user) is not true then
    return null;
  end if;
  insert into users as n (name, email, email_verified, brand, password_hash, created_at, updated_at)
    values (p_name, opened.email, true, opened.brand, p_password_hash, p_moment, p_moment)
    on conflict do nothing
    returning n.user_id into person;
  if person is null then
    return null;
  end if;
  perform turnpike.create_wallet(person);
  perform turnpike.join_account(request, p_token, person);
  return person;
end $$;
