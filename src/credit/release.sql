-- How turns give their holds back: when they end, when they wait, and when they are cancelled before they start.

-- A turn that has ended and still has its hold.
create type turnpike.ended_turn as (
  turn turns,
  -- The amount to charge.
  billed bigint,
  -- True if another turn of its conversation can start.
  next boolean,
  -- True if a webhook receives an event of its end.
  has_subscriber boolean
);

-- Charges ended turns of one account to the wallets of their end users, and releases the holds there. It locks these
-- wallets in their order, before the wallet of the account. Returns whether a webhook receives an event.
create function turnpike.charge_end_users(p_ended turnpike.ended_turn[], p_moment timestamptz) returns boolean
language plpgsql as $$
declare
  customer record;
  wallet end_user_wallets;
  has_subscriber boolean := false;
begin
  for customer in
    select (e.turn).user_id as user_id, (e.turn).test, (e.turn).end_user_ref as ref,
      sum((e.turn).end_user_hold_credit_micros)::bigint as released,
      sum((e.turn).end_user_charge_credit_micros)::bigint as charged
    from unnest(p_ended) e
    where (e.turn).end_user_hold_credit_micros is not null
    group by (e.turn).user_id, (e.turn).test, (e.turn).end_user_ref
    order by (e.turn).test, (e.turn).end_user_ref collate "C"
  loop
    continue when coalesce(customer.released, 0) = 0;
    wallet := turnpike.charge_end_user_wallet(customer.user_id, customer.test, customer.ref, customer.charged,
      customer.released);
    if customer.charged > 0 then
      insert into end_user_ledger (
          user_id, test, end_user_ref, reason, amount_credit_micros,
          balance_after_credit_micros,
          turn_id, created_at)
      select
          customer.user_id, customer.test, customer.ref, 'usage', -(e.turn).end_user_charge_credit_micros,
          wallet.balance_credit_micros
          + customer.charged - sum((e.turn).end_user_charge_credit_micros) over (order by e.position),
          (e.turn).turn_id, p_moment
        from unnest(p_ended) with ordinality e(turn, billed, next, has_subscriber, position)
        where (e.turn).end_user_ref = customer.ref and (e.turn).test = customer.test
          and (e.turn).end_user_charge_credit_micros > 0
          and (e.turn).end_user_hold_credit_micros is not null
      order by e.position;
      if turnpike.follow_end_user(wallet, wallet.balance_credit_micros + customer.charged, p_moment) then
        has_subscriber := true;
      end if;
    end if;
  end loop;
  return has_subscriber;
end $$;

-- Charges ended test turns of one account to the test wallets of their end users, and releases the holds there and in
-- their limits. The account pays nothing. Returns whether a webhook receives an event.
create function turnpike.close_test_turns(p_ended turnpike.ended_turn[], p_moment timestamptz) returns boolean
language plpgsql as $$
declare
  closed turns[] := array(select turnpike.as_rehearsed(e.turn) from unnest(p_ended) e
    where greatest((e.turn).rehearsed_hold_credit_micros, (e.turn).end_user_hold_credit_micros) > 0);
  mine turns;
  has_subscriber boolean;
begin
  if coalesce(cardinality(closed) = 0, true) then
    return false;
  end if;
  has_subscriber := turnpike.charge_end_users(p_ended, p_moment);
  -- Counters of many turns change, as in close_holds.
  perform turnpike.lock_money((p_ended[1]).turn.user_id, true);
  perform turnpike.count_spends((p_ended[1]).turn.user_id, array(select row(turnpike.as_counted(t),
    greatest(0, t.billed_credit_micros - coalesce(t.past_credit_micros, 0)),
    coalesce(t.past_credit_micros, 0) - t.hold_credit_micros)::turnpike.turn_spend from unnest(closed) t), null);
  foreach mine in array closed loop
    if mine.billed_credit_micros > 0 and turnpike.tell_spend(turnpike.as_counted(mine), p_moment) then
      has_subscriber := true;
    end if;
  end loop;
  return has_subscriber;
end $$;

-- Counts the charges of turns of one account in its caps. p_shard: the locked shard, or null.
create function turnpike.count_charges(p_ended turnpike.ended_turn[], p_shard integer) returns void
language plpgsql as $$
declare
  one turnpike.ended_turn;
begin
  perform turnpike.count_spends((p_ended[1]).turn.user_id,
    array(select row(case when (e.turn).counted_at is null then e.turn else turnpike.as_counted(e.turn) end,
        greatest(0, e.billed - coalesce((e.turn).past_credit_micros, 0)),
        coalesce((e.turn).past_credit_micros, 0) - (e.turn).hold_credit_micros)::turnpike.turn_spend
          from unnest(p_ended) e
      where (e.turn).hold_credit_micros > 0), p_shard);
  foreach one in array p_ended loop
    if one.billed = 0 and (one.turn).past_credit_micros > 0 then
      perform turnpike.uncount_parts(one.turn, p_shard);
    end if;
  end loop;
end $$;

-- Charges ended turns of one account, all live or all test, and releases their holds. Runs last in a transaction, and
-- writes the wallet and each counter once.
-- Without shards, it writes the ledger rows with the running total, and the account's events, under the wallet's
-- lock. With shards, it queues the charges.
-- posts: the caller must call post_charges, which has charges to post or a refusal to free. has_subscriber: a webhook
-- receives an event.
create function turnpike.close_holds(p_ended turnpike.ended_turn[], p_moment timestamptz, out has_subscriber boolean,
  out posts boolean)
language plpgsql as $$
declare
  account bigint := (p_ended[1]).turn.user_id;
  charged bigint;
  released bigint;
  wallet wallets;
  shard_taken integer;
  is_counted boolean;
  one turnpike.ended_turn;
  customers integer;
begin
  has_subscriber := false;
  posts := false;
  if coalesce((p_ended[1]).turn.test, false) then
    has_subscriber := turnpike.close_test_turns(p_ended, p_moment);
    return;
  end if;
  select sum(e.billed), sum((e.turn).hold_credit_micros), count((e.turn).end_user_hold_credit_micros) into charged,
    released, customers
    from unnest(p_ended) e;
  if customers > 0 then
    has_subscriber := turnpike.charge_end_users(p_ended, p_moment);
  end if;
  if coalesce(released, 0) = 0 then
    return;
  end if;
  shard_taken := turnpike.take_shard(account);
  if shard_taken is null then
    wallet := turnpike.charge_wallet(account, charged, released);
    -- The account got shards while this waited. This transaction holds the wallet now, which others lock after the
    -- shards, so it must start again.
    if wallet.user_id is null then
      raise exception 'account % has got shards', account using errcode = 'deadlock_detected';
    end if;
    insert into ledger (
        user_id, reason, amount_credit_micros,
        balance_after_credit_micros, turn_id, actor,
        created_at)
    select
        account, case when (e.turn).key_id is null then 'space_usage' else 'usage' end, -e.billed,
        wallet.balance_credit_micros + charged - sum(e.billed) over (order by e.position), (e.turn).turn_id, 'turn',
        p_moment
      from unnest(p_ended) with ordinality e(turn, billed, next, has_subscriber, position)
      where e.billed > 0
    order by e.position;
    posts := turnpike.may_be_remembered(wallet, p_moment);
  else
    perform turnpike.charge_shard(account, shard_taken, charged, released);
    insert into postings (
        user_id, reason, amount_credit_micros, turn_id,
        created_at)
    select
        account, case when (e.turn).key_id is null then 'space_usage' else 'usage' end, -e.billed, (e.turn).turn_id,
        p_moment
      from unnest(p_ended) e
    where e.billed > 0;
    posts := charged > 0 or turnpike.is_remembered(account, p_moment);
  end if;
  is_counted := exists (select from spend_counted c where c.user_id = account);
  if is_counted then
    perform turnpike.count_charges(p_ended, shard_taken);
  end if;
  if shard_taken is not null then
    return;
  end if;
  if is_counted then
    foreach one in array p_ended loop
      if one.billed > 0 and turnpike.tell_spend(turnpike.as_counted(one.turn), p_moment) then
        has_subscriber := true;
      end if;
    end loop;
  end if;
  if charged > 0
    and (wallet.balance_credit_micros < wallet.low_balance_credit_micros or wallet.balance_credit_micros = 0) then
    wallet.balance_credit_micros := wallet.balance_credit_micros + charged;
    if turnpike.follow_balance(wallet, wallet.balance_credit_micros - charged, p_moment) then
      has_subscriber := true;
    end if;
  end if;
end $$;

-- Releases holds of turns of one conversation, at last in a transaction. p_of_end_user: the amount of the end user's
-- wallet. The holds of test turns are rehearsed ones. Returns posts, as of close_holds.
create function turnpike.release_holds(p_spends turnpike.turn_spend[], p_of_end_user bigint, p_moment timestamptz)
returns boolean language plpgsql as $$
declare
  mine turns := (p_spends[1]).turn;
  released bigint := (select -sum(s.reserved) from unnest(p_spends) s);
  shard integer;
begin
  if p_of_end_user > 0 then
    perform turnpike.change_end_user_held(mine.user_id, mine.test, mine.end_user_ref, -p_of_end_user);
  end if;
  if released > 0 then
    if mine.test then
      shard := turnpike.lock_money(mine.user_id, true);
    else
      shard := turnpike.take_shard(mine.user_id);
      if not turnpike.change_held(mine.user_id, shard, -released) then
        -- This transaction holds the wallet now, which others lock after the shards, so it must start again.
        raise exception 'account % has got shards', mine.user_id using errcode = 'deadlock_detected';
      end if;
    end if;
    perform turnpike.count_spends(mine.user_id,
      array(select row(turnpike.as_counted(s.turn), s.spent, s.reserved)::turnpike.turn_spend
      from unnest(p_spends) s where s.reserved < 0), shard);
  end if;
  return not mine.test and turnpike.is_remembered(mine.user_id, p_moment);
end $$;

-- Releases the holds of queued turns of one account that ended without work, all live or all test (as_rehearsed). The
-- caller has locked the turns and the wallets of their end users. Returns posts, as of close_holds.
create function turnpike.release_queued(p_user_id bigint, p_turns turns[], p_moment timestamptz) returns boolean
language plpgsql as $$
declare
  released bigint := (select sum(t.hold_credit_micros) from unnest(p_turns) t);
  is_test boolean := (p_turns[1]).test;
  shard integer;
  one turns;
begin
  perform turnpike.charge_end_users(array(select row(t, 0, false, false)::turnpike.ended_turn from unnest(p_turns) t),
    p_moment);
  if released > 0 then
    -- Locks the whole account: counters of many turns change, and the order of locks on counters is that of one turn.
    shard := turnpike.lock_money(p_user_id, is_test);
    if not is_test then
      perform turnpike.change_held(p_user_id, shard, -released);
    end if;
    foreach one in array p_turns loop
      perform turnpike.count_spend(one, 0, -one.hold_credit_micros, shard);
    end loop;
  end if;
  return coalesce(released > 0 and not is_test and turnpike.is_remembered(p_user_id, p_moment), false);
end $$;
