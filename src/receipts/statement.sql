-- The start of a month (UTC), and of the next.
create function turnpike.month_starts(p_month date, out starts timestamptz, out ends timestamptz)
language plpgsql immutable as $$
begin
  starts := p_month::timestamp at time zone 'UTC';
  ends := (p_month + interval '1 month') at time zone 'UTC';
end $$;

-- How long after its end a month is settled: no turn can end in it any more (settlesMs in src/receipts/policies.ts).
create function turnpike.settles_after() returns interval language sql immutable as $$ select interval '15 minutes' $$;

-- When an account's usage began: the end of its first live turn, or its creation.
create function turnpike.usage_since(p_user_id bigint) returns timestamptz language plpgsql stable as $$
begin
  return least((select u.created_at from users u where u.user_id = p_user_id),
    (select e.finished_at from ended_turns e where e.user_id = p_user_id and not e.test
      order by e.finished_at limit 1));
end $$;

-- Returns the statement of the caller's account for a month, and creates it if it was never asked for.
-- statement: null if the month is not over. refused: scope, future (the month has not begun), before (it was over
-- when the usage of the account began).
create function turnpike.open_statement(p_request turnpike.request, p_month date,
  out actor turnpike.caller, out refused text, out statement statements) language plpgsql as $$
declare
  caller turnpike.caller;
  span record := turnpike.month_starts(p_month);
begin
  {{caller.opens}}
  refused := case when turnpike.sees_account(caller) is not true then 'scope'
    when (span.starts <= p_request.moment) is not true then 'future'
    when (span.ends > turnpike.usage_since(caller.user_id)) is not true then 'before' end;
  if refused is null and span.ends <= p_request.moment - turnpike.settles_after() then
    insert into statements (user_id, month, created_at)
      values (caller.user_id, p_month, p_request.moment)
      on conflict do nothing;
    select s.* into statement from statements s where s.user_id = caller.user_id and s.month = p_month;
  end if;
  {{caller.closes}}
end $$;

-- Returns the account of a caller that may read its statements. refused: scope.
-- p_lists: also since when it has usage, and its statements without their days.
create function turnpike.statement_account(p_request turnpike.request, p_lists boolean, out actor turnpike.caller,
  out refused text, out user_id bigint, out since timestamptz, out statements statements[]) language plpgsql as $$
declare
  caller turnpike.caller;
  one statements;
begin
  {{caller.opens}}
  refused := case when turnpike.sees_account(caller) is not true then 'scope' end;
  if refused is null then
    user_id := caller.user_id;
  end if;
  if refused is null and p_lists then
    since := turnpike.usage_since(caller.user_id);
    statements := '{}';
    for one in select s.* from statements s where s.user_id = caller.user_id order by s.month desc loop
      one.days := '[]';
      statements := statements || one;
    end loop;
  end if;
  {{caller.closes}}
end $$;

-- Statements that are not complete, least recently tried first. p_before: not those that were tried since.
create function turnpike.take_statements(p_before timestamptz, p_limit integer, p_moment timestamptz)
returns setof statements
language plpgsql as $$
begin
  return query with due as (
      select o.user_id, o.month
        from statements o
        where o.closed_at is null and coalesce(o.tried_at < p_before, true)
        order by o.tried_at nulls first limit p_limit for no key update skip locked)
    update statements s set tried_at = p_moment
    from due d
    where s.user_id = d.user_id and s.month = d.month
    returning s.*;
end $$;

-- Adds the next receipts or refunds to an open statement, and returns the statement as it is then. Times, amounts and
-- counts come from the rows. p_digests: the digests of the next documents (SHA-256 in hex), one for each to add.
-- p_pages: the pages that the worker knows. A page is added once.
-- When no refund is left, the charges without a turn are added, and the statement is closed.
create function turnpike.keep_statement(p_user_id bigint, p_month date, p_pages integer, p_digests text[],
  p_moment timestamptz)
returns statements language plpgsql as $$
declare
  kept statements;
  span record := turnpike.month_starts(p_month);
  next record;
  nth integer := 0;
begin
  select s.* into kept from statements s where s.user_id = p_user_id and s.month = p_month for no key update;
  if kept.user_id is null or kept.closed_at is not null or kept.pages <> p_pages then
    return kept;
  end if;
  if exists (select from unnest(p_digests) d where coalesce(d !~ '^[0-9a-f]{64}$', true)) then
    raise exception 'not a digest' using errcode = 'check_violation';
  end if;
  kept.pages := kept.pages + 1;
  if kept.ledger_id is null then
    for next in
      select n.turn_id, n.finished_at, t.billed_credit_micros as billed
        from turnpike.ended_between(p_user_id, span.starts, span.ends, kept.read_at, kept.read_turn_id,
          cardinality(p_digests)) n
        join turns t on t.turn_id = n.turn_id
        order by n.finished_at, n.turn_id collate "C"
    loop
      nth := nth + 1;
      kept.days := turnpike.with_receipt(kept.days, to_char(next.finished_at at time zone 'UTC', 'YYYY-MM-DD'),
        next.billed, p_digests[nth]);
      kept.receipts := kept.receipts + 1;
      kept.charged_credit_micros := kept.charged_credit_micros + next.billed;
      kept.read_at := next.finished_at;
      kept.read_turn_id := next.turn_id;
    end loop;
    if not exists (select
      from turnpike.ended_between(p_user_id, span.starts, span.ends, kept.read_at, kept.read_turn_id, 1)) then
      kept.ledger_id := 0;
      kept.refund_digest := turnpike.no_digest();
    end if;
  else
    for next in
      select l.ledger_id, l.amount_credit_micros as refunded
        from turnpike.refunded_between(p_user_id, span.starts, span.ends, kept.ledger_id, cardinality(p_digests)) l
    loop
      nth := nth + 1;
      kept.refund_digest := turnpike.digest_with(kept.refund_digest, p_digests[nth]);
      kept.refunds := kept.refunds + 1;
      kept.refunded_credit_micros := kept.refunded_credit_micros + next.refunded;
      kept.ledger_id := next.ledger_id;
    end loop;
    if not exists (select from turnpike.refunded_between(p_user_id, span.starts, span.ends, kept.ledger_id, 1)) then
      select count(*), coalesce(-sum(l.amount_credit_micros), 0)::bigint into kept.other_charges,
        kept.other_credit_micros
        from ledger l
        where l.user_id = p_user_id and l.turn_id is null and l.reason = 'space_usage'
          and l.created_at >= span.starts and l.created_at < span.ends;
      kept.closed_at := p_moment;
    end if;
  end if;
  update statements s set pages = kept.pages, read_at = kept.read_at, read_turn_id = kept.read_turn_id,
    days = kept.days, receipts = kept.receipts, charged_credit_micros = kept.charged_credit_micros,
    ledger_id = kept.ledger_id, refunds = kept.refunds, refunded_credit_micros = kept.refunded_credit_micros,
    refund_digest = kept.refund_digest, other_charges = kept.other_charges,
    other_credit_micros = kept.other_credit_micros, closed_at = kept.closed_at
    where s.user_id = p_user_id and s.month = p_month;
  return kept;
end $$;

-- The days of a statement with one more receipt, which belongs to the last day or to a later one.
create function turnpike.with_receipt(p_days jsonb, p_day text, p_billed bigint, p_digest text) returns jsonb
language sql immutable as $$
  select case when p_days -> -1 ->> 'day' = p_day then p_days - -1 else p_days end || jsonb_build_object('day', p_day,
      'receipts', was.receipts + 1, 'charged', was.charged + p_billed, 'digest',
      turnpike.digest_with(was.digest, p_digest))
    from (select coalesce(max((d ->> 'receipts')::bigint), 0) as receipts,
      coalesce(max((d ->> 'charged')::bigint), 0) as charged,
      coalesce(max(d ->> 'digest'), turnpike.no_digest()) as digest
      from (values (p_days -> -1)) v(d) where d ->> 'day' = p_day) was
$$;

-- The digest of a list before its first document (64 zeros), and with one more.
create function turnpike.no_digest() returns text language sql immutable as $$ select repeat('0', 64) $$;

create function turnpike.digest_with(p_list text, p_document text) returns text language sql immutable as $$
  select encode(sha256(decode(p_list || p_document, 'hex')), 'hex')
$$;
