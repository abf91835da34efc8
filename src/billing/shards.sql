-- Gives an account p_count shards, so that its turns do not wait for each other. The caller has locked the wallet.
-- Does nothing if the account has shards, or less available credit than 2 * p_count * p_hold.
-- p_hold: the account's shard_hold (docs/architecture/money.md).
-- The held credit moves into the first shard, because the check of the wallet covers only its posted balance.
create function turnpike.grow_shards(p_user_id bigint, p_count integer, p_hold bigint) returns void
language plpgsql as $$
declare
  wallet wallets;
begin
  select w.* into wallet from wallets w where w.user_id = p_user_id;
  if wallet.shards > 0 or wallet.balance_credit_micros - wallet.held_credit_micros < 2 * p_count * p_hold then
    return;
  end if;
  insert into wallet_shards (
      user_id, shard, held_credit_micros)
  select
      p_user_id, n, case n when 0 then wallet.held_credit_micros else 0 end
  from generate_series(0, p_count - 1) n;
  update wallets w set shards = p_count, shard_hold_credit_micros = p_hold, held_credit_micros = 0,
    folded_credit_micros = 0, waits = 0
    where w.user_id = p_user_id;
end $$;

-- Removes an account's shards: their holds move to the wallet, and sharded counters become one row each.
-- folded: false if the account has no shards, or if more than p_limit charges were queued.
-- has_subscriber: true if an endpoint gets an event.
create function turnpike.fold_shards(p_user_id bigint, p_limit integer, p_moment timestamptz, out folded boolean,
  out has_subscriber boolean)
language plpgsql as $$
declare
  sums record;
begin
  perform turnpike.lock_account(p_user_id);
  folded := false;
  select p.has_subscriber into has_subscriber from turnpike.post_charges(p_user_id, p_limit, p_moment) p;
  select s.* into sums from turnpike.wallet_sums(p_user_id) s;
  if sums.shards = 0 or turnpike.has_postings(p_user_id) then
    return;
  end if;
  update wallets w set shards = 0, shard_hold_credit_micros = 0, folded_credit_micros = 0,
    held_credit_micros = sums.held, waits = 0
    where w.user_id = p_user_id;
  delete from wallet_shards s where s.user_id = p_user_id;
  update spend_counters c set spent_credit_micros = c.spent_credit_micros + s.spent,
      reserved_credit_micros = c.reserved_credit_micros + s.reserved, sharded = false
    from (select k.kind, k.subject, k.period, k.starts_at, sum(k.spent_credit_micros)::bigint as spent,
        sum(k.reserved_credit_micros)::bigint as reserved
      from spend_counter_shards k where k.user_id = p_user_id group by 1, 2, 3, 4) s
    where c.user_id = p_user_id and c.kind = s.kind and c.subject = s.subject and c.period = s.period
      and c.starts_at = s.starts_at;
  update spend_counters c set sharded = false where c.user_id = p_user_id and c.sharded;
  delete from spend_counter_shards k where k.user_id = p_user_id;
  folded := true;
end $$;
