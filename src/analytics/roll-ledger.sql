-- Moves up to p_limit rows from the queue of the ledger into its rollups, as roll_turns does for ended turns.
-- Returns the number of rows, or 0 while another run is rolling up.
-- A late row deletes the stored balances of its day and of later days, so that close_balances makes them again.
create function turnpike.roll_ledger(p_limit integer) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  rolled integer;
begin
  -- Two runs would wait for each other's rows. The lock also
  -- keeps close_balances from storing a day in the meantime.
  if not pg_try_advisory_xact_lock(hashtext('roll_ledger'), 0) then
    return 0;
  end if;
  with deleted as (
    delete from ledger_queue q
      where q.ctid = any (array(select n.ctid from ledger_queue n limit p_limit))
      returning q.*
  ), taken as materialized (
    select d.*, (d.created_at at time zone 'UTC')::date as day, d.reason in ('usage', 'space_usage') as is_debit,
      o.brand
      from deleted d
        left join account_brands o on o.user_id = d.user_id
  ), reopened as (
    delete from balance_days b where b.day >= (select min(t.day) from taken t)
  ), days as (
    insert into ledger_days as r (day, reason, brand, entries, given_credit_micros, taken_credit_micros)
    select t.day, t.reason, t.brand, count(*),
      coalesce(sum(t.amount_credit_micros) filter (where t.amount_credit_micros > 0), 0),
      coalesce(sum(t.amount_credit_micros) filter (where t.amount_credit_micros < 0), 0)
    from taken t
    group by 1, 2, 3
    on conflict (day, reason, brand) do update set entries = r.entries + excluded.entries,
      given_credit_micros = r.given_credit_micros + excluded.given_credit_micros,
      taken_credit_micros = r.taken_credit_micros + excluded.taken_credit_micros
  ), user_days as (
    insert into ledger_user_days as r (user_id, day, ledger_id, balance_after_credit_micros, debits)
    select distinct on (t.user_id, t.day) t.user_id, t.day, t.ledger_id, t.balance_after_credit_micros,
      count(*) filter (where t.is_debit) over (partition by t.user_id, t.day)
    from taken t
    order by t.user_id, t.day, t.ledger_id desc
    on conflict (user_id, day) do update set debits = r.debits + excluded.debits,
      ledger_id = greatest(r.ledger_id, excluded.ledger_id),
      balance_after_credit_micros = case when excluded.ledger_id > r.ledger_id
        then excluded.balance_after_credit_micros else r.balance_after_credit_micros end
  ), users as (
    insert into ledger_users as r (user_id, ledger_id, balance_after_credit_micros, debited_at)
    select distinct on (t.user_id) t.user_id, t.ledger_id, t.balance_after_credit_micros,
      max(t.created_at) filter (where t.is_debit) over (partition by t.user_id)
    from taken t
    order by t.user_id, t.ledger_id desc
    on conflict (user_id) do update set debited_at = greatest(r.debited_at, excluded.debited_at),
      ledger_id = greatest(r.ledger_id, excluded.ledger_id),
      balance_after_credit_micros = case when excluded.ledger_id > r.ledger_id
        then excluded.balance_after_credit_micros else r.balance_after_credit_micros end
  )
  select count(*) into rolled
  from deleted;
  return rolled;
end $$;
