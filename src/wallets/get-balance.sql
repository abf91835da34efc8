-- Returns the balance of the caller's account, and how much of it is held.
create function turnpike.get_balance(p_request turnpike.request,
  out actor turnpike.caller, out balance bigint, out held bigint) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  select s.balance, s.held into balance, held from turnpike.wallet_sums(caller.user_id) s;
  {{caller.closes}}
end $$;
