-- The start of a month (UTC), and of the next.
create function turnpike.month_starts(p_month date, out starts timestamptz, out ends timestamptz) language plpgsql immutable as $$
begin
  starts := p_month::timestamp at time zone 'UTC';
  ends := (p_month + interval '1 month') at time zone 'UTC';
end $$;

-- When an account's usage began: the end of its first live turn, or its creation.
create function turnpike.usage_since(p_user_id bigint) returns timestamptz language plpgsql stable as $$
begin
  return least((select u.created_at from users u where u.user_id = p_user_id),
    (select e.finished_at from ended_turns e where e.user_id = p_user_id and not e.test order by e.finished_at limit 1));
end $$;

-- Returns the statement of the caller's account for a month, and creates it if it was never asked for. A month before
-- the account's first usage has an empty one, which is not stored. statement: null if the month is not over.
-- p_settled: nothing can end before this moment any more. refused: scope.
create function turnpike.open_statement(p_request turnpike.request, p_month date, p_settled timestamptz,
  out actor turnpike.caller, out refused text, out statement statements) language plpgsql as $$
declare
  caller turnpike.caller := turnpike.find_caller(p_request);
  span record := turnpike.month_starts(p_month);
  empty statements;
begin
  actor := caller;
  if caller.usable is not true then
    return;
  end if;
  refused := case when turnpike.sees_account(caller) is not true then 'scope' end;
  if refused is null and span.ends <= p_settled then
    if span.ends > turnpike.usage_since(caller.user_id) then
      insert into statements (user_id, month, created_at) values (caller.user_id, p_month, p_request.moment) on conflict do nothing;
      select s.* into statement from statements s where s.user_id = caller.user_id and s.month = p_month;
    else
      empty := jsonb_populate_record(null::statements, jsonb_build_object('user_id', caller.user_id, 'month', p_month, 'days', '[]'::jsonb,
        'receipts', 0, 'charged_credit_micros', 0, 'refunds', 0, 'refunded_credit_micros', 0, 'refund_digest', repeat('0', 64),
        'other_charges', 0, 'other_credit_micros', 0, 'created_at', p_request.moment, 'closed_at', p_request.moment));
      statement := empty;
    end if;
  end if;
  perform turnpike.note_use(caller, p_request.moment);
end $$;

-- Returns the account of a caller that may read its statements. refused: scope.
-- p_lists: also since when it has usage, and its statements without their days.
create function turnpike.statement_account(p_request turnpike.request, p_lists boolean, out actor turnpike.caller, out refused text,
  out user_id bigint, out since timestamptz, out statements statements[]) language plpgsql as $$
declare
  caller turnpike.caller := turnpike.find_caller(p_request);
  one statements;
begin
  actor := caller;
  if caller.usable is not true then
    return;
  end if;
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
  perform turnpike.note_use(caller, p_request.moment);
end $$;

-- Statements that are not complete, least recently tried first. p_before: not those that were tried since.
create function turnpike.take_statements(p_before timestamptz, p_limit integer, p_moment timestamptz) returns setof statements
language plpgsql as $$
begin
  return query update statements s set tried_at = p_moment from (
      select o.user_id, o.month from statements o where o.closed_at is null and coalesce(o.tried_at < p_before, true)
        order by o.tried_at nulls first limit p_limit for no key update skip locked) d
    where s.user_id = d.user_id and s.month = d.month returning s.*;
end $$;

-- Stores a statement with a further page, if no other run has stored that page, and returns it as it is then.
-- p_done: nothing further is to be read. Then the charges without a turn are added, and the statement is closed.
create function turnpike.keep_statement(p_next jsonb, p_done boolean, p_moment timestamptz) returns statements language plpgsql as $$
declare
  further statements := jsonb_populate_record(null::statements, p_next);
  kept statements;
  span record := turnpike.month_starts(further.month);
  others record;
begin
  select count(*) as charges, coalesce(-sum(l.amount_credit_micros), 0)::bigint as total into others from ledger l
    where p_done and l.user_id = further.user_id and l.turn_id is null and l.reason = 'space_usage'
      and l.created_at >= span.starts and l.created_at < span.ends;
  update statements s set pages = s.pages + 1, read_at = further.read_at, read_turn_id = further.read_turn_id, days = further.days,
      receipts = further.receipts, charged_credit_micros = further.charged_credit_micros, ledger_id = further.ledger_id,
      refunds = further.refunds, refunded_credit_micros = further.refunded_credit_micros, refund_digest = further.refund_digest,
      other_charges = others.charges, other_credit_micros = others.total, closed_at = case when p_done then p_moment end
    where s.user_id = further.user_id and s.month = further.month and s.pages = further.pages and s.closed_at is null;
  select s.* into kept from statements s where s.user_id = further.user_id and s.month = further.month;
  return kept;
end $$;
