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
  select w.balance_credit_micros, w.held_credit_micros into balance, held from wallets w where w.user_id = caller.user_id;
  balance := coalesce(balance, 0);
  held := coalesce(held, 0);
  perform turnpike.note_use(caller, p_moment);
end $$;
