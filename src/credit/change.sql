-- How the hold of an accepted turn changes: it grows while the turn runs, and after a wait it continues.

-- The growth of a hold, or the limits that bound it.
create type turnpike.growth as (
  amount bigint, -- null: less than the turn needs
  caps turnpike.cap_state[],
  -- By how much the wallet of the end user let it grow.
  end_user_left bigint, -- null: no wallet pays
  -- True if only all locks of the account can decide. Then nothing was taken.
  locks_needed boolean
);

-- Grows the hold of a turn that the caller has locked: by up to p_wanted, and at least p_needed. All amounts are read
-- after the locks were acquired, so no two turns get the same credit.
-- turn: a test turn with its rehearsed amounts (as_rehearsed). p_locked: locks the whole account.
create function turnpike.grow(turn turns, p_wanted bigint, p_needed bigint, p_locked boolean) returns turnpike.growth
language plpgsql as $$
declare
  growth turnpike.growth;
  counted turns := turnpike.as_counted(turn);
  spender turnpike.spender := turnpike.spender_of(counted, counted.created_at);
  sale turnpike.sale;
  headroom turnpike.credit_left;
  sums record;
  shard integer;
  all_locked boolean;
begin
  if turn.end_user_hold_credit_micros is not null then
    sale := turnpike.sale_of_turn(turn);
    perform turnpike.lock_end_user(turn.user_id, turn.test, turn.end_user_ref);
  end if;
  if not p_locked and not turn.test and not turnpike.has_caps(turn.user_id, turn.key_id,
    case when turn.key_id is not null then turn.end_user_ref end, spender.moment, spender.shared)
  then
    shard := turnpike.take_shard(turn.user_id);
  end if;
  all_locked := shard is null;
  if all_locked then
    shard := turnpike.lock_money(turn.user_id, turn.test);
  end if;
  select s.* into sums from turnpike.wallet_sums(turn.user_id) s;
  headroom := turnpike.headroom(spender, p_wanted, p_needed, false, turn.window_started_at, sale,
    turn.hold_credit_micros);
  growth.caps := headroom.caps;
  if sale.prepaid then
    growth.end_user_left := greatest(0, turnpike.end_user_left(sale, headroom.credit, turn.hold_credit_micros));
  end if;
  growth.locks_needed := not all_locked and (p_wanted <= sums.shard_hold
    and headroom.available >= p_wanted + sums.shards * sums.shard_hold and cardinality(headroom.caps) = 0) is not true;
  if growth.locks_needed then
    return growth;
  end if;
  growth.amount := headroom.amount;
  if cardinality(headroom.caps) > 0 and not turn.test then
    perform turnpike.begin_counting(turn.user_id, headroom.caps, p_wanted, spender.moment);
  end if;
  if growth.amount > 0 then
    perform turnpike.add_to_hold(turn, counted, growth.amount, sale, shard);
  end if;
  return growth;
end $$;

-- Lets a turn that holds only its cost continue in the periods of p_spender, with the credit that headroom has found.
-- The caller has locked the turn, the wallet of its end user and the account (p_shard). turn: as in grow.
create function turnpike.go_on_with(turn turns, p_spender turnpike.spender, p_headroom turnpike.credit_left,
  p_sale turnpike.sale, p_shard integer) returns void language plpgsql as $$
declare
  rolled turns;
begin
  if cardinality(p_headroom.caps) > 0 and not turn.test then
    perform turnpike.begin_counting(turn.user_id, p_headroom.caps, p_headroom.amount, p_spender.moment);
  end if;
  rolled := turnpike.roll_period(turn, p_headroom.window_started_at, p_shard, p_spender.moment);
  perform turnpike.add_to_hold(turn, turnpike.as_counted(rolled), p_headroom.amount, p_sale, p_shard);
end $$;

-- Adds p_amount to the hold of a turn. counted: the turn with the periods in which it counts. The caller has locked the
-- turn, the wallet of its end user and the account or its shard, and has found the credit there. The hold of a test
-- turn is a rehearsed one.
create function turnpike.add_to_hold(turn turns, counted turns, p_amount bigint, p_sale turnpike.sale, p_shard integer)
returns void
language plpgsql as $$
declare
  grown bigint;
  of_account bigint := case when turn.test then 0 else p_amount end;
begin
  if not turn.test and not turnpike.change_held(turn.user_id, p_shard, p_amount) then
    raise exception 'the credit of account % is gone', turn.user_id;
  end if;
  if p_sale.prepaid and p_amount > 0 then
    grown := turnpike.sale_hold(p_sale.price, turn.hold_credit_micros + p_amount);
    if not turnpike.change_end_user_held(turn.user_id, turn.test, turn.end_user_ref,
      grown - turn.end_user_hold_credit_micros) then
      raise exception 'the credit of an end user of account % is gone', turn.user_id;
    end if;
  end if;
  update turns t set hold_credit_micros = t.hold_credit_micros + of_account,
    held_credit_micros = t.held_credit_micros + of_account,
    rehearsed_hold_credit_micros = t.rehearsed_hold_credit_micros + p_amount,
    end_user_hold_credit_micros = coalesce(grown, t.end_user_hold_credit_micros)
    where t.turn_id = turn.turn_id;
  perform turnpike.count_spend(counted, 0, p_amount, p_shard);
end $$;

-- Lets a turn that continues count in the current periods of its caps. It runs last, because it locks the account.
create function turnpike.follow_period(mine turns, p_moment timestamptz) returns void language plpgsql as $$
declare
  shard integer;
begin
  if mine.test then
    if mine.rehearsed_hold_credit_micros is not null then
      perform turnpike.lock_money(mine.user_id, true);
      perform turnpike.roll_test_turn(mine, p_moment);
    end if;
    return;
  end if;
  if not exists (select from spend_counted c where c.user_id = mine.user_id) then
    return;
  end if;
  shard := turnpike.lock_account(mine.user_id);
  perform turnpike.roll_period(mine, turnpike.window_of(mine.key_id, p_moment), shard, p_moment);
end $$;
