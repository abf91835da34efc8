-- Sets the budget of the caller's account, or deletes it (p_amount null). Nothing is told twice in a month for the
-- same amount. The sweep looks at the account within a minute.
create function turnpike.put_budget(p_request turnpike.request, p_amount bigint, p_percents integer[],
  p_forecast boolean, out actor turnpike.caller)
language plpgsql as $$
declare
  caller turnpike.caller;
  was budgets;
  wanted budgets;
begin
  {{caller.opens}}
  select b.* into was from budgets b where b.user_id = caller.user_id for no key update;
  if p_amount is null then
    update budgets b set amount_credit_micros = null, updated_at = p_request.moment
      where b.user_id = caller.user_id and b.amount_credit_micros is not null
      returning b.* into wanted;
  else
    insert into budgets as b (user_id, amount_credit_micros, percents, forecast, updated_at)
    values (caller.user_id, p_amount, p_percents, p_forecast, p_request.moment)
    on conflict (user_id) do update set amount_credit_micros = excluded.amount_credit_micros,
      percents = excluded.percents, forecast = excluded.forecast, ledger_id = 0, updated_at = excluded.updated_at
    returning b.* into wanted;
  end if;
  if wanted.user_id is not null then
    perform turnpike.note_own_change(p_request, caller, 'account.budget', 'user', caller.user_id::text,
      turnpike.budget_facts(was), turnpike.budget_facts(wanted));
  end if;
  {{caller.closes}}
end $$;

-- A budget for the audit log. Null: the account has no budget.
create function turnpike.budget_facts(budget budgets) returns jsonb language sql immutable as $$
  select case when budget.amount_credit_micros is not null then
    jsonb_build_object('amount_credit_micros', budget.amount_credit_micros, 'percents', budget.percents,
      'forecast', budget.forecast) end
$$;
