-- Lists the budgets of accounts after p_after, by id, whose accounts have ledger rows that were not looked at.
-- days: the spend of the account from p_from on. daily_cap: of its plan, or null. ledger_id: its last ledger row.
-- is_first: the first look since the month of p_moment began, so rows of the month before may not have been looked at.
create function turnpike.due_budgets(p_from date, p_after bigint, p_limit integer, p_moment timestamptz)
returns table (user_id bigint, amount bigint, percents integer[], forecast boolean, days turnpike.spent_day[],
  daily_cap bigint, ledger_id bigint, is_first boolean)
language plpgsql stable set enable_seqscan = off as $$
begin
  return query select b.user_id, b.amount_credit_micros, b.percents, b.forecast,
      array(select d from turnpike.spend_by_day(b.user_id, p_from) d),
      turnpike.plan_cap(b.user_id, 'daily_cap_usd', p_moment), n.ledger_id,
      -- A budget that was set in this month says nothing of the month before.
      coalesce(b.told_month < s.at::date and b.told_amount = b.amount_credit_micros
        and b.updated_at < s.at at time zone 'UTC', false)
    from budgets b, lateral (select turnpike.last_ledger_id(b.user_id) as ledger_id) n,
      (select date_trunc('month', p_moment at time zone 'UTC') as at) s
    where b.user_id > p_after and b.amount_credit_micros is not null and n.ledger_id > b.ledger_id
    order by b.user_id limit p_limit;
end $$;

-- The address of an account, for an email.
create type turnpike.told_account as (
  email text, -- null: it has none
  brand text
);

-- Tells alerts of a budget, each once in a month for an amount: with an event budget.reached. Notes that the account
-- was looked at up to p_ledger_id. A budget that has changed since is left to the next look.
-- p_month: the first day of the month. p_alerts: percents, and `forecast`. p_expected: the expected spend of the
-- month; null: there is no forecast.
-- told: the alerts that were not told before.
create function turnpike.tell_budget(p_user_id bigint, p_amount bigint, p_month date, p_alerts text[], p_spent bigint,
  p_expected bigint, p_ledger_id bigint, p_moment timestamptz, out told text[], out account turnpike.told_account)
language plpgsql as $$
declare
  budget budgets;
  before jsonb;
  alert text;
begin
  told := '{}';
  select b.* into budget
    from budgets b
    where b.user_id = p_user_id and b.amount_credit_micros = p_amount for no key update;
  if budget.user_id is null then
    return;
  end if;
  before := case when (budget.told_month, budget.told_amount) = (p_month, p_amount) then budget.told else '{}' end;
  told := array(select a from unnest(p_alerts) with ordinality as l(a, place) where not before ? a order by l.place);
  update budgets b
    set told = before
    || coalesce((select jsonb_object_agg(a, turnpike.iso_instant(p_moment)) from unnest(tell_budget.told) a), '{}'),
    told_month = p_month, told_amount = p_amount, ledger_id = greatest(b.ledger_id, p_ledger_id)
    where b.user_id = p_user_id;
  foreach alert in array told loop
    perform turnpike.tell_notice(p_user_id, 'budget.reached', jsonb_build_object(
      'alert', case alert when 'forecast' then 'forecast' else 'spent' end,
      'percent', case when alert <> 'forecast' then alert::integer end, 'month', to_char(p_month, 'YYYY-MM'),
      'budget_usd', turnpike.usd_decimal(p_amount)::numeric, 'spent_usd', turnpike.usd_decimal(p_spent)::numeric,
      'expected_usd', turnpike.usd_decimal(p_expected)::numeric), p_moment);
  end loop;
  select turnpike.owner_email(u.user_id), u.brand into account
    from users u
    where u.user_id = p_user_id;
end $$;
