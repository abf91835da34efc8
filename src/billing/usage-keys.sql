-- Replaces the keys of metadata by which the usage of an account can be grouped. refused: 'scope'.
create function turnpike.put_usage_keys(p_request turnpike.request, p_keys jsonb, out actor turnpike.caller,
  out refused text)
language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  refused := case when turnpike.sees_account(caller) is not true then 'scope' end;
  if refused is null then
    perform turnpike.set_usage_keys(caller.user_id, p_keys);
  end if;
  {{caller.closes}}
end $$;
