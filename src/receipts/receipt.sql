-- A model call or picture of a turn, with the prices of its version (credit micros per million tokens, or per picture).
create type turnpike.receipt_call as (
  step integer,
  call integer, -- null: a model call
  role text,
  subagent text, -- null: the space's own agent
  model text,
  {{prices.countFields}}
  price_version integer,
  modifiers jsonb, -- null: none
  {{prices.fields unknown}}
  cost bigint,
  billed bigint,
  rehearsed bigint, -- null: no call of a test turn that its end user is charged for
  created_at timestamptz
);

-- Everything that the receipt of an ended turn says. It never changes after the end, and has no texts of the turn, so
-- erasure and retention do not touch it.
create type turnpike.receipt as (
  turn_id text,
  test boolean,
  state text,
  failed_by_us boolean,
  space text,
  key_id text, -- null: a web chat
  end_user_ref text, -- null: a web chat
  hold bigint,
  cost bigint,
  billed bigint,
  created_at timestamptz,
  finished_at timestamptz,
  calls turnpike.receipt_call[]
);

create function turnpike.receipt_of(ended turns) returns turnpike.receipt language plpgsql stable as $$
begin
  return (ended.turn_id, ended.test, ended.state, ended.failed_by_us,
    (select s.slug from spaces s where s.space_id = ended.space_id), ended.key_id,
    case when ended.key_id is not null then ended.end_user_ref end, ended.hold_credit_micros, ended.cost_credit_micros,
    ended.billed_credit_micros, ended.created_at, ended.finished_at,
    turnpike.receipt_calls(ended.turn_id))::turnpike.receipt;
end $$;

-- The calls of a turn, in the order of their steps, each picture after the call of its step.
create function turnpike.receipt_calls(p_turn_id text) returns turnpike.receipt_call[] language plpgsql stable as $$
begin
  return array(select (u.step, u.call, u.role, u.subagent, u.model, {{prices.counts u}},
      u.price_version, u.modifiers, {{prices.ofEither c f}}, u.cost_credit_micros, u.billed_credit_micros,
      u.rehearsed_credit_micros, u.created_at)::turnpike.receipt_call
    from model_calls u
    left join model_catalog c on c.pin = u.model and c.price_version = u.price_version
    left join former_prices f on f.pin = u.model and f.price_version = u.price_version
    where u.turn_id = p_turn_id order by u.step, u.call nulls first);
end $$;

-- How an ended turn was charged to its end user. It never changes, because versions of prices never do.
create type turnpike.receipt_sale as (
  charge bigint,
  prepaid boolean,
  price prices -- null: the charge is the billed amount
);

-- The receipt of an ended turn with what belongs to it.
create type turnpike.whole_receipt as (
  receipt turnpike.receipt,
  refund ledger, -- null: not refunded
  sale turnpike.receipt_sale -- null: no charge
);

-- Returns null if there is no such turn, or if it has not ended.
create function turnpike.whole_receipt_of(p_turn_id text) returns turnpike.whole_receipt
language plpgsql stable as $$
declare
  ended turns;
  whole turnpike.whole_receipt;
begin
  select t.* into ended from turns t where t.turn_id = p_turn_id and t.finished_at is not null;
  if ended.turn_id is null then
    return null;
  end if;
  whole.receipt := turnpike.receipt_of(ended);
  if ended.end_user_charge_credit_micros is not null and ended.key_id is not null then
    whole.sale := (ended.end_user_charge_credit_micros, ended.end_user_hold_credit_micros is not null,
      (select p from prices p where p.price_id = ended.price_id))::turnpike.receipt_sale;
  end if;
  whole.refund := (select l from ledger l
    where l.turn_id = ended.turn_id and l.reason = 'admin_action' and l.user_id = ended.user_id);
  return whole;
end $$;

-- Returns the receipt of a turn that the caller may see. refused: not_found, not_ended.
create function turnpike.get_receipt(p_request turnpike.request, p_turn_id text,
  out actor turnpike.caller, out refused text, out whole turnpike.whole_receipt) language plpgsql as $$
declare
  caller turnpike.caller;
  ended turns;
  space spaces;
begin
  {{caller.opens}}
  select t.* into ended from turns t where t.turn_id = p_turn_id;
  select s.* into space from spaces s where s.space_id = ended.space_id;
  refused := case when (turnpike.in_scope(caller, space.user_id, space.test, space.created_by_key_id, space.space_id)
      or turnpike.is_sent_by(caller, ended.member_id, space)) is not true then 'not_found'
    when ended.finished_at is null then 'not_ended' end;
  if refused is null then
    whole := turnpike.whole_receipt_of(p_turn_id);
  end if;
  {{caller.closes}}
end $$;

-- The next live turns of an account that ended in a span, in the order of their ends.
create function turnpike.ended_between(p_user_id bigint, p_from timestamptz, p_to timestamptz, p_after timestamptz,
  p_after_turn text, p_limit integer) returns setof ended_turns
language plpgsql stable set enable_seqscan = off set jit = off as $$
begin
  return query select e.*
    from ended_turns e
    where e.user_id = p_user_id and not e.test and e.finished_at >= greatest(p_from, p_after) and e.finished_at < p_to
      and (e.finished_at, e.turn_id collate "C") > (p_after, p_after_turn)
    order by e.finished_at, e.turn_id collate "C" limit p_limit;
end $$;

-- The next refunds of turns that were booked in a span, by id.
create function turnpike.refunded_between(p_user_id bigint, p_from timestamptz, p_to timestamptz, p_after bigint,
  p_limit integer)
returns setof ledger language plpgsql stable set enable_seqscan = off set jit = off as $$
begin
  return query select n.*
    from ledger n
    where n.user_id = p_user_id and (n.reason not in ('usage', 'space_usage') or n.turn_id is null)
    and n.created_at >= p_from and n.created_at < p_to and n.reason = 'admin_action' and n.turn_id is not null
    and n.ledger_id > p_after
    order by n.ledger_id limit p_limit;
end $$;

-- A page of the receipts of an account's live turns that ended in a span, in the order of their ends.
create function turnpike.receipts_between(p_user_id bigint, p_from timestamptz, p_to timestamptz, p_after timestamptz,
  p_after_turn text, p_limit integer) returns setof turnpike.receipt
language plpgsql stable set enable_seqscan = off set jit = off as $$
begin
  return query select (turnpike.receipt_of(t)).*
    from turnpike.ended_between(p_user_id, p_from, p_to, p_after, p_after_turn, p_limit) n
    join turns t on t.turn_id = n.turn_id
    order by n.finished_at, n.turn_id collate "C";
end $$;

-- A page of the refunds of turns that were booked in a span, by id, with the receipts of their turns.
create function turnpike.refunds_between(p_user_id bigint, p_from timestamptz, p_to timestamptz, p_after bigint,
  p_limit integer)
returns table (refund ledger, receipt turnpike.receipt)
language plpgsql stable set enable_seqscan = off set jit = off as $$
begin
  return query select l, turnpike.receipt_of(t)
    from turnpike.refunded_between(p_user_id, p_from, p_to, p_after, p_limit) l
    join turns t on t.turn_id = l.turn_id
    order by l.ledger_id;
end $$;
