-- How turns that wait for a limit continue: they take a hold under the locks of their account, as an accepted turn
-- does.

-- Tries a turn that waits for a limit. The caller has locked the turn, its conversation, the wallet of its end user and
-- the account (p_shard).
-- went_on: it took a hold and can be claimed. Otherwise bound_by and counter name the limit, and resets_at its reset.
-- is_too_small: that limit would be too small even with nothing spent or held.
create function turnpike.try_waiting(mine turns, p_shard integer, p_event_id text, p_moment timestamptz,
  out went_on boolean, out has_subscriber boolean, out bound_by text, out counter text, out resets_at timestamptz,
  out is_too_small boolean)
language plpgsql as $$
declare
  wait waiting_turns;
  spender turnpike.spender := turnpike.spender_of(mine, p_moment);
  headroom turnpike.credit_left;
  blocking turnpike.cap_state;
  wanted bigint;
  limit_now jsonb;
  resumed record;
  sale turnpike.sale := turnpike.sale_of_turn(mine);
begin
  mine := turnpike.as_rehearsed(mine);
  went_on := false;
  has_subscriber := false;
  is_too_small := false;
  select w.* into wait from waiting_turns w where w.turn_id = mine.turn_id;
  wanted := least(wait.wanted_credit_micros, mine.max_cost_credit_micros - mine.hold_credit_micros);
  headroom := turnpike.headroom(spender, coalesce(wanted, wait.wanted_credit_micros), wait.needed_credit_micros, true,
    null, sale, mine.hold_credit_micros);
  if coalesce(wanted < wait.needed_credit_micros, false) then
    bound_by := 'max_cost';
    is_too_small := true;
  else
    if headroom.amount is not null then
      resumed := turnpike.resume_turn(mine, p_event_id, p_moment);
      perform turnpike.go_on_with(turnpike.as_rehearsed(resumed.turn), spender, headroom, sale, p_shard);
      went_on := true;
      has_subscriber := resumed.has_subscriber;
      return;
    end if;
    select c.* into blocking
      from unnest(headroom.caps) c
      where c.limit_credit_micros - c.spent_credit_micros - c.reserved_credit_micros < wait.needed_credit_micros
      order by c.limit_credit_micros < wait.needed_credit_micros desc, c.resets_at desc limit 1;
    bound_by := coalesce(blocking.cap, 'balance');
    counter := blocking.subject;
    resets_at := blocking.resets_at;
    if sale.prepaid and blocking.cap is null and headroom.available >= wait.needed_credit_micros then
      bound_by := 'end_user_credit';
      counter := mine.end_user_ref;
    end if;
    is_too_small := case
      when bound_by = 'end_user_credit' then (headroom.credit).balance - mine.end_user_hold_credit_micros
      < (headroom.credit).needed
      when blocking.cap is null then headroom.available + headroom.held < wait.needed_credit_micros
      else blocking.limit_credit_micros < wait.needed_credit_micros end;
  end if;
  limit_now := turnpike.limit_of_wait(mine, bound_by, wait.needed_credit_micros, resets_at, blocking, headroom.credit);
  if (bound_by, coalesce(counter, ''), is_too_small) is distinct
    from (wait.bound_by, coalesce(wait.counter, ''), wait.too_small) then
    update waiting_turns w set bound_by = try_waiting.bound_by, counter = try_waiting.counter,
      too_small = is_too_small
      where w.turn_id = mine.turn_id;
  end if;
  if limit_now <> mine.waiting -> 'limit' then
    update turns t set waiting = jsonb_set(t.waiting, '{limit}', limit_now) where t.turn_id = mine.turn_id;
  end if;
end $$;

-- Returns the turns of an account that waited first for each of its limits, after the limit p_after.
-- p_most: the most turns. last: where the next call continues; null: these are all limits.
create function turnpike.first_waiting(p_user_id bigint, p_test boolean, p_after text, p_most integer,
  out picked text[], out last text)
language plpgsql stable as $$
declare
  group_key text := p_after;
  next_key text;
  heads text[];
begin
  picked := '{}';
  loop
    select w.limit_key into next_key
      from waiting_turns w
      where w.user_id = p_user_id and w.test = p_test and w.limit_key > group_key and w.bound_by <> 'max_cost'
      order by w.limit_key limit 1;
    exit when next_key is null;
    if cardinality(picked) >= p_most then
      last := group_key;
      exit;
    end if;
    group_key := next_key;
    heads := array(select w.turn_id from waiting_turns w where w.user_id = p_user_id and w.test = p_test
      and w.limit_key = group_key
      and w.bound_by <> 'max_cost' order by w.since, w.turn_id limit p_most - cardinality(picked) + 1);
    picked := picked || heads;
  end loop;
end $$;

-- Lets live or test turns of an account continue that wait for its credit or caps. It tries the turns of each limit in
-- the order in which they began to wait, until one does not fit. A turn that no reset lets continue keeps back no
-- other turn.
-- p_after: the limit after which it continues, as "bound_by counter". p_seen: the raises of the account before its
-- first limit was tried; null in the first call. p_event_ids: one for each turn, at most.
-- last: where the next call continues, with due_at as its p_due and seen as its p_seen; null: all limits were tried.
-- Only then is due_at of the account changed.
create function turnpike.wake_account(p_user_id bigint, p_test boolean, p_after text, p_seen bigint, p_due timestamptz,
  p_again timestamptz, p_event_ids jsonb, p_moment timestamptz, out went_on integer, out last text, out seen bigint,
  out due_at timestamptz, out has_subscriber boolean) language plpgsql set enable_seqscan = off as $$
declare
  picked text[];
  shard integer;
  one record;
  mine turns;
  tried record;
  stopped text[] := '{}';
  is_full boolean := false;
  most integer := jsonb_array_length(p_event_ids);
begin
  went_on := 0;
  has_subscriber := false;
  due_at := p_due;
  -- Another sweep is at this account.
  if not pg_try_advisory_xact_lock(hashtext(case when p_test then 'test waits' else 'waits' end),
    hashtext(p_user_id::text)) then
    return;
  end if;
  -- A limit that is raised between two calls may be one that an earlier call tried.
  seen := coalesce(p_seen, (select a.raises from waiting_accounts a where a.user_id = p_user_id and a.test = p_test));
  select h.picked, h.last into picked, last from turnpike.first_waiting(p_user_id, p_test, p_after, most) h;
  if cardinality(picked) > 0 then
    picked := array(select t.turn_id from turns t where t.turn_id = any (picked) and t.waiting is not null
      order by t.turn_id collate "C" for no key update skip locked);
    perform from conversations c
      where c.conversation_id in (select t.conversation_id from turns t where t.turn_id = any (picked))
      order by c.conversation_id for no key update;
    perform turnpike.lock_end_users(picked);
    shard := turnpike.lock_money(p_user_id, p_test);
    for one in select w.turn_id, w.limit_key
      from waiting_turns w
      where w.turn_id = any (picked)
      order by w.since,
      w.turn_id loop
      continue when one.limit_key = any (stopped);
      if went_on >= most then
        is_full := true;
        exit;
      end if;
      select t.* into mine from turns t where t.turn_id = one.turn_id;
      tried := turnpike.try_waiting(mine, shard, p_event_ids ->> went_on, p_moment);
      if tried.went_on then
        went_on := went_on + 1;
        has_subscriber := has_subscriber or tried.has_subscriber;
      else
        due_at := least(due_at, tried.resets_at);
        -- An earlier turn of the limit it waits for now comes first.
        if not tried.is_too_small then
          stopped := stopped || (tried.bound_by || ' ' || coalesce(tried.counter, ''));
          -- The credit of one end user says nothing about turns of others.
          if tried.bound_by is distinct from 'end_user_credit' then
            stopped := stopped || one.limit_key;
          end if;
        end if;
      end if;
    end loop;
  end if;
  if is_full or (went_on > 0 and last is null) then
    -- More turns of the same limits may fit.
    last := coalesce(p_after, '');
  end if;
  if last is null then
    -- Turns that run may release credit, without a word to the turns that wait.
    if exists (select from open_turns o where o.test = p_test and o.user_id = p_user_id and o.state = 'running')
      or exists (select from open_turns o where o.test = p_test and o.user_id = p_user_id and o.state = 'queued'
        and o.wake_at < 'infinity')
    then
      due_at := least(due_at, p_again);
    end if;
    if not exists (select from waiting_turns w where w.user_id = p_user_id and w.test = p_test
      and w.bound_by <> 'max_cost') then
      due_at := 'infinity';
    end if;
    -- If a limit was raised in the meantime, the account stays due.
    update waiting_accounts a set due_at = wake_account.due_at
      where a.user_id = p_user_id and a.test = p_test and a.raises = seen;
    if not found and seen is not null then
      -- The request that raised it was sent away by the lock above, so this caller tries again.
      last := '';
      seen := null;
    end if;
    -- It can be infinity, which no client can read.
    due_at := null;
  end if;
end $$;

-- Returns accounts whose live or test turns wait and must be tried, the one that is due for longest first. p_passed:
-- what is not returned, each as its id and `test`.
create function turnpike.due_accounts(p_passed jsonb, p_limit integer, p_moment timestamptz)
returns table (user_id bigint, test boolean)
language plpgsql set enable_seqscan = off as $$
begin
  return query select a.user_id, a.test
    from waiting_accounts a
    where a.due_at <= p_moment and not p_passed ? concat_ws(' ', a.user_id, a.test::text)
    order by a.due_at limit p_limit;
end $$;

-- The turns of an account whose wait has expired.
create type turnpike.expired_wait as (
  user_id bigint,
  test boolean,
  -- True if a webhook receives an event, or if post_charges has work.
  has_subscriber boolean,
  posts boolean,
  turns bigint
);

-- Fails up to p_limit turns whose wait has expired, with their partial results and bills for the work so far. Cancels
-- turns that were blocked by another one for too long: they have not started, and cost nothing.
-- Turns that another transaction has locked are left to the next call. ended: the turns with their accounts.
create function turnpike.expire_waits(p_limit integer, p_event_ids jsonb, p_moment timestamptz,
  out ended turnpike.expired_wait[], out next boolean) language plpgsql set enable_seqscan = off as $$
declare
  ids text[];
  mine turns;
  nth integer := 0;
  one turnpike.ended_turn;
  cancelled record;
  account record;
  closing turnpike.ended_turn[] := '{}';
  paid record;
begin
  ended := '{}';
  next := false;
  ids := array((select w.turn_id from waiting_turns w where w.expires_at <= p_moment
    order by w.expires_at limit p_limit)
    union all (select o.turn_id from open_turns o where o.state = 'blocked' and o.expires_at <= p_moment
      order by o.expires_at limit p_limit)
    limit p_limit);
  if cardinality(ids) = 0 then
    return;
  end if;
  ids := array(select t.turn_id from turns t where t.turn_id = any (ids)
    and (t.waiting is not null or t.state = 'queued')
    order by t.turn_id collate "C" for no key update skip locked);
  perform from conversations c
    where c.conversation_id in (select t.conversation_id from turns t where t.turn_id = any (ids))
    order by c.conversation_id for no key update;
  perform turnpike.lock_end_users(ids);
  -- Waiting turns first: their ends free the turns that they block.
  for mine in select t.* from turns t where t.turn_id = any (ids) order by t.waiting is null, t.turn_id collate "C" loop
    if mine.waiting is not null then
      one := turnpike.end_turn(mine,
        row(mine.turn_id, mine.epoch, 'failed', null, turnpike.said_in(mine.turn_id), 'WAIT_EXPIRED',
        turnpike.expired_text(mine.waiting ->> 'for'), null, false, null, null, false, null, '[]', true, null,
        p_event_ids ->> nth)::turnpike.turn_end, p_moment);
    else
      -- The end of an earlier turn may have freed it.
      continue when turnpike.is_blocked_until(mine, p_moment) is not true;
      cancelled := turnpike.cancel_locked(mine, p_event_ids ->> nth, 'expired', p_moment);
      one := row(cancelled.turn, 0, false, cancelled.has_subscriber)::turnpike.ended_turn;
    end if;
    nth := nth + 1;
    next := next or one.next;
    closing := closing || one;
  end loop;
  for account in select distinct (e.turn).user_id as user_id, (e.turn).test from unnest(closing) e order by 1, 2 loop
    paid := turnpike.close_holds(array(select e from unnest(closing) e
      where (e.turn).user_id = account.user_id and (e.turn).test = account.test order by (e.turn).turn_id collate "C"),
        p_moment);
    ended := ended || row(account.user_id, account.test,
      paid.has_subscriber or exists (select from unnest(closing) e where (e.turn).user_id = account.user_id
        and (e.turn).test = account.test and e.has_subscriber), paid.posts,
      (select count(*) from unnest(closing) e where (e.turn).user_id = account.user_id
        and (e.turn).test = account.test))::turnpike.expired_wait;
  end loop;
end $$;

-- True if a turn is blocked and its own wait has expired.
create function turnpike.is_blocked_until(mine turns, p_moment timestamptz) returns boolean
language plpgsql stable as $$
begin
  return exists (select from open_turns o where o.user_id = mine.user_id and o.test = mine.test
    and o.turn_id collate "C" = mine.turn_id and o.state = 'blocked' and o.expires_at <= p_moment);
end $$;

create function turnpike.expired_text(p_for text) returns text language sql immutable as $$
  select 'The turn waited for ' || case p_for when 'limit' then 'a limit to allow its next model call'
    when 'approval' then 'a decision about a call of a tool' else 'the result of a call of a tool' end
      || ' until its wait expired.'
$$;
