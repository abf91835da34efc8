-- Turns that wait for a limit, a decision or a result (docs/architecture/waiting.md). A waiting turn is running,
-- without lease and slot. It holds only its cost. Later turns of its conversation are `blocked` in open_turns.

-- A call that a turn waits for, as its worker describes it.
create type turnpike.wait_call as (
  step integer,
  call integer,
  agent text, -- null: the space's own agent
  tool text,
  input jsonb,
  input_schema jsonb,
  -- 'asked' (a person must decide) or 'awaited' (its result comes later).
  state text,
  offered boolean
);

-- Why a turn waits. The fields from bound_by on are for a limit.
create type turnpike.wait_reason as (
  calls jsonb,
  -- The limit that bounds the turn (HoldBound), the counter of that cap, and when it resets.
  bound_by text, -- null: it waits for calls
  counter text, -- null: no cap
  resets_at timestamptz, -- null: never
  needed bigint, -- null: it waits for calls
  wanted bigint, -- null: it waits for calls
  -- An account whose other turns hold credit is tried again then, because they may release it.
  again_at timestamptz
);

-- Stores a call that a turn waits for.
create function turnpike.store_wait_call(mine turns, one turnpike.wait_call) returns void language plpgsql as $$
begin
  insert into turn_calls as k (
      turn_id, step, call, user_id, test, space_id, agent, tool,
      input, input_schema, state, offered)
  values (
      mine.turn_id, one.step, one.call, mine.user_id, mine.test, mine.space_id, one.agent, one.tool,
      one.input, one.input_schema, one.state, one.offered)
  on conflict (turn_id, step, call) do update set
    -- A result can come before the turn waits for it.
    state = case when k.state in ('early', 'answered') then k.state else excluded.state end, tool = excluded.tool,
      input = excluded.input, input_schema = excluded.input_schema, offered = excluded.offered, agent = excluded.agent;
end $$;

-- Lets a running turn wait. It keeps a hold of its cost, and the rest is released. A turn that was asked to stop does
-- not wait.
-- posts: as of close_holds.
-- outcome: 'waiting', 'ready' (all results came in the meantime: a runner must be called), 'cancel' or 'stale'.
-- A repeat after the first answer was lost has no effect: it finds no lease ('waiting'), or a turn that waits
-- ('stale').
create function turnpike.begin_wait(p_turn_id text, p_epoch integer, p_reason turnpike.wait_reason,
  p_max_seconds integer, p_event_id text, p_moment timestamptz, out outcome text, out turn turns,
  out has_subscriber boolean, out posts boolean) language plpgsql as $$
declare
  mine turns := turnpike.own_turn(p_turn_id, p_epoch);
  resting turns;
  one turnpike.wait_call;
  reason text;
  bound jsonb;
  expires_at timestamptz := p_moment + make_interval(secs => p_max_seconds);
  blocked turns[];
  released bigint;
  shard integer;
  kept bigint;
begin
  has_subscriber := false;
  posts := false;
  outcome := case when mine.turn_id is null then 'stale' when mine.lease_until is null then 'waiting'
    when mine.cancel_requested_at is not null then 'cancel' else 'new' end;
  if outcome is distinct from 'new' then
    return;
  end if;
  for one in select c.* from jsonb_populate_recordset(null::turnpike.wait_call, p_reason.calls) c loop
    perform turnpike.store_wait_call(mine, one);
    mine := turnpike.take_early(mine, one.step, one.call, p_moment);
  end loop;
  -- With this lock, a turn that is being accepted into the conversation is seen here, or it sees that this one waits.
  perform turnpike.lock_later(mine);
  perform from conversations c where c.conversation_id = mine.conversation_id for no key update;
  reason := case when p_reason.bound_by is not null then 'limit'
    when exists (select from turn_calls k where k.turn_id = p_turn_id and k.state = 'asked') then 'approval'
    when exists (select from turn_calls k where k.turn_id = p_turn_id and k.state = 'awaited') then 'result' end;
  if reason is null then
    outcome := 'ready';
    update turns t set lease_until = null, attempts = 0, waited_ms = coalesce(t.waited_ms, 0)
      where t.turn_id = p_turn_id
      returning t.* into turn;
    update open_turns o set state = 'queued', wake_at = p_moment, provider_id = null, created_at = p_moment
      where o.user_id = mine.user_id and o.test = mine.test and o.turn_id collate "C" = mine.turn_id;
    return;
  end if;
  outcome := 'waiting';
  resting := turnpike.as_rehearsed(mine);
  released := resting.hold_credit_micros - resting.cost_credit_micros;
  if mine.end_user_hold_credit_micros is not null then
    kept := turnpike.sale_hold((turnpike.sale_of_turn(mine)).price, resting.cost_credit_micros);
  end if;
  if reason = 'limit' then
    bound := turnpike.first_limit(resting, kept, p_reason);
  end if;
  update turns t set lease_until = null, attempts = 0, hold_credit_micros = t.cost_credit_micros,
    held_credit_micros = t.cost_credit_micros, end_user_hold_credit_micros = kept,
    rehearsed_hold_credit_micros = t.rehearsed_cost_credit_micros, waited_ms = coalesce(t.waited_ms, 0),
    last_event_seq = t.last_event_seq + 1,
    waiting = jsonb_build_object('for', reason, 'since', p_moment, 'expires_at', expires_at, 'limit', bound, 'calls',
      turnpike.shown_calls(p_turn_id))
    where t.turn_id = p_turn_id
    returning t.* into turn;
  update open_turns o set state = 'waiting', wake_at = p_moment, provider_id = null
    where o.user_id = mine.user_id and o.test = mine.test and o.turn_id collate "C" = mine.turn_id;
  blocked := turnpike.block_later(mine, p_moment);
  insert into waiting_turns (
      turn_id, user_id, test, reason, since, expires_at, bound_by, counter,
      needed_credit_micros, wanted_credit_micros)
  values (
      p_turn_id, mine.user_id, mine.test, reason, p_moment, expires_at, p_reason.bound_by, p_reason.counter,
      p_reason.needed, p_reason.wanted);
  has_subscriber := turnpike.write_wait(turn, 'turn.waiting', p_event_id,
    turn.waiting - 'calls' || jsonb_build_object('calls',
    (select coalesce(jsonb_agg(c - 'input'), '[]') from jsonb_array_elements(turn.waiting -> 'calls') c)), p_moment);
  posts := turnpike.release_holds(array[row(mine, 0, -released)::turnpike.turn_spend] || array(
      select row(b, 0, -b.hold_credit_micros)::turnpike.turn_spend from unnest(blocked) b),
    coalesce(mine.end_user_hold_credit_micros - kept, 0)
    + (select coalesce(sum(b.end_user_hold_credit_micros), 0) from unnest(blocked) b)::bigint, p_moment);
  if reason = 'limit' and p_reason.bound_by <> 'max_cost' then
    insert into waiting_accounts as a (user_id, test, due_at)
    values (mine.user_id, mine.test, least(p_reason.resets_at, p_reason.again_at))
    on conflict (user_id, test) do update set due_at = least(a.due_at, excluded.due_at), raises = a.raises + 1;
  end if;
end $$;

-- Locks the later open turns of a conversation, before the conversation itself.
create function turnpike.lock_later(mine turns) returns void language plpgsql as $$
begin
  perform from turns t
    where t.turn_id in (select o.turn_id from open_turns o
    where o.conversation_id = mine.conversation_id and o.wake_at = 'infinity')
    order by t.turn_id collate "C" for no key update;
end $$;

-- The longest time that a turn waits: its own limit, or the one of its space now. Default: usualSeconds of
-- src/agent-config/manifest.ts.
create function turnpike.wait_limit(mine turns) returns interval language plpgsql stable as $$
begin
  return make_interval(secs => coalesce(mine.max_wait_seconds,
    (select (s.manifest ->> 'max_wait_seconds')::integer from spaces s where s.space_id = mine.space_id), 86400));
end $$;

-- Lets a blocked turn expire after its own wait limit, and returns when. Null: it is not blocked.
create function turnpike.limit_blocked(mine turns, p_moment timestamptz) returns timestamptz language plpgsql as $$
declare
  until timestamptz;
begin
  update open_turns o set expires_at = p_moment + turnpike.wait_limit(mine)
    where o.user_id = mine.user_id and o.test = mine.test and o.turn_id collate "C" = mine.turn_id
      and o.state = 'blocked'
    returning o.expires_at into until;
  return until;
end $$;

-- Blocks the later turns of a conversation after a turn that waits. They hold nothing until they start. Returns the
-- turns that had a hold, as they were. The caller has locked the conversation, and must then give their holds back.
create function turnpike.block_later(mine turns, p_moment timestamptz) returns turns[] language plpgsql as $$
declare
  ids text[];
  later turns[];
begin
  with later_turns as (
    update open_turns o set state = 'blocked',
      expires_at = case t.state when 'queued' then p_moment + turnpike.wait_limit(t) end
      from turns t
      where o.conversation_id = mine.conversation_id and o.wake_at = 'infinity' and t.turn_id = o.turn_id
      returning o.turn_id
  )
    select array_agg(b.turn_id) into ids
    from later_turns b;
  if ids is null then
    return '{}';
  end if;
  later := array(select t from turns t where t.turn_id = any (ids)
    order by t.turn_id collate "C" for no key update skip locked);
  if coalesce(cardinality(later) < cardinality(ids), true) then
    -- A turn that was accepted after lock_later, and that another transaction has locked since.
    raise exception 'a later turn of % is locked', mine.turn_id using errcode = 'deadlock_detected';
  end if;
  update turns t set hold_credit_micros = 0, held_credit_micros = 0,
    end_user_hold_credit_micros = case when t.end_user_hold_credit_micros is not null then 0 end,
    rehearsed_hold_credit_micros = case when t.rehearsed_hold_credit_micros is not null then 0 end
    where t.turn_id = any (ids) and t.state = 'queued'
      and greatest(t.hold_credit_micros, t.rehearsed_hold_credit_micros) > 0;
  return array(select b from unnest(later) l,
    turnpike.as_rehearsed(l) b where b.state = 'queued' and b.hold_credit_micros > 0);
end $$;

-- Returns the limit that a turn waits for, as turns.waiting has it. needed: the amount that the limit must have left,
-- in the unit of the wallet or cap. limit and continue_at: the limit, and the least one with which the turn continues.
-- They are null for wallets, because not every caller who sees the turn may see these.
create function turnpike.limit_of_wait(mine turns, p_kind text, p_needed bigint, p_resets_at timestamptz,
  p_cap turnpike.cap_state, p_credit turnpike.end_user_credit) returns jsonb language plpgsql immutable as $$
begin
  return jsonb_build_object('kind', p_kind, 'resets_at', p_resets_at,
    'needed', case p_kind when 'end_user_credit' then p_credit.needed else p_needed end,
    'limit', case p_kind when 'max_cost' then mine.max_cost_credit_micros else p_cap.limit_credit_micros end,
    'continue_at', case p_kind when 'max_cost' then mine.hold_credit_micros
      else p_cap.spent_credit_micros + p_cap.reserved_credit_micros end + p_needed);
end $$;

-- limit_of_wait for a turn that begins to wait: mine still has the hold that it releases. p_kept: what it keeps of its
-- hold in the end user's wallet.
create function turnpike.first_limit(mine turns, p_kept bigint, p_reason turnpike.wait_reason) returns jsonb
language plpgsql stable as $$
declare
  resting turns := turnpike.as_counted(mine);
  sale turnpike.sale;
  headroom turnpike.credit_left;
  bounding turnpike.cap_state;
begin
  resting.hold_credit_micros := mine.cost_credit_micros;
  resting.end_user_hold_credit_micros := p_kept;
  sale := turnpike.sale_of_turn(resting);
  headroom := turnpike.headroom(turnpike.spender_of(resting, resting.created_at), p_reason.wanted, p_reason.needed,
    false, mine.window_started_at, sale, resting.hold_credit_micros);
  select c.* into bounding from unnest(headroom.caps) c where c.cap = p_reason.bound_by;
  bounding.reserved_credit_micros := bounding.reserved_credit_micros - (mine.hold_credit_micros - resting.hold_credit_micros);
  return turnpike.limit_of_wait(resting, p_reason.bound_by, p_reason.needed, p_reason.resets_at, bounding,
    headroom.credit);
end $$;

-- Returns turns.waiting with the amounts of this moment: other turns change what is left of a limit.
create function turnpike.waiting_now(mine turns, p_moment timestamptz) returns jsonb language plpgsql stable as $$
declare
  wait waiting_turns;
  headroom turnpike.credit_left;
  bounding turnpike.cap_state;
begin
  if coalesce(mine.waiting ->> 'for' <> 'limit', true) then
    return mine.waiting;
  end if;
  select w.* into wait from waiting_turns w where w.turn_id = mine.turn_id;
  if wait.turn_id is null then
    return mine.waiting;
  end if;
  mine := turnpike.as_rehearsed(mine);
  headroom := turnpike.headroom(turnpike.spender_of(mine, p_moment), wait.wanted_credit_micros,
    wait.needed_credit_micros, true, null, turnpike.sale_of_turn(mine), mine.hold_credit_micros);
  select c.* into bounding from unnest(headroom.caps) c where c.cap = wait.bound_by;
  return jsonb_set(mine.waiting, '{limit}', turnpike.limit_of_wait(mine, wait.bound_by, wait.needed_credit_micros,
    (mine.waiting -> 'limit' ->> 'resets_at')::timestamptz, bounding, headroom.credit));
end $$;

-- The calls that a turn waits for, as responses show them. They contain no secrets: these are only in requests.
create function turnpike.shown_calls(p_turn_id text) returns jsonb language plpgsql stable as $$
begin
  return coalesce((select jsonb_agg(jsonb_build_object('call', k.step || '.' || k.call, 'tool', k.tool, 'input',
    k.input, 'for', case k.state when 'asked' then 'approval' else 'result' end) order by k.step, k.call)
    from turn_calls k where k.turn_id = p_turn_id and k.state in ('asked', 'awaited')), '[]');
end $$;

-- True if the wait of a turn has expired and the sweep has not ended the turn yet.
create function turnpike.wait_is_over(mine turns, p_moment timestamptz) returns boolean language sql immutable as $$
  select coalesce((mine.waiting ->> 'expires_at')::timestamptz <= p_moment, false)
$$;

-- A decision about a call, as the turn's log has it.
create type turnpike.earlier_decision as (
  decision text,
  -- True if it has another input.
  edited boolean,
  -- The user who decided, the API key, or the end user in the portal.
  user_id bigint, -- null
  name text, -- null
  key_id text, -- null
  end_user_ref text, -- null
  decided_at timestamptz
);

-- Returns the decision about a call from the turn's log; null without one.
create function turnpike.decision_in_log(p_turn_id text, p_step integer, p_call integer)
returns turnpike.earlier_decision
language plpgsql stable as $$
begin
  return (select (n.data ->> 'decision', (n.data ->> 'edited')::boolean, (n.data -> 'by' ->> 'user_id')::bigint,
      (select u.name from users u where u.user_id = (n.data -> 'by' ->> 'user_id')::bigint),
      n.data -> 'by' ->> 'key_id', n.data -> 'by' ->> 'end_user_ref', n.created_at)::turnpike.earlier_decision
    from turn_log n where n.turn_id = p_turn_id and n.type = 'call.decided' and (n.data ->> 'step')::integer = p_step
      and (n.data ->> 'call')::integer = p_call limit 1);
end $$;

-- Writes turn.waiting or turn.resumed: into the log, the account's feed and webhooks. They are no transitions.
create function turnpike.write_wait(turn turns, p_type text, p_event_id text, p_wait jsonb, p_moment timestamptz)
returns boolean
language plpgsql as $$
begin
  return cardinality(turnpike.add_events(array[row(p_event_id, turn.user_id, turn.test, p_type, turn.turn_id,
    turn.last_event_seq, turn.space_id, null, jsonb_build_object('state', 'running', 'waiting', p_wait),
    turn.held_credit_micros)::turnpike.new_event],
    p_moment)) > 0;
end $$;

-- Commits the result of a call that came before the turn waited for it. The caller has locked the turn.
create function turnpike.take_early(mine turns, p_step integer, p_call integer, p_moment timestamptz) returns turns
language plpgsql as $$
declare
  early turn_calls;
begin
  select k.* into early
    from turn_calls k
    where k.turn_id = mine.turn_id and k.step = p_step and k.call = p_call and k.state = 'early';
  if early.turn_id is null then
    return mine;
  end if;
  update turn_calls k set state = 'answered' where k.turn_id = mine.turn_id and k.step = p_step and k.call = p_call;
  return turnpike.keep_result(mine, early, p_moment);
end $$;

-- Commits the result that came for a call, with its event. The caller has locked the turn. Returns the turn afterwards.
create function turnpike.keep_result(mine turns, answered turn_calls, p_moment timestamptz) returns turns
language plpgsql as $$
declare
  after turns;
  failed boolean := answered.output ->> 'type' = 'error';
  output jsonb := answered.output;
begin
  -- The model must know that its call was made with another input, as in run-calls.ts.
  if answered.edited_input is not null then
    output := jsonb_set(output, '{value}',
      to_jsonb(concat('A person has changed the input of this call to ', answered.edited_input, '.',
      chr(10), output ->> 'value')));
  end if;
  update turn_steps p set results = p.results || jsonb_build_object(answered.call::text, output),
    pending_calls = p.pending_calls - 1
    where p.turn_id = mine.turn_id and p.step = answered.step and not p.results ? answered.call::text;
  if not found then
    return mine;
  end if;
  update turns t set tool_calls = t.tool_calls + 1, last_event_seq = t.last_event_seq + 1
    where t.turn_id = mine.turn_id
    returning t.* into after;
  perform turnpike.write_drafts(mine.turn_id, after.last_event_seq, jsonb_build_array(jsonb_build_object(
    'id', turnpike.event_id_at(p_moment, 0), 'type', 'tool.ended', 'at', p_moment, 'data',
      jsonb_build_object('step', answered.step,
      'call', answered.call, 'name', answered.tool, 'ok', not failed, 'later', true))));
  return after;
end $$;

-- Lets a waiting turn continue: a runner may claim it in the fair order. The caller has locked the turn.
-- It does not take a hold: the turn's next call does, or the caller has. The caller must then call follow_period.
create function turnpike.resume_turn(mine turns, p_event_id text, p_moment timestamptz, out turn turns,
  out has_subscriber boolean)
language plpgsql as $$
begin
  perform from conversations c where c.conversation_id = mine.conversation_id for no key update;
  update turns t set waiting = null, attempts = 0, last_event_seq = t.last_event_seq + 1,
    waited_ms = t.waited_ms
    + greatest(0, extract(epoch from p_moment - (t.waiting ->> 'since')::timestamptz) * 1000)::bigint
    where t.turn_id = mine.turn_id
    returning t.* into turn;
  delete from waiting_turns w where w.turn_id = mine.turn_id;
  perform turnpike.unblock_later(mine, p_moment);
  update open_turns o set state = 'queued', wake_at = p_moment, created_at = p_moment
    where o.user_id = mine.user_id and o.test = mine.test and o.turn_id collate "C" = mine.turn_id;
  has_subscriber := turnpike.write_wait(turn, 'turn.resumed', p_event_id, null, p_moment);
end $$;

-- The later turns of a conversation are not blocked by a waiting turn any more. They are not older than this moment for
-- the limit of time until a turn starts.
create function turnpike.unblock_later(mine turns, p_moment timestamptz) returns void language plpgsql as $$
begin
  update open_turns o set state = 'queued', created_at = p_moment, expires_at = null
    where o.conversation_id = mine.conversation_id and o.wake_at = 'infinity' and o.state = 'blocked';
end $$;

-- Removes what the waits of a turn that has ended have left. The answers to decisions and results stay (call_answers).
create function turnpike.forget_wait(mine turns, p_moment timestamptz) returns void language plpgsql as $$
begin
  delete from waiting_turns w where w.turn_id = mine.turn_id;
  delete from turn_calls k where k.turn_id = mine.turn_id;
  perform turnpike.unblock_later(mine, p_moment);
end $$;
