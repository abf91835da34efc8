-- Without shards, an account's balance and hold are in its wallet's row. With shards, the wallet has the posted
-- balance, the shards have every change since, and a transaction changes one of them ("Shards" in
-- docs/architecture/money.md). Lock order: shards by number, wallet, counters of caps.

-- Returns the amounts of an account from one snapshot of the database: wallet and shards together.
create function turnpike.wallet_sums(p_user_id bigint, out balance bigint, out held bigint, out shards integer,
  out shard_hold bigint)
language plpgsql stable as $$
begin
  select w.balance_credit_micros - w.folded_credit_micros + coalesce(s.balance, 0),
    w.held_credit_micros + coalesce(s.held, 0), w.shards, w.shard_hold_credit_micros into balance, held, shards,
    shard_hold
    from wallets w
      left join lateral (
      select sum(p.balance_credit_micros)::bigint as balance, sum(p.held_credit_micros)::bigint as held
      from wallet_shards p
      where w.shards > 0 and p.user_id = w.user_id) s on true
    where w.user_id = p_user_id;
  balance := coalesce(balance, 0);
  held := coalesce(held, 0);
  shards := coalesce(shards, 0);
end $$;

-- Returns true if a running transaction has changed or locked the wallet's row. It writes no lock itself. The row names
-- the writer by 32 bits of its transaction or subtransaction, so the other bits are those of the next id. A writer that
-- began after this snapshot has a higher id, for which pg_xact_status would raise an error.
create function turnpike.is_contended(p_user_id bigint) returns boolean language plpgsql as $$
declare
  writer bigint;
  next bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  ahead bigint;
begin
  select w.xmax::text::bigint into writer from wallets w where w.user_id = p_user_id;
  if coalesce(writer, 0) = 0 then
    return false;
  end if;
  ahead := (writer - next) & 4294967295;
  if ahead < 2147483648 then
    return true;
  end if;
  return coalesce(pg_xact_status((next + ahead - 4294967296)::text::xid8) = 'in progress', false);
end $$;

-- Locks a free shard and returns its number. If all shards are locked, it waits for one.
-- Returns null if the account has no shards.
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
  select s.shard into taken
    from wallet_shards s
    where s.user_id = p_user_id and s.shard >= first
    order by s.shard limit 1 for no key update skip locked;
  if taken is null then
    select s.shard into taken
      from wallet_shards s
      where s.user_id = p_user_id and s.shard < first
      order by s.shard limit 1 for no key update skip locked;
  end if;
  if taken is null then
    select s.shard into taken
      from wallet_shards s
      where s.user_id = p_user_id and s.shard = first for no key update;
  end if;
  return taken;
end $$;

-- Locks all shards and the wallet of an account. No other transaction changes them until this one
-- ends, and the next statement sees all committed changes.
-- Returns the shard to change, or null if the account has no shards.
create function turnpike.lock_account(p_user_id bigint) returns integer language plpgsql as $$
declare
  locked integer;
begin
  perform from wallet_shards s where s.user_id = p_user_id order by s.shard for no key update;
  get diagnostics locked = row_count;
  perform from wallets w where w.user_id = p_user_id for no key update;
  -- The account got shards while this waited. Other transactions may hold them and wait
  -- for the wallet, so start again.
  if locked = 0 and exists (select from wallets w where w.user_id = p_user_id and w.shards > 0) then
    raise exception 'account % has got shards', p_user_id using errcode = 'deadlock_detected';
  end if;
  return case when locked > 0 then 0 end;
end $$;

-- Changes the held amount of an account by p_amount.
-- p_shard: the shard that this transaction has locked, or null if the account has no shards.
-- Returns false if the account has got shards in the meantime, or if an account without shards lacks the credit.
-- With shards, the caller must check the credit.
create function turnpike.change_held(p_user_id bigint, p_shard integer, p_amount bigint) returns boolean
language plpgsql as $$
begin
  if p_shard is null then
    update wallets w set held_credit_micros = w.held_credit_micros + p_amount
      where w.user_id = p_user_id and w.shards = 0 and w.balance_credit_micros - w.held_credit_micros >= p_amount;
  else
    update wallet_shards s set held_credit_micros = s.held_credit_micros + p_amount
      where s.user_id = p_user_id and s.shard = p_shard;
  end if;
  return found;
end $$;

-- A hold that was taken in the row of a wallet.
create type turnpike.wallet_hold as (
  taken boolean,
  -- How often transactions waited for this row lately.
  waits integer -- null: not taken
);

-- Takes a hold in the row of a wallet without shards, if that has the credit. p_contended: another transaction had
-- locked the row; null: this one had.
create function turnpike.hold_in_wallet(p_user_id bigint, p_amount bigint, p_contended boolean)
returns turnpike.wallet_hold
language plpgsql as $$
declare
  hold turnpike.wallet_hold;
begin
  update wallets w set held_credit_micros = w.held_credit_micros + p_amount,
      waits = greatest(0, w.waits + case when p_contended then 4 else -1 end)
    where w.user_id = p_user_id and w.shards = 0 and w.balance_credit_micros - w.held_credit_micros >= p_amount
    returning w.waits into hold.waits;
  hold.taken := found;
  return hold;
end $$;

-- Takes charges from the row of a wallet without shards, and releases the holds of the charged turns. Returns the row
-- afterwards; all null if the account has shards.
create function turnpike.charge_wallet(p_user_id bigint, p_charged bigint, p_released bigint) returns wallets
language plpgsql as $$
declare
  charged wallets;
begin
  update wallets w set balance_credit_micros = w.balance_credit_micros - p_charged,
    held_credit_micros = w.held_credit_micros - p_released
    where w.user_id = p_user_id and w.shards = 0
    returning w.* into charged;
  return charged;
end $$;

-- charge_wallet for the shard that this transaction has locked.
create function turnpike.charge_shard(p_user_id bigint, p_shard integer, p_charged bigint, p_released bigint)
returns void
language plpgsql as $$
begin
  update wallet_shards s set balance_credit_micros = s.balance_credit_micros - p_charged,
    held_credit_micros = s.held_credit_micros - p_released
    where s.user_id = p_user_id and s.shard = p_shard;
end $$;

-- Notes that a turn was refused in a way that workers may remember. The caller has locked the wallet. A mark of the
-- last seconds is kept, so that many refusals write it once.
create function turnpike.mark_refused(p_user_id bigint, p_moment timestamptz) returns void language plpgsql as $$
begin
  update wallets w set refused_at = p_moment
    where w.user_id = p_user_id
    and (w.refused_at is null or w.refused_at < p_moment - interval '5 seconds' or w.refused_at > p_moment);
end $$;

-- Returns true if workers may still remember a refusal of a wallet. A mark is up to 5 seconds older than the
-- refusal, a refusal is remembered for 5 seconds, and clocks differ.
create function turnpike.may_be_remembered(p_wallet wallets, p_moment timestamptz) returns boolean
language sql stable as $$
  select coalesce(p_wallet.refused_at > p_moment - interval '15 seconds', false)
$$;

-- The same for an account whose wallet the caller has not read. The caller has locked the account or a shard, so this
-- sees each refusal that did not see this transaction.
create function turnpike.is_remembered(p_user_id bigint, p_moment timestamptz) returns boolean
language plpgsql as $$
begin
  return coalesce((select turnpike.may_be_remembered(w, p_moment) from wallets w where w.user_id = p_user_id), false);
end $$;
