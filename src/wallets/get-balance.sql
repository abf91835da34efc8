-- The balance of the caller's account, and how much of it is held.
create function turnpike.get_balance(p_caller_kind text, p_caller_token text, p_caller_test boolean, p_moment timestamptz,
  out actor jsonb, out balance bigint, out held bigint) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  caller := turnpike.find_caller(p_caller_kind, p_caller_token, p_caller_test, p_moment);
  actor := to_jsonb(caller);
  if caller.usable is not true then
    return;
  end if;
  select s.balance, s.held into balance, held from turnpike.wallet_sums(caller.user_id) s;
  perform turnpike.note_use(caller, p_moment);
end $$;
