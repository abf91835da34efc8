-- Returns the balance of the caller's account, and how much of it is held.
create function turnpike.get_balance(p_request turnpike.request,
  out actor turnpike.caller, out balance bigint, out held bigint) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  caller := turnpike.find_caller(p_request);
  actor := caller;
  if caller.usable is not true then
    return;
  end if;
  select s.balance, s.held into balance, held from turnpike.wallet_sums(caller.user_id) s;
  perform turnpike.note_use(caller, p_request.moment);
end $$;
