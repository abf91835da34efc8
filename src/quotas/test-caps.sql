-- The limits of end users in test turns. They count rehearsed amounts, in counters of the kind test_end_user. A test
-- turn without a price, a wallet or a limit has no such amount and counts nothing.

-- Locks what live turns of an account lock (lock_account), or what test turns lock in its place: nothing that a live
-- turn waits for. Returns the shard of the wallet; null: no shards, or a test turn.
create function turnpike.lock_money(p_user_id bigint, p_test boolean) returns integer language plpgsql as $$
begin
  if p_test then
    perform pg_advisory_xact_lock(hashtext('test money'), hashtext(p_user_id::text));
    return null;
  end if;
  return turnpike.lock_account(p_user_id);
end $$;

-- Returns the limits that bind a test turn of a key for an end user at a moment, with the amounts of their counters.
-- The defaults of the account are for live turns.
create function turnpike.test_cap_states(p_user_id bigint, p_key_id text, p_end_user text, p_moment timestamptz)
returns setof turnpike.cap_state language plpgsql stable rows 2 as $$
begin
  return query select l.cap, l.source, 'test_end_user', l.subject, l.period, l.amount,
    coalesce(c.spent_credit_micros, 0), coalesce(c.reserved_credit_micros, 0), l.starts_at, l.resets_at, true, false
    from (select p_end_user as ref) as asked
      left join end_users e on e.user_id = p_user_id and e.test and e.end_user_ref = asked.ref
      cross join lateral turnpike.cap_limits(e, p_user_id, p_key_id, p_end_user, p_moment, null, null) l
      left join spend_counters c on c.user_id = p_user_id and c.kind = 'test_end_user' and c.subject = l.subject
        and c.period = l.period
        and c.starts_at = l.starts_at
    where l.kind = 'end_user' and l.source <> 'account' and l.amount is not null and l.subject is not null;
end $$;
