-- The effect of a raise. outcome: 'raised', 'same' (the turn has this limit), 'lower', 'unlimited' (the turn has no
-- limit of its own) or 'ended'. went_on: a runner must be called.
create type turnpike.raised_turn as (
  outcome text,
  turn turns,
  was bigint, -- null: it had no limit
  went_on boolean,
  has_subscriber boolean
);

-- Locks a turn and raises the limit of its own cost, before its end and only upwards. A turn that waits for it
-- continues at once, if the balance and the caps allow it.
create function turnpike.raise_one(p_turn_id text, p_max_cost bigint, p_event_id text, p_due timestamptz,
  p_moment timestamptz)
returns turnpike.raised_turn language plpgsql as $$
declare
  raised turnpike.raised_turn;
  mine turns;
  shard integer;
  tried record;
begin
  raised.went_on := false;
  raised.has_subscriber := false;
  select t.* into mine from turns t where t.turn_id = p_turn_id for no key update;
  raised.was := mine.max_cost_credit_micros;
  raised.outcome := case when mine.state not in ('queued', 'running') then 'ended'
    when mine.max_cost_credit_micros is null then 'unlimited'
    when coalesce(p_max_cost < mine.max_cost_credit_micros, true) then 'lower'
    when p_max_cost is not distinct from mine.max_cost_credit_micros then 'same' else 'raised' end;
  if raised.outcome = 'raised' then
    update turns t set max_cost_credit_micros = p_max_cost where t.turn_id = p_turn_id returning t.* into mine;
    if mine.waiting ->> 'for' = 'limit' then
      perform from conversations c where c.conversation_id = mine.conversation_id for no key update;
      perform turnpike.lock_end_users(array[mine.turn_id]);
      shard := turnpike.lock_money(mine.user_id, mine.test);
      tried := turnpike.try_waiting(mine, shard, p_event_id, p_moment);
      raised.went_on := tried.went_on;
      raised.has_subscriber := tried.has_subscriber;
      if not tried.went_on and tried.bound_by <> 'max_cost' then
        insert into waiting_accounts as a (user_id, test, due_at)
        values (mine.user_id, mine.test, coalesce(tried.resets_at, p_due))
        on conflict (user_id, test) do update set due_at = least(a.due_at, excluded.due_at), raises = a.raises + 1;
      end if;
    end if;
  end if;
  select t.* into mine from turns t where t.turn_id = p_turn_id;
  mine.waiting := turnpike.waiting_now(mine, p_moment);
  raised.turn := mine;
  return raised;
end $$;

-- Raises the limit of a turn for a caller. outcome: as of raised_turn, or 'unknown'.
create function turnpike.raise_limit(p_request turnpike.request, p_turn_id text, p_max_cost bigint, p_event_id text,
  p_due timestamptz, out actor turnpike.caller, out outcome text, out turn turns, out slug text, out went_on boolean,
  out has_subscriber boolean)
language plpgsql as $$
declare
  caller turnpike.caller;
  space spaces;
  raised turnpike.raised_turn;
begin
  {{caller.opens}}
  outcome := 'unknown';
  went_on := false;
  has_subscriber := false;
  select s.* into space
    from spaces s
    where s.space_id = (select t.space_id from turns t where t.turn_id = p_turn_id);
  if turnpike.in_scope(caller, space.user_id, space.test, space.created_by_key_id, space.space_id) then
    slug := space.slug;
    raised := turnpike.raise_one(p_turn_id, p_max_cost, p_event_id, p_due, p_request.moment);
    outcome := raised.outcome;
    turn := raised.turn;
    went_on := raised.went_on;
    has_subscriber := raised.has_subscriber;
  end if;
  {{caller.closes}}
end $$;

-- Raises the limit of a turn of any account for an admin. p_reason: why, for the audit log. Outcomes as raise_limit.
create function turnpike.raise_any_limit(p_request turnpike.request, p_turn_id text, p_max_cost bigint,
  p_reason text, p_event_id text, p_due timestamptz, out actor turnpike.caller, out refused text, out outcome text,
  out turn turns, out slug text, out went_on boolean, out has_subscriber boolean)
language plpgsql as $$
declare
  admin turnpike.admin_caller;
  raised turnpike.raised_turn;
begin
  {{admin.opens}}
  select s.slug into slug from turns t join spaces s on s.space_id = t.space_id where t.turn_id = p_turn_id;
  outcome := 'unknown';
  went_on := false;
  has_subscriber := false;
  if slug is not null then
    raised := turnpike.raise_one(p_turn_id, p_max_cost, p_event_id, p_due, p_request.moment);
    outcome := raised.outcome;
    turn := raised.turn;
    went_on := raised.went_on;
    has_subscriber := raised.has_subscriber;
    if outcome = 'raised' then
      perform turnpike.note_own_change(p_request, turnpike.in_account(admin.caller, turn.user_id), 'turn.raise', 'turn',
        p_turn_id, jsonb_build_object('max_cost_credit_micros', raised.was),
        jsonb_build_object('max_cost_credit_micros', p_max_cost, 'reason', p_reason));
    end if;
  end if;
  {{admin.closes}}
end $$;
