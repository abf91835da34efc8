-- Sets a counter to the sums of its turns and returns true.
-- Under the locks of the account no other transaction counts, and the next statement sees all turns.
create function turnpike.repair_counter(p_user_id bigint, p_kind text, p_subject text, p_period text,
  p_since timestamptz)
returns boolean language plpgsql as $$
begin
  perform turnpike.lock_account(p_user_id);
  delete from spend_counter_shards s
    where s.user_id = p_user_id and s.kind = p_kind and s.subject = p_subject
    and s.period = p_period and s.starts_at = p_since;
  insert into spend_counters (
      user_id, kind, subject, period, starts_at, spent_credit_micros, reserved_credit_micros, counted)
  select
      p_user_id, p_kind, p_subject, p_period, p_since, coalesce(sum(s.spent), 0), coalesce(sum(s.reserved), 0), true
  from turnpike.subject_spend(p_user_id, p_kind, p_subject, turnpike.first_counted_id(p_since)) s
    where turnpike.counts_in(p_period, p_since, s.day, s.window_started_at)
  on conflict (user_id, kind, subject, period, starts_at) do update set
    spent_credit_micros = excluded.spent_credit_micros, reserved_credit_micros = excluded.reserved_credit_micros,
    counted = true;
  return true;
end $$;

-- Sets the held credit of an account to the holds of its open turns, whose ids are all after p_turn_from.
-- Returns false if the balance does not cover the holds.
create function turnpike.repair_held(p_user_id bigint, p_turn_from text) returns boolean language plpgsql as $$
declare
  holds bigint;
  shard integer := turnpike.lock_account(p_user_id);
  sums record;
begin
  select s.* into sums from turnpike.wallet_sums(p_user_id) s;
  select coalesce(sum(t.hold_credit_micros), 0) into holds
    from turns t
    where t.user_id = p_user_id and t.test in (false, true) and t.turn_id collate "C" > p_turn_from
      and t.state in ('queued', 'running');
  return sums.balance >= holds and turnpike.change_held(p_user_id, shard, holds - sums.held);
end $$;

-- Repairs a finding if no decision is needed, and records the repair. Returns whether it was repaired.
-- A repair never changes an amount that was paid or charged.
create function turnpike.repair_finding(p_finding_id bigint, p_moment timestamptz) returns boolean
language plpgsql as $$
declare
  finding reconciliation_findings;
  counter jsonb;
  code text;
  repaired boolean := false;
begin
  select f.* into finding from reconciliation_findings f where f.finding_id = p_finding_id;
  counter := finding.counter;
  case finding.kind
    when 'held' then
      repaired := turnpike.repair_held(finding.user_id, (select r.turn_from from reconciliations r
        where r.reconciliation_id = finding.reconciliation_id));
    when 'failure_charged' then
      select t.error_code into code from turns t where t.turn_id = finding.turn_id;
      select (r.entry).ledger_id is not null into repaired from turnpike.refund_turn(finding.turn_id, 'system',
        'Refunded automatically: the turn failed with ' || code || ', which is our failure.', p_moment) r;
    when 'orphaned_turn' then
      insert into open_turns as o (turn_id, conversation_id, position, user_id, test, state, wake_at, created_at, lane)
      select t.turn_id, t.conversation_id, t.position, t.user_id, t.test, case when t.waiting is not null then 'waiting'
            when exists (select from open_turns f where f.conversation_id = t.conversation_id and f.wake_at < 'infinity'
              and f.state = 'waiting' and f.turn_id <> t.turn_id) then 'blocked' else t.state end,
          case when exists (select from open_turns f
            where f.conversation_id = t.conversation_id and f.wake_at < 'infinity'
              and f.turn_id <> t.turn_id) then 'infinity' else p_moment end,
          t.created_at, hashtext(t.end_user_ref)
        from turns t
        where t.turn_id = finding.turn_id and t.state in ('queued', 'running') for no key update
      on conflict (user_id, test, turn_id collate "C") do update set state = excluded.state, wake_at = excluded.wake_at;
      repaired := found;
    when 'counter_spent', 'counter_reserved', 'counter_missing' then
      repaired := turnpike.repair_counter(finding.user_id, counter ->> 'kind', counter ->> 'subject',
        counter ->> 'period', (counter ->> 'starts_at')::timestamptz);
    else
      return false;
  end case;
  if repaired then
    update reconciliation_findings f set repaired_at = p_moment where f.finding_id = p_finding_id;
    perform turnpike.note_change(null, 'books.repair', 'finding', p_finding_id::text, null, to_jsonb(finding), null,
      null, p_moment);
  end if;
  return repaired;
end $$;
