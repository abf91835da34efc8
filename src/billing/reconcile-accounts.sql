-- Checks the p_size accounts after p_position:
-- - The balance equals the last running total of the ledger. With
-- the chain that ledger_slice checks, the balance is the sum.
-- - The held credit equals the holds of open turns.
-- - The unposted charges of the shards equal the queue of postings.
-- - The due amount equals the part of bills for containers and storage that could not be charged.
-- - At most one active subscription was not given besides another one.
-- p_turn_from: all open turns have higher ids, because a turn that has ended never opens again.
create function turnpike.accounts_slice(p_position text, p_size integer, p_turn_from text, p_moment timestamptz)
returns turnpike.books_slice language plpgsql stable set plan_cache_mode = force_custom_plan set jit = off as $$
declare
  slice turnpike.books_slice;
begin
  with known as (
    select u.user_id, coalesce(w.balance_credit_micros, 0) as balance, sums.held, coalesce(last.total, 0) as total,
      open.holds, sums.balance - coalesce(w.balance_credit_micros, 0) as unposted, queued.amount as queued,
      coalesce(a.due_credit_micros, 0) as due, bills.unpaid
    from (select n.user_id from users n where n.user_id > coalesce(nullif(p_position, ''), '0')::bigint
      order by n.user_id limit p_size) u
      left join wallets w on w.user_id = u.user_id
      left join infra_accounts a on a.user_id = u.user_id
      left join lateral (
        select l.balance_after_credit_micros as total
          from ledger l
          where l.user_id = u.user_id
          order by l.ledger_id desc limit 1
      ) last on true,
      lateral turnpike.wallet_sums(u.user_id) sums,
      lateral (select coalesce(sum(b.cost_credit_micros - b.billed_credit_micros), 0)::bigint as unpaid
        from infra_bills b
        where b.user_id = u.user_id) bills,
      lateral (select coalesce(sum(q.amount_credit_micros), 0)::bigint as amount from postings q
        where q.user_id = u.user_id) queued,
      lateral (
        select coalesce(sum(t.hold_credit_micros), 0)::bigint as holds
        from open_turns o
          join turns t on t.turn_id = o.turn_id
        where o.user_id = u.user_id and t.state in ('queued', 'running')
      ) open
  ), looked as materialized (
    -- If open_turns disagrees with the held credit, all turns
    -- that may be open are read, because open_turns may be wrong.
    select k.user_id, k.balance, k.held, k.total, case when k.holds = k.held then k.holds else (
        select coalesce(sum(t.hold_credit_micros), 0)::bigint
        from turns t
        where t.user_id = k.user_id and t.test in (false, true) and t.turn_id collate "C" > p_turn_from
          and t.state in ('queued', 'running')) end as holds, k.unposted, k.queued, k.due, k.unpaid
    from known k
  )
  select (select count(*) from looked), (select max(k.user_id)::text from looked k),
    array(select row(f.kind, k.user_id, null, null, null, f.expected, f.found)::turnpike.finding
      from looked k,
        lateral (values ('balance', k.total, k.balance), ('held', k.holds, k.held), ('unposted', k.queued, k.unposted),
          ('infra_due', k.unpaid, k.due)) f
        (kind, expected, found)
      where f.expected <> f.found order by k.user_id)
    || array(select row('subscriptions', k.user_id, null, null, null, null, null)::turnpike.finding from looked k
      where (select count(*) from subscriptions s where s.user_id = k.user_id and not s.trial and not s.alongside
        and s.deactivated_at is null and s.starts_at <= p_moment and (s.ends_at is null or s.ends_at > p_moment)) > 1
      order by k.user_id), null
  into slice;
  return slice;
end $$;
