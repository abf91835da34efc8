-- Books an admin's credit, under their Idempotency-Key. refused: 'admin' when the caller is not an admin, 'proof' without a
-- fresh one, or what book_entry refuses.
create function turnpike.grant_credit(p_caller_kind text, p_caller_token text, p_caller_test boolean, p_moment timestamptz,
  p_user_id bigint, p_reason text, p_amount bigint, p_once_key text, p_note text, p_request_id text, p_address text, out actor jsonb, out entry jsonb,
  out replayed boolean, out refused text, out heard boolean) language plpgsql as $$
declare
  caller turnpike.caller;
  admin text;
begin
  caller := turnpike.find_caller(p_caller_kind, p_caller_token, p_caller_test, p_moment);
  actor := to_jsonb(caller);
  if caller.usable is not true then
    return;
  end if;
  if caller.role is distinct from 'admin' then
    refused := 'admin';
  elsif turnpike.lacks_proof(caller, p_moment) then
    -- Also here, whatever the worker says about the kind of its caller.
    refused := 'proof';
  else
    admin := 'admin:' || caller.user_id;
    select b.* into entry, replayed, refused, heard from turnpike.book_entry(p_user_id, p_reason, p_amount, null,
      admin || ':' || p_once_key, null, null, admin, p_note, p_moment) b;
    if refused is null and not replayed then
      perform turnpike.note_change(caller.user_id, 'user.credit', 'user', p_user_id::text, null, entry, p_request_id, p_address, p_moment);
    end if;
  end if;
  perform turnpike.note_use(caller, p_moment);
end $$;
