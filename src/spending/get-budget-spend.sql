-- Returns the budget of the caller's account, and what the account has spent from p_from on. Null: it has no budget.
create function turnpike.get_budget_spend(p_request turnpike.request, p_from date, out actor turnpike.caller,
  out amount bigint, out spent bigint)
language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  amount := (select b.amount_credit_micros from budgets b where b.user_id = caller.user_id);
  if amount is not null then
    spent := (select coalesce(sum(d.amount), 0) from turnpike.spend_by_day(caller.user_id, p_from) d);
  end if;
  {{caller.closes}}
end $$;
