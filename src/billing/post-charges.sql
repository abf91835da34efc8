-- Posts up to p_limit queued charges of an account, in the order in which their turns ended.
-- It inserts their ledger rows with running totals, updates the wallet's balance and writes the account events.
-- The lock of the wallet makes sure that each charge is posted once.
-- posted: the number of posted charges. is_more: true if more charges may be queued.
-- is_poor: true if the account no longer has enough credit for its shards.
-- has_subscriber: true if an endpoint gets an event.
-- is_refused: true if workers may remember a refusal, which a hold that was just released may have ended.
create function turnpike.post_charges(p_user_id bigint, p_limit integer, p_moment timestamptz, out posted integer,
  out is_more boolean, out is_poor boolean, out has_subscriber boolean, out is_refused boolean) language plpgsql as $$
declare
  wallet wallets;
  turn_ids text[];
  total bigint;
  sums record;
begin
  select w.* into wallet from wallets w where w.user_id = p_user_id for no key update;
  has_subscriber := false;
  is_refused := turnpike.may_be_remembered(wallet, p_moment);
  with taken as (
    select t.* from turnpike.take_postings(p_user_id, p_limit) t
  ), entries as (
    insert into ledger (
        user_id, reason, amount_credit_micros,
        balance_after_credit_micros,
        turn_id, actor, created_at)
    select
        t.user_id, t.reason, t.amount_credit_micros,
        wallet.balance_credit_micros + sum(t.amount_credit_micros) over (order by t.created_at, t.posting_id),
        t.turn_id, 'turn', t.created_at
      from taken t
    order by t.created_at, t.posting_id
    returning ledger_id, turn_id, amount_credit_micros
  )
  select count(*), coalesce(sum(e.amount_credit_micros), 0)::bigint,
    coalesce(array_agg(e.turn_id order by e.ledger_id), '{}')
    into posted, total, turn_ids
  from entries e;
  if posted > 0 then
    update wallets w set balance_credit_micros = w.balance_credit_micros + total,
      folded_credit_micros = w.folded_credit_micros + total
      where w.user_id = p_user_id;
    has_subscriber := turnpike.tell_posted(wallet, total, turn_ids, p_moment);
  end if;
  is_more := posted = p_limit;
  select s.* into sums from turnpike.wallet_sums(p_user_id) s;
  is_poor := sums.shards > 0 and sums.balance - sums.held < sums.shards * sums.shard_hold;
end $$;

-- Deletes the first p_limit queued charges of an account and returns them.
-- A session plans this statement once, perhaps while the queue is empty and all plans look
-- equally good. Some plans would compare each row of a later backlog with each row of a batch.
-- So the batch is a range of (user_id, posting_id), which fits only the account's index.
-- A range of posting_id alone would use that index too, but read it from end to end.
create function turnpike.take_postings(p_user_id bigint, p_limit integer) returns setof postings
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  return query delete from postings q
    where (q.user_id, q.posting_id) >= (p_user_id, 0) and (q.user_id, q.posting_id) <= (p_user_id, (
      select max(f.posting_id)
        from (
        select n.posting_id
          from postings n
          where (n.user_id, n.posting_id) >= (p_user_id, 0) and (n.user_id, n.posting_id) < (p_user_id + 1, 0)
          order by n.user_id, n.posting_id limit p_limit) f))
    returning q.*;
end $$;

-- Returns whether an account has queued charges.
-- Sequential scans are off: a plan from the time of an empty queue would read the charges of all accounts.
create function turnpike.has_postings(p_user_id bigint) returns boolean language plpgsql set enable_seqscan = off as $$
begin
  return exists (select from postings q where q.user_id = p_user_id);
end $$;

-- Posts all queued charges of an account. Returns whether an endpoint gets an event.
create function turnpike.post_all(p_user_id bigint, p_moment timestamptz) returns boolean language plpgsql as $$
declare
  has_subscriber boolean := false;
  part record;
begin
  loop
    select p.* into part from turnpike.post_charges(p_user_id, 1000, p_moment) p;
    has_subscriber := has_subscriber or part.has_subscriber;
    exit when not part.is_more;
  end loop;
  return has_subscriber;
end $$;

-- Posts all queued charges of the caller's account, before the caller reads its ledger.
-- has_subscriber: true if an endpoint gets an event, null if nothing was queued.
create function turnpike.post_own_charges(p_request turnpike.request,
  out actor turnpike.caller, out has_subscriber boolean) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  caller := turnpike.find_caller(p_request);
  actor := caller;
  if caller.usable and turnpike.has_postings(caller.user_id) then
    has_subscriber := turnpike.post_all(caller.user_id, p_request.moment);
  end if;
end $$;

-- Writes the account events that posted charges cause: events of the balance
-- after each ledger row, and events of the caps in which the charges count.
-- p_was: the wallet before the charges. p_total: the sum of the charges.
-- It locks counters in the same order as count_spend().
-- Returns whether an endpoint gets an event.
create function turnpike.tell_posted(p_was wallets, p_total bigint, p_turn_ids text[], p_moment timestamptz)
returns boolean
language plpgsql as $$
declare
  entry record;
  state record;
  was wallets := p_was;
  has_subscriber boolean := false;
begin
  if p_was.balance_credit_micros + p_total < p_was.low_balance_credit_micros
    or p_was.balance_credit_micros + p_total = 0 then
    for entry in select l.balance_after_credit_micros as total, l.created_at
      from ledger l
      where l.turn_id = any (p_turn_ids) and l.reason in ('usage', 'space_usage')
      order by l.ledger_id
    loop
      if turnpike.follow_balance(was, entry.total, entry.created_at) then
        has_subscriber := true;
      end if;
      select w.* into was from wallets w where w.user_id = p_was.user_id;
      was.balance_credit_micros := entry.total;
    end loop;
  end if;
  if exists (select from spend_counted c where c.user_id = p_was.user_id) then
    for state in
      select distinct on (s.rank, s.subject, s.cap, s.starts_at) t.key_id, s.state as cap_state,
        turnpike.reached_percents(s.spent_credit_micros, s.limit_credit_micros) as percents
      from (select e.key_id, e.end_user_ref, e.window_started_at, turnpike.shared_space(e) as shared,
        max(e.created_at) as accepted_at
          from turns e where e.turn_id = any (p_turn_ids)
          group by e.key_id, e.end_user_ref, e.window_started_at, turnpike.shared_space(e),
            date_trunc('day', e.created_at, 'UTC')) t,
        lateral (select c.*, c as state, array_position('{end_user,key,account,members}'::text[], c.kind) as rank
          from turnpike.cap_states(p_was.user_id, t.key_id, case when t.key_id is not null then t.end_user_ref end,
            t.accepted_at, t.window_started_at, t.shared) c) s
      where s.starts_at is not null and s.spent_credit_micros * 2 >= s.limit_credit_micros
      order by s.rank, s.subject, s.cap, s.starts_at
    loop
      if turnpike.tell_cap(p_was.user_id, state.key_id, state.cap_state, state.percents, p_moment) then
        has_subscriber := true;
      end if;
    end loop;
  end if;
  return has_subscriber;
end $$;

-- Lists accounts with queued charges after p_after, by id, with the time of their oldest charge.
-- Because the sweep pages by id, an account that fails does not stop the accounts after it.
create function turnpike.accounts_to_post(p_after bigint, p_limit integer)
returns table (user_id bigint, oldest timestamptz)
language plpgsql as $$
begin
  return query select q.user_id, min(q.created_at)
    from postings q
    where q.user_id > p_after
    group by q.user_id
    order by 1 limit p_limit;
end $$;

-- They have too little credit, or no charge since p_idle_since and no live turn that may run.
-- They have too little credit, or no live turn runs or may start and they were not charged since p_idle_since.
create function turnpike.accounts_to_fold(p_idle_since timestamptz, p_after bigint, p_limit integer)
returns table (user_id bigint)
language plpgsql as $$
begin
  return query select w.user_id
    from wallets w, lateral turnpike.wallet_sums(w.user_id) s
    where w.shards > 0 and w.user_id > p_after and (s.balance - s.held < s.shards * s.shard_hold
      or ((select l.created_at from ledger l where l.user_id = w.user_id order by l.ledger_id desc limit 1)
        < p_idle_since
        and not exists (select from open_turns o where o.user_id = w.user_id and not o.test
          and o.state in ('queued', 'running'))))
    order by 1 limit p_limit;
end $$;
