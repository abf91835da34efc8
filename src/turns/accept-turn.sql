-- The values of a new turn that the request does not contain in asked_turn.
create type turnpike.new_turn as (
  turn_id text,
  event_id text,
  conversation_id text, -- used if the conversation is new
  idempotency_key text,
  request_hash text,
  text text,
  metadata jsonb,
  timeout integer, -- null: the default
  traceparent text, -- null: the turn begins a trace
  tracestate text, -- null: no state
  on_limit text, -- null: the configuration says it
  max_wait integer -- null: the same
);

-- Accepts a turn: writes its hold, its place in its conversation, its row and its first event.
-- outcome: 'accepted', 'replayed' (`turn` is from an earlier request with this Idempotency-Key), 'no_hold' (`hold`
-- has the limits). Or 'test_turns' (`too_many` has the limit), 'max_cost' (`hold` has what the turn needs), or
-- another refusal of admit_turn.
-- p_shards: how many shards an account gets if its turns wait for each other. p_runners: the most runners.
-- needs_runner: the caller must call one.
--
-- A look without locks can find credit that another turn takes at the same moment. Then everything is rolled back and
-- decided again under all locks of the account, in this statement. An error would cost the connection, and an account
-- at its limit has many of these.
create function turnpike.accept_turn(p_request turnpike.request, p_asked turnpike.asked_turn, p_new turnpike.new_turn,
  p_shards integer, p_runners integer,
  out actor turnpike.caller, out outcome text, out turn turns, out slug text, out in_scope boolean,
  out hold turnpike.hold_state, out too_many turnpike.test_turn_count, out has_subscriber boolean, out needs_runner boolean,
  out waits_behind text) language plpgsql
-- A new connection plans each statement once, and not again in its next four turns.
set plan_cache_mode = force_generic_plan as $$
declare
  answer record;
begin
  begin
    answer := turnpike.try_accept_turn(p_request, p_asked, p_new, false, p_shards, p_runners);
  exception when sqlstate 'TP001' or deadlock_detected then
    answer := turnpike.try_accept_turn(p_request, p_asked, p_new, true, p_shards, p_runners);
  end;
  actor := answer.actor;
  outcome := answer.outcome;
  turn := answer.turn;
  slug := answer.slug;
  in_scope := answer.in_scope;
  hold := answer.hold;
  too_many := answer.too_many;
  has_subscriber := answer.has_subscriber;
  needs_runner := answer.needs_runner;
  waits_behind := answer.waits_behind;
end $$;

-- Tries accept_turn once. p_locked: decides under all locks of the account. Without
-- it, SQLSTATE TP001 says that only these locks can decide.
create function turnpike.try_accept_turn(p_request turnpike.request,
  p_asked turnpike.asked_turn, p_new turnpike.new_turn, p_locked boolean, p_shards integer, p_runners integer,
  out actor turnpike.caller, out outcome text, out turn turns, out slug text, out in_scope boolean,
  out hold turnpike.hold_state, out too_many turnpike.test_turn_count, out has_subscriber boolean, out needs_runner boolean,
  out waits_behind text) language plpgsql as $$
declare
  caller turnpike.caller;
  once text;
  known turns;
  space spaces;
  admission turnpike.admission;
  wallet wallets;
  room record;
  refusal record;
  amount bigint := 0;
  window_started_at timestamptz;
  capped boolean := false;
  all_locked boolean := p_locked;
  margin bigint := 0;
  shard integer;
  waited boolean;
  waits integer;
  taken boolean;
  is_short boolean := false;
  sums record;
  conversation conversations;
  made turns;
  first_state text;
  wakes_at timestamptz := p_request.moment;
  shared bigint;
  sale turnpike.sale;
  customer_hold bigint;
begin
  -- Finds the caller, and the turn of an earlier request with this key. Equal requests wait for each other here,
  -- before they hold any other lock.
  caller := turnpike.find_caller(p_request);
  if caller.kind = 'session' and caller.usable then
    caller := turnpike.as_member(caller, p_asked.space);
    -- A member's Idempotency-Keys never collide with keys of the owner or of another member.
    p_new.idempotency_key := concat(caller.member_id || ' ', p_new.idempotency_key);
  end if;
  actor := caller;
  if caller.usable is not true then
    return;
  end if;
  once := caller.user_id::text || ' ' || caller.test::text || ' ' || p_new.idempotency_key;
  perform pg_advisory_xact_lock(hashtext('turn'), hashtext(once));
  select t.* into known from turns t where t.user_id::text || ' ' || t.test::text || ' ' || t.idempotency_key = once;
  if known.turn_id is not null then
    select s.* into space from spaces s where s.space_id = known.space_id;
    outcome := 'replayed';
    turn := known;
    slug := space.slug;
    in_scope := turnpike.in_scope(caller, space.user_id, space.test, space.created_by_key_id, space.space_id);
    perform turnpike.note_use(caller, p_request.moment);
    return;
  end if;

  -- Looks up the rows that the request names, and the hold that the turn can get.
  admission := turnpike.admit_turn(caller, p_asked);
  if admission.refused is not null then
    outcome := admission.refused;
    if outcome = 'max_cost' then
      hold := row(null, admission.needed, 0, 0, '{}', p_asked.max_cost, null);
    end if;
    perform turnpike.note_use(caller, p_request.moment);
    return;
  end if;
  -- The space whose members' cap binds the turn.
  shared := case when caller.member_id is not null then admission.space_id end;
  if caller.test then
    too_many := turnpike.test_turns_left(caller.user_id, p_request.moment);
    if too_many.cap is not null then
      outcome := 'test_turns';
      perform turnpike.note_use(caller, p_request.moment);
      return;
    end if;
  else
    select w.* into wallet from wallets w where w.user_id = caller.user_id;
    margin := wallet.shards * wallet.shard_hold_credit_micros;
    capped := turnpike.caller_has_caps(caller, admission.limited, wallet, p_request.moment, shared);
    sale := turnpike.sale_for(caller, admission, wallet);
    if (capped or sale.prepaid) and not all_locked then
      room := turnpike.headroom(caller.user_id, caller.key_id, p_asked.end_user, admission.wanted, admission.needed,
        p_request.moment,
        true, null, shared, sale, 0);
      all_locked := turnpike.needs_all_locks(room.caps, room.window_started_at = p_request.moment, admission.wanted, margin);
      if capped and margin > 0 and room.amount is distinct from admission.wanted then
        all_locked := true;
      end if;
    end if;
    if wallet.shards > 0 and not all_locked then
      all_locked := admission.wanted > wallet.shard_hold_credit_micros
        or (select s.balance - s.held < admission.wanted + margin from turnpike.wallet_sums(caller.user_id) s);
    end if;
  end if;
  if all_locked then
    -- In the order of all locks: the conversation before the wallet. A new
    -- conversation is deleted again if the turn is refused.
    insert into conversations (conversation_id, space_id, user_id, test, end_user_ref, name, last_position, created_at)
    values (p_new.conversation_id, admission.space_id, caller.user_id, caller.test, p_asked.end_user, admission.conversation_name, 0,
      p_request.moment)
    on conflict do nothing;
    perform from conversations c where c.space_id = admission.space_id and c.end_user_ref = p_asked.end_user
      and c.name = admission.conversation_name for no key update;
    if sale.prepaid then
      perform turnpike.lock_end_user(caller.user_id, p_asked.end_user);
    end if;
    shard := turnpike.lock_account(caller.user_id);
    select w.* into wallet from wallets w where w.user_id = caller.user_id;
  end if;
  if not caller.test then
    if all_locked then
      room := turnpike.headroom(caller.user_id, caller.key_id, p_asked.end_user, admission.wanted, admission.needed,
        p_request.moment,
        true, null, shared, sale, 0);
      amount := room.amount;
      if amount is not null and cardinality(room.caps) > 0 then
        perform turnpike.begin_counting(caller.user_id, room.caps, admission.wanted, p_request.moment);
      end if;
      window_started_at := room.window_started_at;
    elsif capped or sale.prepaid then
      amount := room.amount;
      window_started_at := room.window_started_at;
    elsif wallet.shards > 0 then
      -- The credit of the account is checked later, under the lock of a shard.
      amount := admission.wanted;
    else
      -- Most turns have no cap at all: the balance alone decides.
      amount := coalesce(wallet.balance_credit_micros - wallet.held_credit_micros, 0);
      amount := case when amount >= admission.needed then least(admission.wanted, amount) end;
    end if;
    if amount is null then
      refusal := turnpike.refuse_turn(caller, p_asked.end_user, admission, sale, p_request.moment);
      outcome := refusal.outcome;
      hold := refusal.hold;
      has_subscriber := refusal.has_subscriber;
      delete from conversations c where c.conversation_id = p_new.conversation_id and c.last_position = 0;
      perform turnpike.note_use(caller, p_request.moment);
      return;
    end if;
  end if;

  -- Takes its place: the conversation's row numbers its turns in the order of their commits.
  update conversations c set last_position = c.last_position + 1, user_id = caller.user_id, test = caller.test,
    last_turn_at = greatest(c.last_turn_at, p_request.moment)
    where c.space_id = admission.space_id and c.end_user_ref = p_asked.end_user and c.name = admission.conversation_name
    returning c.* into conversation;
  if not found then
    -- Another request can insert the conversation at the same moment.
    insert into conversations as c (conversation_id, space_id, user_id, test, end_user_ref, name, last_turn_at, created_at)
    values (p_new.conversation_id, admission.space_id, caller.user_id, caller.test, p_asked.end_user, admission.conversation_name,
      p_request.moment, p_request.moment)
    on conflict on constraint conversations_space_id_end_user_ref_name_key do update set last_position = c.last_position + 1,
      user_id = excluded.user_id, test = excluded.test, last_turn_at = greatest(c.last_turn_at, excluded.last_turn_at)
    returning c.* into conversation;
  end if;
  -- Two conditions: in one, PostgreSQL would plan the query again for the first turn of each conversation.
  if conversation.last_position > 1 then
    select o.state, case o.state when 'waiting' then o.turn_id end into first_state, waits_behind from open_turns o where o.conversation_id = conversation.conversation_id and o.wake_at < 'infinity';
    if found or exists (select from open_turns o where o.conversation_id = conversation.conversation_id and o.wake_at = 'infinity') then
      -- It can start when the turn before it has ended (next_turn).
      wakes_at := 'infinity';
    end if;
  end if;
  -- A turn after one that waits holds nothing until it starts (grow_hold).
  amount := case first_state when 'waiting' then 0 else amount end;
  if sale.prepaid then
    customer_hold := case first_state when 'waiting' then 0 else turnpike.sale_hold(sale.price, amount) end;
  end if;
  insert into turns as t (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref, idempotency_key, request_hash,
    request_id, traceparent, tracestate, text, file_ids, model, metadata, max_cost_credit_micros, timeout_seconds, hold_credit_micros, held_credit_micros, window_started_at,
    created_at, member_id, price_version, on_limit, max_wait_seconds, price_id, end_user_price, end_user_hold_credit_micros)
  values (p_new.turn_id, caller.user_id, caller.key_id, admission.space_id, conversation.conversation_id, conversation.last_position,
    caller.test, p_asked.end_user, p_new.idempotency_key, p_new.request_hash, p_request.request_id, p_new.traceparent, p_new.tracestate, p_new.text, p_asked.files, admission.pin, p_new.metadata,
    p_asked.max_cost, p_new.timeout, amount, amount, window_started_at, p_request.moment, caller.member_id, admission.price_version,
    p_new.on_limit, p_new.max_wait, (sale.price).price_id, turnpike.shown_price(sale.price), customer_hold)
  returning t.* into made;
  insert into open_turns (turn_id, conversation_id, position, user_id, test, state, wake_at, created_at, lane)
  values (p_new.turn_id, made.conversation_id, made.position, made.user_id, made.test, case first_state when 'waiting' then 'blocked' else 'queued' end, wakes_at, p_request.moment,
    hashtext(made.end_user_ref));
  has_subscriber := turnpike.write_transition(made, admission.made_by, p_new.event_id, '{}', p_request.moment);

  -- Takes its hold last: so far the amount was only read. It is taken if every limit still has it.
  if amount > 0 then
    if sale.prepaid is not false and turnpike.change_end_user_held(caller.user_id, p_asked.end_user, customer_hold) is not true then
      raise exception 'another turn took the credit of the end user at the same moment' using errcode = 'TP001';
    end if;
    if not all_locked then
      shard := turnpike.take_shard(caller.user_id);
    end if;
    if shard is null then
      if not all_locked then
        waited := turnpike.is_contended(caller.user_id);
      end if;
      update wallets w set held_credit_micros = w.held_credit_micros + amount, waits = greatest(0, w.waits + case when waited then 4 else -1 end)
        where w.user_id = caller.user_id and w.shards = 0 and w.balance_credit_micros - w.held_credit_micros >= amount
        returning w.waits into waits;
      taken := found;
    else
      taken := turnpike.change_held(caller.user_id, shard, amount);
    end if;
    -- The account has got shards in the meantime, so it is not known whether its credit is enough.
    if shard is not null and margin = 0 and not all_locked then
      taken := false;
    end if;
    if taken and capped and not all_locked then
      taken := turnpike.is_in_open_window(made);
    end if;
    if taken is not true then
      raise exception 'another turn took the credit at the same moment' using errcode = 'TP001';
    end if;
    perform turnpike.count_spend(made, 0, amount, shard);
    if shard is not null and not all_locked then
      -- Under the lock of the shard, the margin must be left for holds that other
      -- transactions take now and that this one cannot see (wallet.sql).
      sums := turnpike.wallet_sums(caller.user_id);
      margin := sums.shards * sums.shard_hold;
      is_short := amount > sums.shard_hold or sums.balance - sums.held < margin;
    end if;
    if capped and not all_locked then
      is_short := case when is_short then true else turnpike.overshoots(made, margin) end;
    end if;
    if is_short then
      raise exception 'another turn may have taken the credit at the same moment' using errcode = 'TP001';
    end if;
    if waits >= 20 then
      perform turnpike.grow_shards(caller.user_id, p_shards, p_asked.default_hold);
    end if;
  end if;
  outcome := 'accepted';
  turn := made;
  slug := admission.slug;
  perform turnpike.note_use(caller, p_request.moment);
  needs_runner := wakes_at < 'infinity' and turnpike.needs_runner(p_runners, p_request.moment);
end $$;

-- Refuses a turn that gets no hold, with amounts of one moment under all locks of the account. Writes the event of a
-- limit that refuses every turn from now on.
-- If there is enough credit in the meantime: SQLSTATE TP001, as in try_accept_turn.
create function turnpike.refuse_turn(caller turnpike.caller, p_end_user text, admission turnpike.admission, p_sale turnpike.sale,
  p_moment timestamptz,
  out outcome text, out hold turnpike.hold_state, out has_subscriber boolean) language plpgsql as $$
declare
  room record;
  short_needed bigint;
  shared bigint := case when caller.member_id is not null then admission.space_id end;
begin
  if p_sale.prepaid then
    perform turnpike.lock_end_user(caller.user_id, p_end_user);
  end if;
  perform turnpike.lock_account(caller.user_id);
  room := turnpike.headroom(caller.user_id, caller.key_id, p_end_user, admission.wanted, admission.needed, p_moment,
    true, null, shared, p_sale, 0);
  if room.amount is not null then
    raise exception 'credit was released at the same moment' using errcode = 'TP001';
  end if;
  outcome := 'no_hold';
  hold := row(null, admission.needed, room.available, room.held, room.caps, null, room.credit);
  select least(admission.wanted, turnpike.least_cost(c, admission.short_tokens, admission.answer_tokens)) into short_needed
    from model_catalog c where c.pin = admission.pin;
  has_subscriber := turnpike.tell_refusal(caller.user_id, caller.key_id, admission.needed, short_needed, room.available,
    room.held, room.caps, p_moment);
  if p_sale.prepaid and room.available >= admission.needed and (room.credit).balance - (room.credit).held < (room.credit).needed
    and turnpike.tell_end_user_refusal(caller.user_id, p_end_user, p_moment)
  then
    has_subscriber := true;
  end if;
end $$;
