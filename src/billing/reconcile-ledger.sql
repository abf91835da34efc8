-- Checks the p_size ledger rows after p_position:
-- - The running total is the previous total of the account plus the amount. If
-- not, a previous row is missing or this row was changed. If only a total was
-- changed, the next row does not fit either, but it is not reported again.
-- - A charge without a turn is for containers and storage, and it has a bill of the same amount.
-- - A row for a turn up to p_turn_from, such as a refund, is newer
-- than the last check of that turn. So the turn is checked again.
create function turnpike.ledger_slice(p_position text, p_size integer, p_turn_from text, p_orphaned_from timestamptz,
  p_moment timestamptz) returns turnpike.books_slice
language plpgsql stable set plan_cache_mode = force_custom_plan set jit = off as $$
declare
  slice turnpike.books_slice;
begin
  with looked as materialized (
    select l.ledger_id, l.user_id, l.reason, l.turn_id, coalesce(l.amount_credit_micros, 0) as amount,
      l.balance_after_credit_micros as total
    from ledger l
    where l.ledger_id > coalesce(nullif(p_position, ''), '0')::bigint
    order by l.ledger_id limit p_size
  ), linked as (
    select k.*, true as own
    from looked k
    union all
    select former.*, false
    from (select k.user_id, min(k.ledger_id) as first from looked k group by k.user_id) f, lateral (
      select l.ledger_id, l.user_id, l.reason, l.turn_id, coalesce(l.amount_credit_micros, 0),
        l.balance_after_credit_micros
      from ledger l
      where l.user_id = f.user_id and l.ledger_id < f.first
      order by l.ledger_id desc limit 2
    ) former
  ), chained as (
    select k.*, lag(k.total, 1, 0::bigint) over (partition by k.user_id order by k.ledger_id) + k.amount as expected
      from linked k
  ), broken as (
    select c.*, lag(c.total - c.expected, 1,
      0::bigint) over (partition by c.user_id order by c.ledger_id) as broken_before
    from chained c
  ), late as (
    -- Each turn is checked once, at its last row.
    select k.turn_id from looked k where k.turn_id <= p_turn_from and k.ledger_id = greatest(
      (select max(l.ledger_id) from ledger l where l.turn_id = k.turn_id and l.reason in ('usage', 'space_usage')),
      (select max(l.ledger_id) from ledger l where l.turn_id = k.turn_id and l.reason = 'admin_action'))
  )
  select (select count(*) from looked), (select max(k.ledger_id)::text from looked k),
    array(select row(w.kind, w.user_id, w.turn_id, w.ledger_id, w.counter, w.expected, w.found)::turnpike.finding from (
      select 'running_total' as kind, b.user_id, b.turn_id, b.ledger_id, null::jsonb as counter, b.expected,
        b.total as found
      from broken b
      where b.own and b.total <> b.expected and not (b.broken_before <> 0 and b.broken_before = b.expected - b.total)
      union all
      select 'charge_without_turn', k.user_id, null, k.ledger_id, null, 0, -k.amount
      from looked k
      where k.reason in ('usage', 'space_usage') and k.turn_id is null
        and not exists (select from infra_bills b where b.ledger_id = k.ledger_id and k.reason = 'space_usage')
      union all
      select 'infra_bill', k.user_id, null, k.ledger_id, null, b.billed_credit_micros, -k.amount
      from looked k
        join infra_bills b on b.ledger_id = k.ledger_id
      where k.turn_id is null and (b.billed_credit_micros <> -k.amount or b.user_id <> k.user_id)
      union all
      select f.kind, f.user_id, f.turn_id, f.ledger_id, f.counter, f.expected, f.found
      from late t, lateral turnpike.wrong_turns(t.turn_id, t.turn_id, p_orphaned_from, p_moment) f) w), null
  into slice;
  return slice;
end $$;
