-- Commits the results of a run's attempts (Attempt in attempt-delivery.ts): log, states, retry
-- times, and the endpoint's health.
-- p_url: the URL of the attempts. Deliveries that the run no longer holds (stopped, claimed or sent
-- again) are unchanged.
-- The first 2xx verifies an endpoint.
-- An endpoint is disabled if it returned 410 ('gone'), or if it has only failed since
-- p_failing_before or its ping has failed ('failing').
-- Then its pending deliveries fail, and the event p_event_id reports it.
-- reason: why it was disabled, else null. has_subscriber: another endpoint gets that event.
create function turnpike.record_attempts(p_webhook_id text, p_url text, p_attempts jsonb, p_failing_before timestamptz,
  p_event_id text, p_stop_batch integer, p_moment timestamptz, out reason text, out has_subscriber boolean)
language plpgsql as $$
declare
  target webhook_endpoints;
  attempt record;
  mine text[] := '{}';
  is_gone boolean := false;
  has_answered boolean := false;
  is_last boolean := false;
  first_at timestamptz;
begin
  has_subscriber := false;
  -- The endpoint is locked before its deliveries, as everywhere. FOR UPDATE would block every new event for it.
  select w.* into target from webhook_endpoints w where w.webhook_id = p_webhook_id for no key update;
  for attempt in select a.*
    from jsonb_to_recordset(p_attempts)
    as a(delivery_id text, epoch integer, ok boolean, status integer, at timestamptz, next_attempt_at timestamptz)
  loop
    perform from webhook_deliveries d
      where d.delivery_id = attempt.delivery_id and d.epoch = attempt.epoch and d.state = 'pending'
        and d.lease_until is not null
      for no key update;
    if found then
      mine := mine || attempt.delivery_id;
      is_gone := is_gone or attempt.status is not distinct from 410;
      has_answered := has_answered or attempt.ok;
      is_last := is_last or (not attempt.ok and attempt.next_attempt_at is null);
      first_at := least(first_at, attempt.at);
    end if;
  end loop;
  if cardinality(mine) = 0 then
    return;
  end if;
  -- A busy endpoint does not write this each time.
  update webhook_endpoints w set attempted_at = p_moment
    where w.webhook_id = p_webhook_id and (w.attempted_at > p_moment - interval '30 seconds') is not true;
  -- Responses of a former URL say nothing about the current one.
  if target.disabled_at is null and target.deleted_at is null and target.url = p_url then
    reason := case when is_gone then 'gone' when has_answered then null
      when target.failing_since <= p_failing_before or (target.verified_at is null and is_last) then 'failing' end;
    if has_answered and target.verified_at is null then
      update webhook_endpoints w set verified_at = p_moment where w.webhook_id = p_webhook_id;
    end if;
  end if;
  for attempt in select a.*
    from jsonb_to_recordset(p_attempts)
    as a(delivery_id text, ok boolean, status integer, error text, answer text, location text, duration_ms integer,
      at timestamptz, next_attempt_at timestamptz)
    where a.delivery_id = any (mine)
  loop
    perform turnpike.record_attempt(attempt.delivery_id, attempt.ok, attempt.status, attempt.error, attempt.answer,
      attempt.location, attempt.duration_ms, attempt.at, attempt.next_attempt_at, 'endpoint_' || reason, mine,
      p_moment);
  end loop;
  if reason is null then
    if (target.failing_since is null) <> has_answered then
      update webhook_endpoints w set failing_since = case when not has_answered then first_at end
        where w.webhook_id = p_webhook_id;
    end if;
    return;
  end if;
  update webhook_endpoints w
    set failing_since = case when not has_answered then coalesce(w.failing_since, first_at) end,
      disabled_at = p_moment, disabled_reason = reason, stopping = true, updated_at = p_moment
    where w.webhook_id = p_webhook_id;
  perform turnpike.give_up(p_webhook_id, 'endpoint_' || reason, p_stop_batch, p_moment);
  has_subscriber := turnpike.add_event(p_event_id, target.user_id, target.test, 'endpoint.disabled', null, null,
    target.space_id, case when target.scope <> 'all' then target.key_id end,
    jsonb_build_object('webhook_id', p_webhook_id, 'url', target.url, 'reason', reason), p_moment);
end $$;

-- Records one attempt of a locked delivery. p_stopped: the reason if its endpoint was disabled,
-- else null. p_mine: all deliveries recorded with it.
create function turnpike.record_attempt(p_delivery_id text, p_ok boolean, p_status integer, p_error text, p_answer text,
  p_location text, p_duration_ms integer, p_at timestamptz, p_next_attempt_at timestamptz, p_stopped text,
  p_mine text[], p_moment timestamptz)
returns void language plpgsql as $$
declare
  why text := case
    when not p_ok then coalesce(p_stopped, case when p_next_attempt_at is null then 'attempts_exhausted' end) end;
  is_over boolean := p_ok or why is not null;
  delivery webhook_deliveries;
  waits boolean;
begin
  update webhook_deliveries d
    set attempts = d.attempts + 1, round = d.round + 1, lease_until = null, status_reason = why,
      state = case when p_ok then 'delivered' when is_over then 'failed' else 'pending' end,
      next_attempt_at = case when not is_over then p_next_attempt_at end,
      finished_at = case when is_over then p_moment end
    where d.delivery_id = p_delivery_id
    returning d.* into delivery;
  insert into webhook_attempts (delivery_id, attempt, status, error, answer, location, duration_ms, created_at)
  select p_delivery_id, delivery.attempts, p_status, p_error,
    -- A receiver's response may repeat data of an end user who was erased in the meantime.
    case when not erased then p_answer end, case when not erased then p_location end, p_duration_ms, p_at
    from (select exists (select from turns t where t.turn_id = delivery.turn_id
      and t.erased_at is not null) as erased) seen;
  if delivery.turn_id is null or p_stopped is not null then
    return;
  end if;
  -- Later events of the turn wait exactly as long as this one delays them (see kept_until).
  waits := not is_over and delivery.round < 2;
  update webhook_deliveries f set next_attempt_at = case when waits then p_next_attempt_at else p_moment end
    where f.turn_id = delivery.turn_id and f.finished_at is null
      and (f.turn_id, f.webhook_id, f.seq) > (delivery.turn_id, delivery.webhook_id, delivery.seq)
      and (f.turn_id, f.webhook_id, f.seq) <= (delivery.turn_id, delivery.webhook_id, 2147483647)
      and case when waits then f.next_attempt_at < p_next_attempt_at else f.round = 0
        and f.next_attempt_at > p_moment end
      and f.delivery_id <> all (p_mine);
end $$;
