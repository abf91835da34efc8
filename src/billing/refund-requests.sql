-- A request for the refund of a turn, as answers show it.
create type turnpike.refund_request_answer as (
  turn_id text,
  state text,
  amount_credit_micros bigint,
  reason text,
  answer text, -- null: it is open
  requested_at timestamptz,
  decided_at timestamptz -- null: it is open
);

create function turnpike.refund_request_of(p_turn_id text) returns turnpike.refund_request_answer
language sql stable as $$
  select row(r.turn_id, r.state, r.amount_credit_micros, r.reason, r.answer, r.requested_at,
    r.decided_at)::turnpike.refund_request_answer
  from refund_requests r
  where r.turn_id = p_turn_id
$$;

-- Asks for the refund of a turn, once. A later request keeps the first one. p_most: open requests of an account.
-- outcome: 'made', 'kept', 'unknown', 'not_ended', 'not_billed', 'refunded' or 'too_many'.
create function turnpike.request_refund(p_request turnpike.request, p_turn_id text, p_reason text, p_most integer,
  out actor turnpike.caller, out outcome text, out entity turnpike.refund_request_answer) language plpgsql as $$
declare
  caller turnpike.caller;
  turn turns;
begin
  {{caller.opens}}
  -- Requests of one account are counted one after another.
  perform pg_advisory_xact_lock(hashtext('refunds'), hashtext(caller.user_id::text));
  -- A refund that runs at the same time comes before, or closes the new request.
  select t.* into turn
    from turns t
    where t.turn_id = p_turn_id and t.user_id = caller.user_id and t.test = caller.test for no key update;
  outcome := case when turn.turn_id is null then 'unknown'
    when exists (select from refund_requests r where r.turn_id = p_turn_id) then 'kept'
    when turn.finished_at is null then 'not_ended'
    when turn.billed_credit_micros = 0 then 'not_billed'
    when exists (select from ledger l where l.reference = 'refund:' || p_turn_id) then 'refunded'
    when (select count(*) from refund_requests r where r.user_id = caller.user_id and r.state = 'open') >= p_most
      then 'too_many'
    else 'made' end;
  if outcome = 'made' then
    insert into refund_requests (turn_id, user_id, amount_credit_micros, reason, requested_at)
    values (p_turn_id, caller.user_id, turn.billed_credit_micros, p_reason, p_request.moment);
    -- Without the reason, which the erasure of the end user removes.
    perform turnpike.note_own_change(p_request, caller, 'turn.refund_request', 'turn', p_turn_id, null, '{}');
  end if;
  if outcome in ('made', 'kept') then
    entity := turnpike.refund_request_of(p_turn_id);
  end if;
  {{caller.closes}}
end $$;

-- Decides about a request as an admin: it refunds the turn, or declines the request.
-- p_state: 'refunded' or 'declined'. booking: of a refund.
-- refused: 'admin', 'proof' (a refund needs a fresh proof of identity), 'unknown', or 'decided' (in another way).
create function turnpike.decide_refund(p_request turnpike.request, p_turn_id text, p_state text, p_answer text,
  out actor turnpike.caller, out refused text, out entity turnpike.refund_request_answer,
  out booking turnpike.booking) language plpgsql as $$
declare
  admin turnpike.admin_caller;
  owner_id bigint;
begin
  {{admin.opens}}
  select r.user_id into owner_id from refund_requests r where r.turn_id = p_turn_id for no key update;
  entity := turnpike.refund_request_of(p_turn_id);
  refused := case when owner_id is null then 'unknown'
    when p_state = 'refunded' and entity.state is not distinct from 'open'
    and turnpike.lacks_proof(admin.caller, p_request.moment)
      then 'proof' end;
  if refused is null and entity.state = 'open' then
    if p_state = 'refunded' then
      booking := turnpike.refund_for(p_request, admin.caller, p_turn_id, p_answer);
    else
      perform turnpike.close_refund_request(p_turn_id, p_state, p_answer, p_request.moment);
      perform turnpike.note_own_change(p_request, turnpike.in_account(admin.caller, owner_id), 'turn.refund_decline',
        'turn', p_turn_id, null, jsonb_build_object('answer', p_answer));
    end if;
    entity := turnpike.refund_request_of(p_turn_id);
  end if;
  if refused is null and entity.state is distinct from p_state then
    refused := 'decided';
  end if;
  {{admin.closes}}
end $$;
