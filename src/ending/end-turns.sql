-- Ends open turns of one account by a cause: those of a key, a space, an end user, or all (p_cause 'key', 'space', 'end_user', 'user'; the
-- other arguments name which; p_until: those of an end user that were accepted by then). Up to p_limit that were not touched yet, the oldest first: queued ones are cancelled, running ones asked
-- to stop. Locks turns by their id, then their conversations, then the wallet. touched: what workers and queues must know of each; next:
-- who is to be called in the conversations in which turns ended; nothing is left to do when touched is empty.
create function turnpike.end_turns(p_cause text, p_user_id bigint, p_test boolean, p_key_id text, p_space_id bigint, p_end_user text,
  p_until timestamptz, p_reason text, p_event_ids jsonb, p_limit integer, p_queued_after timestamptz, p_moment timestamptz,
  out touched jsonb, out next jsonb) language plpgsql as $$
declare
  ids text[];
  found_turn turns;
  after turns;
  cancelled record;
  heard boolean := false;
  place integer := 0;
  holds bigint := 0;
  of_conversations text[] := '{}';
  ended turns[] := '{}';
begin
  touched := '[]';
  next := '[]';
  -- The account's open turns, whatever it wants of them: open_turns is small, and turns has an index for each id.
  ids := array(
    select o.turn_id from open_turns o join turns t on t.turn_id = o.turn_id
    where o.user_id = p_user_id and (o.state = 'queued' or t.cancel_requested_at is null)
      and case p_cause when 'key' then t.key_id = p_key_id when 'space' then t.test = p_test and t.space_id = p_space_id
        when 'end_user' then t.test = p_test and t.end_user_ref = p_end_user
          and t.key_id is not null and t.created_at <= p_until else true end
    order by o.turn_id collate "C" limit p_limit);
  if cardinality(ids) = 0 then
    return;
  end if;
  perform from turns t where t.turn_id = any (ids) order by t.turn_id collate "C" for no key update;
  of_conversations := array(select distinct t.conversation_id from turns t where t.turn_id = any (ids) and t.state = 'queued');
  perform from conversations c where c.conversation_id = any (of_conversations) order by c.conversation_id for no key update;
  for found_turn in select t.* from turns t where t.turn_id = any (ids) order by t.turn_id collate "C" loop
    continue when found_turn.state not in ('queued', 'running')
      or (found_turn.state = 'running' and found_turn.cancel_requested_at is not null);
    select c.* into cancelled from turnpike.cancel_locked(found_turn, p_event_ids ->> place, p_reason, p_moment) c;
    after := cancelled.turn;
    place := place + 1;
    heard := heard or cancelled.heard;
    touched := touched || jsonb_build_object('turn_id', after.turn_id, 'user_id', after.user_id, 'test', after.test, 'state', after.state,
      'epoch', after.epoch, 'lease_until', after.lease_until, 'hooked', heard);
    if after.state = 'cancelled' and after.hold_credit_micros > 0 then
      ended := ended || after;
      holds := holds + after.hold_credit_micros;
    end if;
  end loop;
  select coalesce(jsonb_agg(n.next), '[]') into next from (
    select turnpike.next_turn(c.id, p_queued_after) as next from unnest(of_conversations) as c(id)) n where n.next is not null;
  if holds > 0 then
    update wallets w set held_credit_micros = w.held_credit_micros - holds where w.user_id = p_user_id;
    foreach after in array ended loop
      if after.key_id is not null then
        perform turnpike.count_spend(after.user_id, after.key_id, after.end_user_ref, after.created_at, after.window_started_at, 0,
          -after.hold_credit_micros);
      end if;
    end loop;
  end if;
end $$;

-- Notes that nothing is left to end of a key, a space or a user that was ended by p_settled_before: what was being accepted then has come.
create function turnpike.finish_ending(p_cause text, p_user_id bigint, p_key_id text, p_space_id bigint, p_settled_before timestamptz)
returns boolean language plpgsql as $$
begin
  if p_cause = 'key' then
    update api_keys k set ending_turns = false where k.key_id = p_key_id and k.revoked_at <= p_settled_before;
  elsif p_cause = 'space' then
    update spaces s set ending_turns = false where s.space_id = p_space_id and s.archived_at <= p_settled_before;
  else
    update users u set ending_turns = false where u.user_id = p_user_id and u.ending_turns and u.disabled_at <= p_settled_before;
  end if;
  return found;
end $$;
