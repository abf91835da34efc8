-- A turn of the books, with everything that they say about it.
create type turnpike.checked_turn as (
  turn_id text,
  user_id bigint,
  key_id text, -- null: none
  end_user_ref text,
  created_at timestamptz,
  window_started_at timestamptz, -- null: none
  test boolean,
  -- The space, if a member of it asked.
  shared bigint, -- null: not shared, or a test turn
  ended boolean,
  hold bigint,
  held bigint,
  billed bigint,
  -- No worker is due to look at it.
  unwatched boolean,
  -- It failed because of the service.
  ours boolean,
  due bigint,
  charges bigint,
  charged bigint,
  charge_id bigint, -- null: no entry yet
  elsewhere boolean, -- null: no charge
  of_other_kind boolean, -- null: no charge
  refunds bigint,
  refunded bigint,
  refund_id bigint, -- null: no refund
  -- The refund on the turn, which reports read.
  told bigint,
  refund_elsewhere boolean, -- null: no refund
  -- A refund returned the whole charge.
  undone boolean,
  -- The sum of the bills of its calls.
  bills bigint,
  chat_cost bigint, -- null: not a web chat
  calls_cost bigint,
  chat_differs boolean -- null: not a web chat
);

-- Reads the turns from p_first to p_last with their charges, refunds, calls and holds.
create function turnpike.checked_turns(p_first text, p_last text, p_orphaned_from timestamptz)
returns setof turnpike.checked_turn language plpgsql stable set plan_cache_mode = force_custom_plan set jit = off as $$
begin
  -- Records are read in the order of turn_id, because a look-up per turn would take several
  -- times as long. The end of the part is not a constant for the planner. If it were newer than
  -- the statistics, the planner would expect an empty part and compare each row with each.
  return query
  with upto as materialized (
    select p_last as turn_id
  ), part as materialized (
    select t.turn_id, t.user_id, t.conversation_id, t.position, t.key_id, t.end_user_ref,
      coalesce(t.counted_at, t.created_at) as created_at, t.finished_at,
      t.window_started_at, t.test, t.state, turnpike.shared_space(t) as shared, t.failed_by_us, t.hold_credit_micros,
      t.held_credit_micros, t.billed_credit_micros, t.refunded_credit_micros
    from turns t
    where t.turn_id >= p_first and t.turn_id <= (select n.turn_id from upto n)
  ), charge as materialized (
    select l.turn_id, count(*) as charges, -sum(l.amount_credit_micros)::bigint as charged,
      max(l.ledger_id) as charge_id, array_agg(l.user_id) as accounts, array_agg(l.reason) as reasons
    from (
      select e.turn_id, e.amount_credit_micros, e.ledger_id, e.user_id, e.reason
      from ledger e
      where e.reason in ('usage', 'space_usage')
        and e.turn_id >= p_first and e.turn_id <= (select n.turn_id from upto n)
      union all
      select q.turn_id, q.amount_credit_micros, null, q.user_id, q.reason
      from postings q
        where q.turn_id >= p_first and q.turn_id <= (select n.turn_id from upto n)) l
    group by 1
  ), refund as materialized (
    select l.turn_id, count(*) as refunds, sum(l.amount_credit_micros)::bigint as refunded,
      max(l.ledger_id) as refund_id, array_agg(l.user_id) as accounts
    from ledger l
    where l.reason = 'admin_action' and l.turn_id is not null and l.turn_id >= p_first
      and l.turn_id <= (select n.turn_id from upto n)
    group by 1
  ), called as materialized (
    select c.turn_id, sum(c.billed_credit_micros) filter (where not c.chat)::bigint as keyed_billed,
      count(*) filter (where c.chat) as calls, sum(c.cost_credit_micros) filter (where c.chat)::bigint as cost,
      sum(c.billed_credit_micros) filter (where c.chat)::bigint as billed
    from model_calls c
    where c.turn_id >= p_first and c.turn_id <= (select n.turn_id from upto n)
    group by 1
  ), record as materialized (
    select a.turn_id, a.model_calls, a.cost_credit_micros as cost, a.billed_credit_micros as billed
      from api_turns a
      where a.turn_id >= p_first and a.turn_id <= (select n.turn_id from upto n)
  )
  select t.turn_id, t.user_id, t.key_id, t.end_user_ref, t.created_at, t.window_started_at, t.test,
    case when not t.test then t.shared end as shared,
    t.finished_at is not null as ended, t.hold_credit_micros as hold, t.held_credit_micros as held,
    t.billed_credit_micros as billed,
    o.wake_at is null or (o.wake_at > p_orphaned_from and not exists (
      -- Ending the earlier turn wakes this one.
      select from turns e
      where e.conversation_id = t.conversation_id and e.position < t.position and e.finished_at is null)) as unwatched,
    t.failed_by_us as ours,
    case when t.finished_at is null or t.test then 0 else t.billed_credit_micros end as due,
    coalesce(c.charges, 0) as charges, coalesce(c.charged, 0) as charged, c.charge_id,
    t.user_id <> any (c.accounts) as elsewhere,
    case when t.key_id is null then 'usage' else 'space_usage' end = any (c.reasons) as of_other_kind,
    coalesce(r.refunds, 0) as refunds, coalesce(r.refunded, 0) as refunded, r.refund_id,
    coalesce(t.refunded_credit_micros, 0) as told,
    t.user_id <> any (r.accounts) as refund_elsewhere,
    coalesce(r.refunds = 1 and r.refunded = coalesce(c.charged, 0), false) as undone,
    coalesce(h.keyed_billed, 0) + coalesce(a.billed, 0) as bills, a.cost as chat_cost,
    coalesce(h.cost, 0) as calls_cost,
    (a.model_calls, a.cost, a.billed)
    <> (coalesce(h.calls, 0), coalesce(h.cost, 0), coalesce(h.billed, 0)) as chat_differs
  from part t
    left join charge c on c.turn_id = t.turn_id
    left join refund r on r.turn_id = t.turn_id
    left join record a on a.turn_id = t.turn_id
    left join called h on h.turn_id = t.turn_id
    left join open_turns o on o.user_id = t.user_id and o.test = t.test and o.turn_id collate "C" = t.turn_id;
end $$;

-- Checks the turns from p_first to p_last and returns a finding for everything that is wrong:
-- - A turn has one charge, with its amount, account and kind, if it has
-- ended with a bill. A turn that failed because of the service has none.
-- - The bills of its calls add up to the bill of the turn, and the calls of a web chat to its record in api_turns.
-- - A refund returns the whole charge, once, and the turn has its amount. After it, a wrong charge is not reported.
-- - The hold exists exactly while the turn is open, and the turn is due before p_orphaned_from.
-- - The current periods of its caps have counters.
create function turnpike.wrong_turns(p_first text, p_last text, p_orphaned_from timestamptz, p_moment timestamptz)
returns setof turnpike.finding language plpgsql stable set plan_cache_mode = force_custom_plan set jit = off as $$
begin
  return query
  with looked as materialized (
    select k.* from turnpike.checked_turns(p_first, p_last, p_orphaned_from) k
  ), suspect as (
    -- Almost no turn is suspect, and only suspect turns are checked in detail.
    select k.* from looked k where (k.ended and k.held = 0 and k.charges = case when k.due > 0 then 1 else 0 end
      and k.charged = k.due and not (k.ours and k.charged > 0) and k.bills = k.billed and k.refunds = 0
      and k.told = 0
      and k.elsewhere is not true and k.of_other_kind is not true and k.chat_differs is not true) is not true
  ), current as materialized (
    -- No window is longer than 31 days.
    select distinct s.user_id, p.kind, p.subject, p.period, p.starts_at
    from looked s left join api_keys k on k.key_id = s.key_id, lateral turnpike.counters_of(s.key_id, s.end_user_ref,
      s.shared, s.created_at, s.window_started_at) p
    where s.created_at > p_moment - interval '32 days' and (s.billed > 0 or (not s.ended and s.hold > 0))
      and turnpike.is_current_period(p.period, p.starts_at, k.window_seconds, p_moment)
  ), wrong as (
    select f.kind, s.user_id, s.turn_id, f.ledger_id, null::jsonb as counter, f.expected, f.found
    from suspect s, lateral (values
      ('charged_twice', s.charges > 1 and not s.undone, s.charge_id, s.due, s.charged),
      ('charge_missing', s.charges = 0 and s.due > 0, null, s.due, 0),
      ('failure_charged', s.ours and s.charged > 0 and s.refunds = 0, s.charge_id, 0, s.charged),
      ('charge_unexpected', s.charges = 1 and s.due = 0 and not s.ours and not s.undone, s.charge_id, 0, s.charged),
      ('charge_amount', s.charges = 1 and s.due > 0 and s.charged <> s.due and not s.undone, s.charge_id, s.due,
        s.charged),
      ('charge_of_other_account', s.elsewhere, s.charge_id, null, s.charged),
      ('charge_of_other_kind', s.of_other_kind, s.charge_id, null, s.charged),
      ('usage_bills', s.bills <> s.billed, null, s.billed, s.bills),
      ('chat_calls', s.chat_differs, null, s.chat_cost, s.calls_cost),
      ('refunded_twice', s.refunds > 1, s.refund_id, s.charged, s.refunded),
      ('refund_amount', s.refunds = 1 and s.refunded <> s.charged, s.refund_id, s.charged, s.refunded),
      ('refund_untold', s.refunds < 2 and s.refunded <> s.told and (s.refunds = 0 or s.refunded = s.charged),
        s.refund_id, s.refunded, s.told),
      ('refund_of_other_account', s.refund_elsewhere, s.refund_id, null, s.refunded),
      ('hold_on_ended_turn', s.ended and s.held <> 0, null, 0, s.held),
      ('hold_differs', not s.ended and s.held <> s.hold, null, s.hold, s.held),
      ('orphaned_turn', not s.ended and s.unwatched, null, s.hold, s.held)
    ) f (kind, wrong, ledger_id, expected, found)
    where f.wrong
    union all
    -- Current periods of turns that have no counter at all. The phase of counters checks the amounts of counters.
    select 'counter_missing', p.user_id, null, null,
      jsonb_build_object('kind', p.kind, 'subject', p.subject, 'period', p.period, 'starts_at', p.starts_at), null, 0
    from current p
    -- Counters are looked up one by one, because a join would read all of them.
    where (select c.user_id from spend_counters c where c.user_id = p.user_id and c.kind = p.kind
      and c.subject = p.subject
      and c.period = p.period and c.starts_at = p.starts_at) is null
      and (select turnpike.is_counted_from(g.since, p.starts_at) from spend_counted g where g.user_id = p.user_id
        and g.kind = p.kind
        and g.subject = case p.kind when 'key' then p.subject else '' end)
  )
  select w.kind, w.user_id, w.turn_id, w.ledger_id, w.counter, w.expected, w.found
  from wrong w;
end $$;

-- Checks the p_size turns after p_position. settled: the last turn
-- before the first one that had not ended before p_settled_before.
-- It is null if all had ended.
create function turnpike.turns_slice(p_position text, p_size integer, p_settled_before timestamptz,
  p_orphaned_from timestamptz, p_moment timestamptz) returns turnpike.books_slice
language plpgsql stable set plan_cache_mode = force_custom_plan as $$
declare
  slice turnpike.books_slice;
  first text;
  unsettled text;
begin
  select count(*), min(p.turn_id), max(p.turn_id),
      min(p.turn_id) filter (where p.finished_at is null or p.finished_at >= p_settled_before)
    into slice.rows, first, slice.last, unsettled
    from (select t.turn_id, t.finished_at from turns t where t.turn_id > p_position order by t.turn_id limit p_size) p;
  if unsettled is not null then
    slice.settled := coalesce((select t.turn_id from turns t where t.turn_id > p_position and t.turn_id < unsettled
      order by t.turn_id desc limit 1), p_position);
  end if;
  slice.findings := array(select row(w.*)::turnpike.finding
    from turnpike.wrong_turns(first, slice.last, p_orphaned_from, p_moment) w);
  return slice;
end $$;
