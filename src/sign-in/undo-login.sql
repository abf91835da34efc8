-- Ends every session of the account of an identity, by raising its epoch. Returns its user; null when it has none.
create function turnpike.end_sessions_of_identity(p_issuer text, p_subject text) returns bigint language plpgsql as $$
declare
  owner bigint;
begin
  update users u set session_epoch = u.session_epoch + 1 from identities i
    where i.issuer = p_issuer and i.subject = p_subject and u.user_id = i.user_id returning u.user_id into owner;
  return owner;
end $$;
