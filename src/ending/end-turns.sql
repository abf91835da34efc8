-- A turn that has ended, or was asked to stop.
create type turnpike.touched_turn as (
  turn_id text,
  user_id bigint,
  test boolean,
  state text,
  epoch integer,
  lease_until timestamptz, -- null: no worker holds it
  -- True if a webhook receives an event of it.
  has_subscriber boolean
);

-- Ends open turns of one account by a cause, if the rows confirm it: a worker with a wrong cause ends no turns.
-- p_cause: 'key', 'space', 'end_user' or 'user' (all turns of the account). The others: as of end_open_turns.
create function turnpike.end_turns(p_cause text, p_user_id bigint, p_test boolean, p_key_id text, p_space_id bigint,
  p_end_user text, p_until timestamptz, p_event_ids jsonb, p_limit integer, p_moment timestamptz,
  out touched turnpike.touched_turn[], out next boolean, out posts boolean) language plpgsql as $$
begin
  touched := '{}';
  next := false;
  posts := false;
  if turnpike.is_cause(p_cause, p_user_id, p_test, p_key_id, p_space_id, p_end_user, p_until) then
    select e.* into touched, next, posts
      from turnpike.end_open_turns(p_cause, p_user_id, p_test, p_key_id, p_space_id, p_end_user, p_until,
      case p_cause when 'key' then 'key_revoked' when 'space' then 'space_archived' when 'user' then 'account_disabled'
        else 'end_user_erased' end, p_event_ids, p_limit, p_moment) e;
  end if;
end $$;

-- Cancels turns of an account that no worker started in time. Only the worker with the sweep may call it.
create function turnpike.end_expired(p_user_id bigint, p_event_ids jsonb, p_limit integer, p_moment timestamptz,
  out touched turnpike.touched_turn[], out next boolean, out posts boolean) language plpgsql as $$
begin
  select e.* into touched, next, posts
    from turnpike.end_open_turns('expired', p_user_id, null, null, null, null,
    p_moment - turnpike.queue_life(), 'expired', p_event_ids, p_limit, p_moment) e;
end $$;

-- How long a turn may be queued (queueLimitMs in src/turns/policies.ts).
create function turnpike.queue_life() returns interval language sql immutable as $$ select interval '1 hour' $$;

-- Ends open turns of one account by a cause, the oldest first: cancels queued turns and asks running turns to stop.
-- The arguments name the key, the space or the end user. p_limit: the most turns to end now.
-- p_until: with 'end_user' and 'expired', only turns that were accepted by then.
-- Locks turns by id, then their conversations, then the wallet.
-- touched: the turns that changed; empty if none is left. next: true if another turn of their conversations can start.
create function turnpike.end_open_turns(p_cause text, p_user_id bigint, p_test boolean, p_key_id text,
  p_space_id bigint, p_end_user text, p_until timestamptz, p_reason text, p_event_ids jsonb, p_limit integer,
  p_moment timestamptz, out touched turnpike.touched_turn[], out next boolean, out posts boolean) language plpgsql as $$
declare
  kind boolean;
  ids text[] := '{}';
  found_turn turns;
  after turns;
  cancelled record;
  has_subscriber boolean := false;
  nth integer := 0;
  of_conversations text[] := '{}';
  conversation text;
  ended turns[] := '{}';
  waited turnpike.ended_turn[] := '{}';
  of_kind turnpike.ended_turn[];
  closed record;
begin
  touched := '{}';
  next := false;
  posts := false;
  -- In the order of the index of open_turns by account and kind, so that a
  -- batch reads only turns that it takes or skips.
  foreach kind in array array[false, true] loop
    continue when (p_test is not null and kind is distinct from p_test) or cardinality(ids) >= p_limit;
    ids := ids || array(
      select o.turn_id
      from open_turns o
        join turns t on t.turn_id = o.turn_id
      where o.user_id = p_user_id and o.test = kind and (t.state = 'queued' or t.cancel_requested_at is null)
        and case p_cause when 'key' then t.key_id = p_key_id when 'space' then t.space_id = p_space_id
          when 'end_user' then t.end_user_ref = p_end_user and t.created_at <= p_until
          when 'expired' then o.state = 'queued' and t.state = 'queued' and o.created_at <= p_until else true end
      order by o.turn_id collate "C" limit p_limit - cardinality(ids));
  end loop;
  if cardinality(ids) = 0 then
    return;
  end if;
  perform from turns t where t.turn_id = any (ids) order by t.turn_id collate "C" for no key update;
  of_conversations := array(select distinct t.conversation_id from turns t where t.turn_id = any (ids)
    and (t.state = 'queued' or t.waiting is not null));
  perform from conversations c
    where c.conversation_id = any (of_conversations)
    order by c.conversation_id for no key update;
  for found_turn in select t.* from turns t where t.turn_id = any (ids) order by t.turn_id collate "C" loop
    continue when found_turn.state not in ('queued', 'running')
      or (p_cause = 'expired' and found_turn.state <> 'queued')
      or (found_turn.state = 'running' and found_turn.cancel_requested_at is not null);
    cancelled := turnpike.cancel_locked(found_turn, p_event_ids ->> nth, p_reason, p_moment);
    after := turnpike.as_rehearsed(cancelled.turn);
    nth := nth + 1;
    has_subscriber := has_subscriber or cancelled.has_subscriber;
    touched := touched || row(after.turn_id, after.user_id, after.test, after.state, after.epoch, after.lease_until,
      has_subscriber)::turnpike.touched_turn;
    if found_turn.waiting is not null and greatest(after.hold_credit_micros, after.end_user_hold_credit_micros) > 0 then
      waited := waited || row(after, after.billed_credit_micros, false, false)::turnpike.ended_turn;
    elsif after.state = 'cancelled' and greatest(after.hold_credit_micros, after.end_user_hold_credit_micros) > 0 then
      ended := ended || after;
    end if;
  end loop;
  foreach conversation in array of_conversations loop
    if turnpike.next_turn(conversation, p_moment) then
      next := true;
    end if;
  end loop;
  perform turnpike.lock_end_users(ids);
  foreach kind in array array[false, true] loop
    if turnpike.release_queued(p_user_id, array(select e from unnest(ended) e where e.test = kind), p_moment) then
      posts := true;
    end if;
    -- Waiting turns are billed for their work so far. Their holds are their costs.
    of_kind := array(select w from unnest(waited) w where (w.turn).test = kind);
    if cardinality(of_kind) > 0 then
      closed := turnpike.close_holds(of_kind, p_moment);
      posts := posts or closed.posts;
    end if;
  end loop;
end $$;

-- Returns true if the rows confirm the cause: the key is revoked, the space archived, the account disabled or the end
-- user erased.
create function turnpike.is_cause(p_cause text, p_user_id bigint, p_test boolean, p_key_id text, p_space_id bigint,
  p_end_user text, p_until timestamptz) returns boolean language plpgsql stable as $$
begin
  return coalesce(case p_cause
    when 'key' then exists (select from api_keys k where k.key_id = p_key_id and k.user_id = p_user_id
      and k.revoked_at is not null)
    when 'space' then exists (select from spaces s where s.space_id = p_space_id and s.user_id = p_user_id
      and s.archived_at is not null)
    when 'user' then exists (select from users u where u.user_id = p_user_id and u.disabled_at is not null)
    when 'end_user' then exists (select from erasures e where e.user_id = p_user_id and e.test = p_test
      and e.end_user_ref = p_end_user
      and e.until_at >= p_until)
    end, false);
end $$;

-- Claims the key, space or user (p_cause) whose turns must end and that was tried longest ago, before p_tried_before.
-- Stores the time of this try, so a cause that fails or takes a sweep's whole time comes last next time.
-- All results are null if no such cause is left. Rows that another run has locked are skipped.
create function turnpike.take_ending(p_cause text, p_tried_before timestamptz, p_moment timestamptz,
  out user_id bigint, out test boolean, out key_id text, out space_id bigint) language plpgsql as $$
begin
  if p_cause = 'key' then
    update api_keys k set ending_tried_at = p_moment
      where k.key_id = (select e.key_id from api_keys e
        where e.ending_turns and (e.ending_tried_at is null or e.ending_tried_at < p_tried_before)
        order by e.ending_tried_at nulls first limit 1 for no key update skip locked)
      returning k.user_id, k.test, k.key_id into user_id, test, key_id;
  elsif p_cause = 'space' then
    update spaces s set ending_tried_at = p_moment
      where s.space_id = (select e.space_id from spaces e
        where e.ending_turns and (e.ending_tried_at is null or e.ending_tried_at < p_tried_before)
        order by e.ending_tried_at nulls first limit 1 for no key update skip locked)
      returning s.user_id, s.test, s.space_id into user_id, test, space_id;
  else
    update users u set ending_tried_at = p_moment
      where u.user_id = (select e.user_id from users e
        where e.ending_turns and (e.ending_tried_at is null or e.ending_tried_at < p_tried_before)
        order by e.ending_tried_at nulls first limit 1 for no key update skip locked)
      returning u.user_id into user_id;
  end if;
end $$;

-- Marks a key, a space or a user as done, because no turn is left to end.
-- It must have ended by p_settled_before, so that turns which were being
-- accepted then are committed. Returns true if it was marked.
create function turnpike.finish_ending(p_cause text, p_user_id bigint, p_key_id text, p_space_id bigint,
  p_settled_before timestamptz)
returns boolean language plpgsql as $$
begin
  if p_cause = 'key' then
    update api_keys k set ending_turns = false where k.key_id = p_key_id and k.revoked_at <= p_settled_before;
  elsif p_cause = 'space' then
    update spaces s set ending_turns = false where s.space_id = p_space_id and s.archived_at <= p_settled_before;
  else
    update users u set ending_turns = false
      where u.user_id = p_user_id and u.ending_turns and u.disabled_at <= p_settled_before;
  end if;
  return found;
end $$;

-- Returns up to p_limit accounts with turns that were queued by
-- p_queued_before and have not started, the oldest first.
-- p_passed: accounts that are done or have failed in this run. They are skipped, so that the others are found.
create function turnpike.accounts_with_expired(p_queued_before timestamptz, p_limit integer, p_passed jsonb)
returns table (user_id bigint)
language plpgsql set enable_seqscan = off as $$
declare
  passed bigint[] := array(select jsonb_array_elements_text(p_passed)::bigint);
begin
  -- Steps from one account with open turns to the next, and reads its oldest queued turn of each kind.
  return query
  with recursive account as (
    (select o.user_id from open_turns o order by o.user_id limit 1)
    union all
    select (select o.user_id from open_turns o where o.user_id > a.user_id order by o.user_id limit 1) from account a
      where a.user_id is not null
  )
  select a.user_id
  from account a, lateral (
      select min(k.oldest) as oldest
        from (values (false), (true)) n(test), lateral (
        select o.created_at as oldest
        from open_turns o
        where o.user_id = a.user_id and o.test = n.test and o.state = 'queued'
        order by o.turn_id collate "C" limit 1) k) e
    where e.oldest <= p_queued_before and a.user_id <> all (passed)
  order by e.oldest limit p_limit;
end $$;
