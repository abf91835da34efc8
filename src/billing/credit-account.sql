-- Books credit as an admin, once per Idempotency-Key (p_once_key).
-- refused: 'admin' if the caller is not an admin, 'proof' if they have no fresh proof of identity.
create function turnpike.grant_credit(p_request turnpike.request,
  p_user_id bigint, p_reason text, p_amount bigint, p_once_key text, p_note text, out actor turnpike.caller,
  out refused text, out booking turnpike.booking) language plpgsql as $$
declare
  caller turnpike.caller;
  admin text;
begin
  {{caller.opens}}
  if caller.role is distinct from 'admin' then
    refused := 'admin';
  elsif turnpike.lacks_proof(caller, p_request.moment) then
    -- Checked here too, because a worker could name the wrong kind of caller.
    refused := 'proof';
  else
    admin := 'admin:' || caller.user_id;
    booking := turnpike.book_entry(p_user_id, p_reason, p_amount, null,
      admin || ':' || p_once_key, null, null, admin, p_note, p_request.moment);
    if booking.refused is null and not booking.replayed then
      perform turnpike.note_change(caller.user_id, 'user.credit', 'user', p_user_id::text, null,
        to_jsonb(booking.entry), p_request.request_id, p_request.address, p_request.moment);
    end if;
  end if;
  {{caller.closes}}
end $$;
