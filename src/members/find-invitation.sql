-- What a token of an invitation opens. by_mail: the token came by email, so its holder reads that mailbox.
create type turnpike.opened_invitation as (
  account_id bigint,
  account text, -- null: the account has no name
  brand text,
  invitation_id text,
  email text,
  role text,
  invited_by text, -- null: the owner has no name
  expires_at timestamptz,
  by_mail boolean,
  -- Only the holder of the email's token learns it.
  has_user boolean -- null: not said
);

-- The open invitation of a token; null for any other token, and if the person who invited is no owner
-- now, or is disabled.
create function turnpike.find_invitation(p_token text, p_moment timestamptz) returns turnpike.opened_invitation
language plpgsql stable as $$
declare
  given bytea := turnpike.hash_of_token(p_token);
  found_one account_invitations;
  account users;
  inviter users;
begin
  select i.* into found_one
    from account_invitations i
    where (i.link_hash = given or i.mail_hash = given) and i.ended_at is null and i.expires_at > p_moment;
  select u.* into account from users u where u.user_id = found_one.account_id;
  select u.* into inviter from users u where u.user_id = found_one.invited_by;
  if account.user_id is null or account.disabled_at is not null or inviter.disabled_at is not null
    or turnpike.account_role(account.user_id, inviter.user_id) is distinct from 'owner'
  then
    return null;
  end if;
  return row(found_one.account_id, account.name, account.brand, found_one.invitation_id, found_one.email,
    found_one.role, inviter.name, found_one.expires_at,
    found_one.mail_hash = given,
    case when found_one.mail_hash = given
      then exists (select from users u
        where folded(u.email) = folded(found_one.email)) end)::turnpike.opened_invitation;
end $$;
