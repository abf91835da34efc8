-- Replaces the keys of metadata by which the usage of an account can be grouped. refused: 'scope'.
create function turnpike.put_usage_keys(p_request turnpike.request, p_keys jsonb, out actor turnpike.caller, out refused text)
language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  refused := case when turnpike.sees_account(caller) is not true then 'scope' end;
  if refused is null then
    insert into wallets (user_id, usage_keys) values (caller.user_id, p_keys)
    on conflict (user_id) do update set usage_keys = excluded.usage_keys;
  end if;
  {{caller.closes}}
end $$;
