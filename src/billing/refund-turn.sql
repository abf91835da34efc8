-- Gives back, once, everything that an ended turn was charged. refused: 'no_turn', 'not_ended', 'not_billed'.
create function turnpike.refund_turn(p_turn_id text, p_actor text, p_note text, p_moment timestamptz,
  out booking turnpike.booking) language plpgsql as $$
declare
  turn turns;
  charged bigint;
  was_heard boolean;
begin
  select t.* into turn from turns t where t.turn_id = p_turn_id;
  perform from wallets w where w.user_id = turn.user_id for no key update;
  was_heard := turnpike.post_all(turn.user_id, p_moment);
  -- It may have ended meanwhile.
  select t.* into turn from turns t where t.turn_id = p_turn_id;
  select -sum(l.amount_credit_micros) into charged from ledger l
    where l.turn_id = p_turn_id and l.user_id = turn.user_id and l.reason in ('usage', 'space_usage');
  booking.replayed := false;
  booking.has_subscriber := false;
  booking.refused := case when turn.turn_id is null then 'no_turn' when turn.finished_at is null then 'not_ended'
    when coalesce(charged, 0) = 0 then 'not_billed' end;
  if booking.refused is null then
    booking := turnpike.book_entry(turn.user_id, 'admin_action', charged, p_turn_id,
      'refund:' || p_turn_id, null, null, p_actor, p_note, p_moment);
  end if;
  booking.has_subscriber := booking.has_subscriber or was_heard;
end $$;

-- The same by an admin; refused: 'admin' when the caller is not one, 'proof' without a fresh one.
create function turnpike.refund_turn_as(p_request turnpike.request,
  p_turn_id text, p_note text, out actor turnpike.caller, out refused text, out booking turnpike.booking)
language plpgsql as $$
declare
  caller turnpike.caller;
begin
  caller := turnpike.find_caller(p_request);
  actor := caller;
  if caller.usable is not true then
    return;
  end if;
  if caller.role is distinct from 'admin' then
    refused := 'admin';
  elsif turnpike.lacks_proof(caller, p_request.moment) then
    -- Also here, whatever the worker says about the kind of its caller.
    refused := 'proof';
  else
    booking := turnpike.refund_turn(p_turn_id, 'admin:' || caller.user_id, p_note, p_request.moment);
    if booking.refused is null and not booking.replayed then
      perform turnpike.note_change(caller.user_id, 'turn.refund', 'turn', p_turn_id, null, to_jsonb(booking.entry), p_request.request_id, p_request.address,
        p_request.moment);
    end if;
  end if;
  perform turnpike.note_use(caller, p_request.moment);
end $$;
