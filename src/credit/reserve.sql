-- How a new turn takes credit: reserve finds it before the turn is written, and take_reserved takes it at the end of
-- the transaction. In most cases both decide without locks of the whole account.

-- Credit that was found for a new turn and is not taken yet.
create type turnpike.reservation as (
  amount bigint, -- null: refused
  -- The window of its key in which the turn counts.
  window_started_at timestamptz, -- null: none
  -- True if only all locks of the account can decide. Then nothing else is known.
  locks_needed boolean,
  -- True if this transaction holds these locks.
  all_locked boolean,
  -- The shard that it has locked.
  shard integer, -- null: none
  -- True if a cap may bind the turn.
  capped boolean,
  -- The credit that must be left besides the hold, in an account with shards.
  margin bigint,
  -- The credit that was left, if it was decided under all locks.
  headroom turnpike.credit_left -- null: without them
);

-- Finds the credit for a new turn, without locks. account: the wallet as the caller has read it. p_capped:
-- caller_has_caps.
create function turnpike.reserve(p_spender turnpike.spender, account wallets, p_capped boolean, p_wanted bigint,
  p_needed bigint, p_sale turnpike.sale) returns turnpike.reservation language plpgsql as $$
declare
  reserved turnpike.reservation;
  headroom turnpike.credit_left;
begin
  reserved.all_locked := false;
  reserved.capped := p_capped;
  reserved.margin := account.shards * account.shard_hold_credit_micros;
  reserved.locks_needed := false;
  if p_capped or p_sale.prepaid then
    headroom := turnpike.headroom(p_spender, p_wanted, p_needed, true, null, p_sale, 0);
    reserved.amount := headroom.amount;
    reserved.window_started_at := headroom.window_started_at;
    reserved.locks_needed := turnpike.needs_all_locks(headroom.caps, headroom.window_started_at = p_spender.moment,
      p_wanted, reserved.margin);
    if p_capped and reserved.margin > 0 and headroom.amount is distinct from p_wanted then
      reserved.locks_needed := true;
    end if;
  elsif account.shards > 0 then
    -- The credit of the account is checked later, under the lock of a shard.
    reserved.amount := p_wanted;
  else
    -- Most turns have no cap at all: the balance alone decides.
    reserved.amount := coalesce(account.balance_credit_micros - account.held_credit_micros, 0);
    reserved.amount := case when reserved.amount >= p_needed then least(p_wanted, reserved.amount) end;
  end if;
  if account.shards > 0 and not reserved.locks_needed then
    reserved.locks_needed := p_wanted > account.shard_hold_credit_micros
      or (select s.balance - s.held < p_wanted + reserved.margin from turnpike.wallet_sums(p_spender.user_id) s);
  end if;
  return reserved;
end $$;

-- Finds the credit for a new turn under all locks of the account, which it acquires. A turn that is accepted then has
-- locked its conversation before. Credit for a test turn is always found here, under the locks of test turns.
create function turnpike.reserve_locked(p_spender turnpike.spender, p_wanted bigint, p_needed bigint,
  p_sale turnpike.sale)
returns turnpike.reservation language plpgsql as $$
declare
  reserved turnpike.reservation;
  headroom turnpike.credit_left;
begin
  reserved.all_locked := true;
  reserved.locks_needed := false;
  if p_sale.prepaid then
    perform turnpike.lock_end_user(p_spender.user_id, p_spender.test, p_spender.end_user);
  end if;
  reserved.shard := turnpike.lock_money(p_spender.user_id, p_spender.test);
  headroom := turnpike.headroom(p_spender, p_wanted, p_needed, true, null, p_sale, 0);
  reserved.headroom := headroom;
  reserved.amount := headroom.amount;
  reserved.window_started_at := headroom.window_started_at;
  if headroom.amount is not null and not p_spender.test and cardinality(headroom.caps) > 0 then
    perform turnpike.begin_counting(p_spender.user_id, headroom.caps, p_wanted, p_spender.moment);
  end if;
  return reserved;
end $$;

-- Takes what reserve has found for a turn, which was written in the meantime. It runs last in the transaction.
-- p_shards: how many shards an account gets if its turns wait for each other. p_shard_hold: their shard_hold.
-- SQLSTATE TP001: another turn may have taken the credit at the same moment, so only all locks can decide.
create function turnpike.take_reserved(turn turns, p_reserved turnpike.reservation, p_shards integer,
  p_shard_hold bigint) returns void
language plpgsql as $$
declare
  shard integer := p_reserved.shard;
  held turnpike.wallet_hold;
begin
  if turn.end_user_hold_credit_micros is not null
    and turnpike.change_end_user_held(turn.user_id, turn.test, turn.end_user_ref,
      turn.end_user_hold_credit_micros) is not true
  then
    raise exception 'another turn took the credit of the end user at the same moment' using errcode = 'TP001';
  end if;
  if turn.test then
    perform turnpike.count_spend(turn, 0, turn.rehearsed_hold_credit_micros, null);
    return;
  end if;
  if not p_reserved.all_locked then
    shard := turnpike.take_shard(turn.user_id);
  end if;
  if shard is null then
    held := turnpike.hold_in_wallet(turn.user_id, turn.hold_credit_micros,
      case when not p_reserved.all_locked then turnpike.is_contended(turn.user_id) end);
  else
    held.taken := turnpike.change_held(turn.user_id, shard, turn.hold_credit_micros);
  end if;
  if not p_reserved.all_locked then
    if shard is not null and p_reserved.margin = 0 then
      -- The account has got shards in the meantime, so it is not known whether its credit is enough.
      held.taken := false;
    elsif held.taken and p_reserved.capped then
      held.taken := turnpike.is_in_open_window(turn);
    end if;
  end if;
  if held.taken is not true then
    raise exception 'another turn took the credit at the same moment' using errcode = 'TP001';
  end if;
  perform turnpike.count_spend(turn, 0, turn.hold_credit_micros, shard);
  if not p_reserved.all_locked and (shard is not null or p_reserved.capped)
    and turnpike.is_short(turn, shard, p_reserved) then
    raise exception 'another turn may have taken the credit at the same moment' using errcode = 'TP001';
  end if;
  if held.waits >= 20 then
    perform turnpike.grow_shards(turn.user_id, p_shards, p_shard_hold);
  end if;
end $$;

-- Returns true if a turn that was just counted leaves less than the margin of an account with shards, or exceeds a cap.
-- The margin is for holds that other transactions take now and that this one cannot see ("Shards" in
-- docs/architecture/money.md). The caller has locked the wallet or a shard.
create function turnpike.is_short(turn turns, p_shard integer, p_reserved turnpike.reservation) returns boolean
language plpgsql as $$
declare
  sums record;
  margin bigint := p_reserved.margin;
begin
  if p_shard is not null then
    sums := turnpike.wallet_sums(turn.user_id);
    margin := sums.shards * sums.shard_hold;
    if turn.hold_credit_micros > sums.shard_hold or sums.balance - sums.held < margin then
      return true;
    end if;
  end if;
  return p_reserved.capped and turnpike.overshoots(turn, margin);
end $$;
