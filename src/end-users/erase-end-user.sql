-- Records that all data of an end user until now must be erased. After this commit the request cannot be lost.
-- Renames the end user's conversations, so that later turns start new ones.
-- refused: 'scope' (the caller cannot access the whole account), 'unknown' (the end user has no turn and no limit).
create function turnpike.erase_end_user(p_request turnpike.request,
  p_ref text, p_erasure_id text, out actor turnpike.caller, out refused text, out erasure erasures)
language plpgsql as $$
declare
  caller turnpike.caller;
  ids text[];
  newest timestamptz;
  had_profile boolean;
begin
  {{caller.opens}}
  if caller.scope is distinct from 'all' then
    refused := 'scope';
    {{caller.closes}}
    return;
  end if;
  -- Accepting a turn also locks its conversation, so it happens completely before or after this statement.
  ids := array(select c.conversation_id from conversations c
    where c.user_id = caller.user_id and c.test = caller.test and c.end_user_ref = p_ref and c.name <> c.conversation_id
    order by c.conversation_id for update);
  select t.created_at into newest
    from turns t
    where t.user_id = caller.user_id and t.test = caller.test and t.end_user_ref = p_ref
    order by t.turn_id collate "C" desc limit 1;
  if newest is null and not exists (select from end_users e
    where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p_ref)
    and not exists (select from end_user_wallets w where w.user_id = caller.user_id and w.test = caller.test
      and w.end_user_ref = p_ref)
  then
    refused := 'unknown';
    {{caller.closes}}
    return;
  end if;
  update conversations c set name = c.conversation_id, found_tools = null
    where c.conversation_id = any (ids);
  update end_user_ledger l set note = null
    where l.user_id = caller.user_id and l.test = caller.test and l.end_user_ref = p_ref and l.note is not null;
  update end_users e set profile = null, profile_changed_at = null
    where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p_ref and e.profile is not null;
  had_profile := found;
  insert into erasures as e (erasure_id, user_id, test, end_user_ref, key_id, until_at, requested_at, tried_at,
    conversations, profile)
  -- The clock of the worker that accepted the newest turn can be ahead of this worker's clock.
  values (p_erasure_id, caller.user_id, caller.test, p_ref, caller.key_id, greatest(p_request.moment, newest),
    p_request.moment, p_request.moment, cardinality(ids), had_profile)
  returning e.* into erasure;
  perform turnpike.note_own_change(p_request, caller, 'end_user.erase', 'erasure', p_erasure_id, null,
    jsonb_build_object('key_id', caller.key_id, 'test', caller.test));
  {{caller.closes}}
end $$;
