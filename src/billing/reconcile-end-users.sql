-- Checks p_size wallets of end users after p_position:
-- - The balance equals the last running total of the wallet's ledger.
-- - The held credit equals the holds of the end user's open turns.
-- - With p_scope 'all', the ledger also adds up, and its charges less refunds equal those of the end user's turns that
--   were not refunded.
create function turnpike.end_users_slice(p_position text, p_size integer, p_scope text, p_moment timestamptz)
returns turnpike.books_slice
language plpgsql stable set plan_cache_mode = force_custom_plan set jit = off as $$
declare
  behind jsonb := coalesce(nullif(p_position, ''), '["0", "false", ""]');
  slice turnpike.books_slice;
begin
  with part as materialized (
    select w.*, row_number() over (order by w.user_id, w.test, w.end_user_ref) as position
    from end_user_wallets w
    where (w.user_id, w.test, w.end_user_ref) > ((behind ->> 0)::bigint, (behind ->> 1)::boolean, behind ->> 2)
    order by w.user_id, w.test, w.end_user_ref limit p_size
  ), open as materialized (
    select t.user_id, t.test, t.end_user_ref, sum(t.end_user_hold_credit_micros) as holds
    from open_turns o
      join turns t on t.turn_id = o.turn_id
    where o.user_id in (select p.user_id from part p) and t.end_user_hold_credit_micros is not null
      and t.state in ('queued', 'running')
    group by 1, 2, 3
  ), looked as materialized (
    select p.*, coalesce(o.holds, 0)::bigint as holds,
      coalesce((select l.balance_after_credit_micros from end_user_ledger l
        where l.user_id = p.user_id and l.test = p.test and l.end_user_ref = p.end_user_ref
          order by l.entry_id desc limit 1), 0) as total,
      case when p_scope = 'all' then (select coalesce(sum(l.amount_credit_micros), 0)::bigint from end_user_ledger l
        where l.user_id = p.user_id and l.test = p.test and l.end_user_ref = p.end_user_ref) end as summed,
      case when p_scope = 'all' then (select coalesce(-sum(l.amount_credit_micros), 0)::bigint from end_user_ledger l
        where l.user_id = p.user_id and l.test = p.test and l.end_user_ref = p.end_user_ref
          and l.reason in ('usage', 'refund')) end as booked,
      case when p_scope = 'all' then (select
        coalesce(sum(t.end_user_charge_credit_micros) filter (where t.refunded_at is null), 0)::bigint from turns t
        where t.user_id = p.user_id and t.test = p.test and t.end_user_ref = p.end_user_ref
          and t.end_user_hold_credit_micros is not null) end as charged
    from part p
      left join open o on o.user_id = p.user_id and o.test = p.test and o.end_user_ref = p.end_user_ref
  )
  select (select count(*) from part),
    (select jsonb_build_array(p.user_id::text, p.test::text, p.end_user_ref)::text from part p
      where p.position = (select max(n.position) from part n)),
    array(select row(f.kind, k.user_id, null, null,
      jsonb_build_object('kind', 'wallet', 'subject', k.end_user_ref, 'period', 'day',
        'starts_at', date_trunc('day', p_moment, 'UTC')), f.expected, f.found)::turnpike.finding
      from looked k,
        lateral (values ('end_user_balance', k.total, k.balance_credit_micros),
          ('end_user_held', k.holds, k.held_credit_micros), ('end_user_ledger', k.summed, k.total),
          ('end_user_charges', k.charged, k.booked)) f (kind, expected, found)
      where coalesce(f.expected <> f.found, false) order by k.position), null
  into slice;
  return slice;
end $$;
