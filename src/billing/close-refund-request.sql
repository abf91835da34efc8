-- Closes the request for a turn's refund, if there is one, and tells the owner. A refund also closes a declined one.
create function turnpike.close_refund_request(p_turn_id text, p_state text, p_answer text, p_moment timestamptz)
returns void language plpgsql as $$
declare
  closed refund_requests;
begin
  update refund_requests r set state = p_state, answer = p_answer, decided_at = p_moment
    where r.turn_id = p_turn_id and (r.state = 'open' or (r.state = 'declined' and p_state = 'refunded'))
    returning r.* into closed;
  if closed.turn_id is not null then
    perform turnpike.tell_notice(closed.user_id, 'refund.decided',
      jsonb_build_object('turn_id', p_turn_id, 'decision', p_state, 'answer', p_answer), p_moment);
  end if;
end $$;
