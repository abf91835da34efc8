-- Raises the limit of a turn's own cost, before its end and only upwards. A turn that waits for it continues at once,
-- if the balance and the caps allow it.
-- outcome: 'raised', 'same' (the turn has this limit), 'lower', 'unlimited' (the turn has no limit of its own), 'ended'
-- or 'unknown'. went_on: a runner must be called.
create function turnpike.raise_limit(p_request turnpike.request, p_turn_id text, p_max_cost bigint, p_event_id text,
  p_due timestamptz, out actor turnpike.caller, out outcome text, out turn turns, out slug text, out went_on boolean,
  out has_subscriber boolean)
language plpgsql as $$
declare
  caller turnpike.caller;
  mine turns;
  space spaces;
  shard integer;
  tried record;
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
    select t.* into mine from turns t where t.turn_id = p_turn_id for no key update;
    outcome := case when mine.state not in ('queued', 'running') then 'ended'
      when mine.max_cost_credit_micros is null then 'unlimited'
      when coalesce(p_max_cost < mine.max_cost_credit_micros, true) then 'lower'
      when p_max_cost is not distinct from mine.max_cost_credit_micros then 'same' else 'raised' end;
    if outcome = 'raised' then
      update turns t set max_cost_credit_micros = p_max_cost where t.turn_id = p_turn_id returning t.* into mine;
      if mine.waiting ->> 'for' = 'limit' then
        perform from conversations c where c.conversation_id = mine.conversation_id for no key update;
        perform turnpike.lock_end_users(array[mine.turn_id]);
        shard := turnpike.lock_money(mine.user_id, mine.test);
        tried := turnpike.try_waiting(mine, shard, p_event_id, p_request.moment);
        went_on := tried.went_on;
        has_subscriber := tried.has_subscriber;
        if not tried.went_on and tried.bound_by <> 'max_cost' then
          insert into waiting_accounts as a (user_id, test, due_at)
          values (mine.user_id, mine.test, coalesce(tried.resets_at, p_due))
          on conflict (user_id, test) do update set due_at = least(a.due_at, excluded.due_at), raises = a.raises + 1;
        end if;
      end if;
    end if;
    select t.* into turn from turns t where t.turn_id = p_turn_id;
    turn.waiting := turnpike.waiting_now(turn, p_request.moment);
  end if;
  {{caller.closes}}
end $$;
