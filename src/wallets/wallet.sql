-- What an account has, and what of it is held, in one of two ways. Without shards all of it is in its wallet's row, and whoever changes it
-- has that row's lock. With shards the row has what is posted to the ledger; what was charged, held and released since the account got
-- them is in its shards, of which a transaction changes one, under its lock. The order of locks: shards by their numbers, the wallet,
-- counters of caps.
--
-- Why a turn may be admitted without looking at everybody: it locks its shard first and reads the amounts in a statement behind that.
-- What it cannot see then is uncommitted, and is the one change of somebody who has one of the other shards; a change that takes credit
-- takes at most the account's shard_hold. So of all turns that are admitted this way the one that read last saw everything but 63 changes,
-- and where 64 holds are left beyond its own, the sum stays above 0 however they end. Everybody else locks all shards and sees all.

-- All amounts of an account, of one snapshot.
create function turnpike.wallet_sums(p_user_id bigint, out balance bigint, out held bigint, out shards integer, out shard_hold bigint)
language plpgsql stable as $$
begin
  select w.balance_credit_micros - w.folded_credit_micros + coalesce(s.balance, 0), w.held_credit_micros + coalesce(s.held, 0), w.shards,
      w.shard_hold_credit_micros into balance, held, shards, shard_hold
    from wallets w left join lateral (
      select sum(p.balance_credit_micros)::bigint as balance, sum(p.held_credit_micros)::bigint as held
      from wallet_shards p where w.shards > 0 and p.user_id = w.user_id) s on true
    where w.user_id = p_user_id;
  balance := coalesce(balance, 0);
  held := coalesce(held, 0);
  shards := coalesce(shards, 0);
end $$;

-- Locks a shard that nobody else has, and waits for one when all are taken. Null: the account has none.
create function turnpike.take_shard(p_user_id bigint) returns integer language plpgsql as $$
declare
  count integer;
  first integer;
  taken integer;
begin
  select w.shards into count from wallets w where w.user_id = p_user_id;
  if coalesce(count, 0) = 0 then
    return null;
  end if;
  first := floor(random() * count);
  select s.shard into taken from wallet_shards s where s.user_id = p_user_id and s.shard >= first
    order by s.shard limit 1 for no key update skip locked;
  if taken is null then
    select s.shard into taken from wallet_shards s where s.user_id = p_user_id and s.shard < first
      order by s.shard limit 1 for no key update skip locked;
  end if;
  if taken is null then
    select s.shard into taken from wallet_shards s where s.user_id = p_user_id and s.shard = first for no key update;
  end if;
  return taken;
end $$;

-- Locks all that an account has: nobody else changes anything of it until the end of this transaction, and the next statement sees all.
-- Returns the shard to change; null when it has none.
create function turnpike.lock_account(p_user_id bigint) returns integer language plpgsql as $$
declare
  locked integer;
begin
  perform from wallet_shards s where s.user_id = p_user_id order by s.shard for no key update;
  get diagnostics locked = row_count;
  perform from wallets w where w.user_id = p_user_id for no key update;
  -- It got shards while this waited. Others may have them by now, and wait for the wallet: all begins anew.
  if locked = 0 and exists (select from wallets w where w.user_id = p_user_id and w.shards > 0) then
    raise exception 'account % has got shards', p_user_id using errcode = 'deadlock_detected';
  end if;
  return case when locked > 0 then 0 end;
end $$;

-- Changes what is held; p_shard: the one that this transaction has, null when the account has no shards. False when it has got some
-- meanwhile, or has not enough (without shards only: with them it is the caller who looks).
create function turnpike.change_held(p_user_id bigint, p_shard integer, p_amount bigint) returns boolean language plpgsql as $$
begin
  if p_shard is null then
    update wallets w set held_credit_micros = w.held_credit_micros + p_amount
      where w.user_id = p_user_id and w.shards = 0 and w.balance_credit_micros - w.held_credit_micros >= p_amount;
  else
    update wallet_shards s set held_credit_micros = s.held_credit_micros + p_amount where s.user_id = p_user_id and s.shard = p_shard;
  end if;
  return found;
end $$;
