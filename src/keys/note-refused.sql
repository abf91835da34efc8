-- Stores a request that was refused to a key, as the newest one of its error code. The account's owner sees it.
-- A key that may no longer be used stores one too. An unknown key stores nothing.
create function turnpike.note_refused_request(p_request turnpike.request, p_code text, p_operation text, p_param text,
  out actor turnpike.caller) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  caller := turnpike.find_caller(p_request);
  actor := caller;
  if caller.kind = 'key' then
    insert into refused_requests as r (
        user_id, test, code, key_id, operation, param, request_id,
        refused_at)
      values (
        caller.user_id, caller.test, p_code, caller.key_id, p_operation, p_param, p_request.request_id,
        p_request.moment)
      on conflict (user_id, test, code) do update set key_id = excluded.key_id, operation = excluded.operation,
        param = excluded.param, request_id = excluded.request_id, refused_at = excluded.refused_at
      where r.refused_at <= excluded.refused_at;
  end if;
end $$;
