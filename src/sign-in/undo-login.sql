-- Ends every session of an identity's account by raising the epoch. Returns the user; null if the identity has none.
create function turnpike.end_sessions_of_identity(p_issuer text, p_subject text) returns bigint language plpgsql as $$
declare
  owner bigint;
begin
  update users u set session_epoch = u.session_epoch + 1
    from identities i
    where i.issuer = p_issuer and i.subject = p_subject and u.user_id = i.user_id
    returning u.user_id into owner;
  return owner;
end $$;
