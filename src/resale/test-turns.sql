-- Test turns that are charged to end users, or that their limits bind. They work with rehearsed amounts, which are in
-- columns and rows of their own (docs/decisions/0034-test-money.md). So live amounts never contain them.

-- Returns a turn with the amounts that procedures for both modes work with: a test turn with its rehearsed ones.
create function turnpike.as_rehearsed(turn turns) returns turns language plpgsql immutable as $$
declare
  amounts turns := turn;
begin
  if turn.test then
    amounts.hold_credit_micros := coalesce(turn.rehearsed_hold_credit_micros, 0);
    amounts.cost_credit_micros := coalesce(turn.rehearsed_cost_credit_micros, 0);
    amounts.held_credit_micros := case when turn.finished_at is null then amounts.hold_credit_micros else 0 end;
    amounts.billed_credit_micros := case when turn.finished_at is null then 0 else amounts.cost_credit_micros end;
  end if;
  return amounts;
end $$;

-- Returns the price and the setting of prepaid that an account has for end users without one, for live or test turns.
-- Null without such a row.
create function turnpike.account_defaults(p_user_id bigint, p_test boolean) returns test_defaults
language plpgsql stable as $$
declare
  usual test_defaults;
begin
  if p_test then
    select d.* into usual from test_defaults d where d.user_id = p_user_id;
  else
    select w.user_id, w.end_user_price, w.end_user_prepaid into usual from wallets w where w.user_id = p_user_id;
  end if;
  return usual;
end $$;
