-- Refunds everything that an ended turn was charged, once: in the ledger, on the turn, and in the wallet of its end
-- user. A trigger queues it for reports.
-- booking.refused: 'no_turn', 'not_ended' or 'not_billed'.
create function turnpike.refund_turn(p_turn_id text, p_actor text, p_note text, p_moment timestamptz,
  out booking turnpike.booking) language plpgsql as $$
declare
  turn turns;
  charged bigint;
  was_heard boolean;
begin
  perform from refund_requests r where r.turn_id = p_turn_id for no key update;
  select t.* into turn from turns t where t.turn_id = p_turn_id for no key update;
  perform turnpike.lock_end_users(array[p_turn_id]);
  perform from wallets w where w.user_id = turn.user_id for no key update;
  was_heard := turnpike.post_all(turn.user_id, p_moment);
  select -sum(l.amount_credit_micros) into charged
    from ledger l
    where l.turn_id = p_turn_id and l.user_id = turn.user_id and l.reason in ('usage', 'space_usage');
  booking.replayed := false;
  booking.has_subscriber := false;
  booking.refused := case when turn.turn_id is null then 'no_turn' when turn.finished_at is null then 'not_ended'
    when coalesce(charged, 0) = 0 then 'not_billed' end;
  if booking.refused is null then
    booking := turnpike.book_entry(turn.user_id, 'admin_action', charged, p_turn_id,
      'refund:' || p_turn_id, null, null, p_actor, p_note, p_moment);
    if booking.refused is null and not booking.replayed then
      update turns t set refunded_credit_micros = charged, refunded_at = p_moment where t.turn_id = p_turn_id;
      if turnpike.refund_end_user(turn, p_moment) then
        was_heard := true;
      end if;
    end if;
    if booking.refused is null then
      perform turnpike.close_refund_request(p_turn_id, 'refunded', p_note, p_moment);
    end if;
  end if;
  booking.has_subscriber := booking.has_subscriber or was_heard;
end $$;

-- Refunds a turn for an admin, with its entry in the audit log.
create function turnpike.refund_for(p_request turnpike.request, admin turnpike.caller, p_turn_id text, p_note text)
returns turnpike.booking language plpgsql as $$
declare
  booking turnpike.booking;
begin
  booking := turnpike.refund_turn(p_turn_id, 'admin:' || admin.user_id, p_note, p_request.moment);
  if booking.refused is null and not booking.replayed then
    perform turnpike.note_own_change(p_request, turnpike.in_account(admin, (booking.entry).user_id), 'turn.refund',
      'turn', p_turn_id, null, to_jsonb(booking.entry));
  end if;
  return booking;
end $$;

-- Refunds a turn as an admin.
-- refused: 'admin' if the caller is not an admin, 'proof' if they have no fresh proof of identity.
create function turnpike.refund_turn_as(p_request turnpike.request,
  p_turn_id text, p_note text, out actor turnpike.caller, out refused text, out booking turnpike.booking)
language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  if caller.role is distinct from 'admin' then
    refused := 'admin';
  elsif turnpike.lacks_proof(caller, p_request.moment) then
    -- Checked here too, because a worker could name the wrong kind of caller.
    refused := 'proof';
  else
    booking := turnpike.refund_for(p_request, caller, p_turn_id, p_note);
  end if;
  {{caller.closes}}
end $$;
