-- Locks an identity. A procedure that looks up an identity in order to link it, unlink it or create
-- its user takes this lock first.
-- So a concurrent caller sees the committed result.
create function turnpike.lock_identity(p_issuer text, p_subject text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('identities'), hashtext(p_issuer || chr(10) || p_subject));
end $$;

-- Links an identity to the caller, whatever its email. If the caller already has the identity, only
-- its email is updated.
-- p_user_id: the user who started the flow. refused: 'another_account' (the caller is another
-- user), 'taken' (the identity belongs to another account).
create function turnpike.link_identity(p_request turnpike.request,
  p_user_id bigint, p_issuer text, p_subject text, p_email text, p_email_verified boolean,
  out actor turnpike.caller, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
  known identities;
begin
  {{caller.opens}}
  perform turnpike.lock_identity(p_issuer, p_subject);
  select i.* into known from identities i where i.issuer = p_issuer and i.subject = p_subject;
  if caller.user_id is distinct from p_user_id then
    refused := 'another_account';
  elsif known.user_id is not null and known.user_id is distinct from caller.user_id then
    refused := 'taken';
  elsif known.user_id is not null then
    update identities i set email = p_email, email_verified = p_email_verified
      where i.issuer = p_issuer and i.subject = p_subject;
  else
    insert into identities (issuer, subject, user_id, email, email_verified, created_at)
    values (p_issuer, p_subject, caller.user_id, p_email, p_email_verified, p_request.moment);
    perform turnpike.note_change(caller.user_id, 'identity.link', 'user', caller.user_id::text, '{}',
      jsonb_build_object('issuer', p_issuer, 'subject', p_subject), p_request.request_id, p_request.address,
      p_request.moment);
    perform turnpike.tell_factor(caller.user_id, 'identity', 'linked', p_request.moment);
  end if;
  {{caller.closes}}
end $$;

-- Unlinks an identity from the caller, so that it can no longer sign in to the account.
-- refused: 'unknown' (the caller has no such identity), 'last_way_in' (the caller has no other
-- identity, and not both an email and a password).
create function turnpike.unlink_identity(p_request turnpike.request,
  p_identity_id text, out actor turnpike.caller, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
  given identities;
begin
  {{caller.opens}}
  select i.* into given from identities i
    where i.user_id = caller.user_id and turnpike.identity_id(i.issuer, i.subject) = p_identity_id;
  perform turnpike.lock_identity(given.issuer, given.subject);
  -- Locks all identities of the caller: of two concurrent unlinks, the second sees the remaining ones.
  perform from identities i where i.user_id = caller.user_id order by i.issuer, i.subject for update;
  select i.* into given
    from identities i
    where i.issuer = given.issuer and i.subject = given.subject and i.user_id = caller.user_id;
  if given.issuer is null then
    refused := 'unknown';
  elsif not exists (select from identities i where i.user_id = caller.user_id
    and (i.issuer, i.subject) <> (given.issuer, given.subject))
    and not exists (select from users u where u.user_id = caller.user_id and u.password_hash is not null
      and u.email is not null)
  then
    refused := 'last_way_in';
  else
    delete from identities i where i.issuer = given.issuer and i.subject = given.subject;
    perform turnpike.note_change(caller.user_id, 'identity.unlink', 'user', caller.user_id::text,
      jsonb_build_object('issuer', given.issuer, 'subject', given.subject), '{}', p_request.request_id,
      p_request.address, p_request.moment);
    perform turnpike.tell_factor(caller.user_id, 'identity', 'unlinked', p_request.moment);
  end if;
  {{caller.closes}}
end $$;
