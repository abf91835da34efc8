-- The user of a proved identity (docs/decisions/0012-linking-identities.md). In this order:
-- - the user that the identity already belongs to
-- - the user with the same email, if the issuer and we have verified it and the user is not an admin
-- - a new user, with the email if it is verified and unused
-- Emails must also match after lower-casing ASCII letters only. Folding turns the Kelvin sign into k, and unifies
-- forms of a letter that a mail server may tell apart.
-- outcome: found, joined, created; or disabled, admin: the user cannot sign in this way, and nothing is written.
create function turnpike.resolve_identity(p_issuer text, p_subject text, p_email text, p_email_verified boolean,
  p_name text, p_brand text, p_except_admins boolean, p_request_id text, p_address text, p_moment timestamptz,
  out outcome text, out user_id bigint, out epoch integer) language plpgsql as $$
declare
  known users;
begin
  perform turnpike.lock_identity(p_issuer, p_subject);
  select u.* into known
    from identities i
      join users u on u.user_id = i.user_id
    where i.issuer = p_issuer and i.subject = p_subject;
  outcome := case when known.user_id is not null then 'found' end;
  -- Another request may take the email between the lookup and the insert, which sees later commits.
  -- Then the loop repeats.
  while outcome is null loop
    known := turnpike.owner_of_email(p_email, p_email_verified);
    if known.user_id is not null then
      outcome := 'joined';
    else
      insert into users as n (
          brand, name, email, email_verified, created_at)
        select
          p_brand, p_name, free.email, free.email is not null, p_moment
        from (select case when p_email_verified
          and not exists (select from users u where folded(u.email) = folded(p_email)) then p_email end as email) free
        where not exists (select from users u where p_email_verified and u.email_verified
          and folded(u.email) = folded(p_email) and lower(u.email collate "C") = lower(p_email collate "C"))
        on conflict do nothing
        returning n.* into known;
      outcome := case when known.user_id is not null then 'created' end;
    end if;
  end loop;
  if known.disabled_at is not null
    or (known.role = 'admin' and (p_except_admins or outcome is not distinct from 'joined')) then
    outcome := case when known.disabled_at is not null then 'disabled' else 'admin' end;
    return;
  end if;
  user_id := known.user_id;
  epoch := known.session_epoch;
  if outcome = 'found' then
    update identities i set last_used_at = p_moment, email = coalesce(p_email, i.email),
      email_verified = case when p_email is null then i.email_verified else p_email_verified end
    where i.issuer = p_issuer and i.subject = p_subject;
  else
    insert into identities (issuer, subject, user_id, email, email_verified, created_at, last_used_at)
    values (p_issuer, p_subject, known.user_id, p_email, p_email_verified, p_moment, p_moment);
  end if;
  if outcome = 'created' then
    perform turnpike.create_wallet(known.user_id);
  elsif outcome = 'joined' then
    perform turnpike.note_change(known.user_id, 'identity.join', 'user', known.user_id::text, '{}',
      jsonb_build_object('issuer', p_issuer, 'subject', p_subject, 'email', p_email), p_request_id, p_address,
      p_moment);
    perform turnpike.tell_factor(known.user_id, 'identity', 'linked', p_moment);
  end if;
end $$;

-- The user with this verified email. The row is locked, so a concurrent change of the email, or
-- disabling, commits before the check.
create function turnpike.owner_of_email(p_email text, p_email_verified boolean) returns users language plpgsql as $$
declare
  owner users;
begin
  select u.* into owner
    from users u
    where p_email_verified and u.email_verified
    and folded(u.email) = folded(p_email) and lower(u.email collate "C") = lower(p_email collate "C") for no key update;
  return owner;
end $$;
