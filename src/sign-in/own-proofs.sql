-- The caller's password hash and the sealed secret of the caller's second factor, each null if missing.
-- factor_counts: the second factor was confirmed. Only the caller's own session opens them: no role
-- reads these columns.
create function turnpike.own_proofs(p_request turnpike.request,
  out actor turnpike.caller, out password_hash text, out factor_secret text, out factor_counts boolean)
language plpgsql as $$
declare
  caller turnpike.caller;
begin
  caller := turnpike.find_caller(p_request);
  actor := caller;
  if caller.usable is not true or caller.kind is distinct from 'session' then
    return;
  end if;
  select u.password_hash, f.secret, f.confirmed_at is not null into password_hash, factor_secret, factor_counts
    from users u
      left join second_factors f on f.user_id = u.user_id
    where u.user_id = caller.user_id;
  -- A concurrent change may have ended the session between the two reads. Its owner gets 401, not WRONG_PASSWORD.
  actor := turnpike.find_caller(p_request);
  {{caller.closes}}
end $$;
