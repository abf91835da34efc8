-- Procedures that send deliveries again. They lock the endpoint before its deliveries, so it stays
-- enabled in the meantime.

-- The newest p_most attempts of a delivery, oldest first.
create function turnpike.newest_attempts(p_delivery_id text, p_most integer) returns webhook_attempts[]
language sql stable as $$
  select array(select newest.made from (
    select a as made, a.attempt
      from webhook_attempts a
      where a.delivery_id = p_delivery_id
      order by a.attempt desc limit p_most
  ) newest order by newest.attempt)
$$;

-- The reason why nothing can be sent to an endpoint again: not_found or disabled; null if it can.
create function turnpike.resend_refusal(target webhook_endpoints) returns text language plpgsql immutable as $$
begin
  return case when target.webhook_id is null then 'not_found' when target.disabled_at is not null then 'disabled' end;
end $$;

-- Sends a delivery's event again, whatever its state. p_an_hour, p_test_an_hour: the limits per
-- hour for live and test endpoints.
-- refused: 'not_found', 'disabled' (the endpoint is disabled), 'limited' (the limit is reached;
-- wait retry_after seconds). The procedures below use the same inputs and refusals.
create function turnpike.redeliver_event(p_request turnpike.request,
  p_once_key text, p_fingerprint text, p_delivery_id text, p_attempts_listed integer, p_an_hour integer,
  p_test_an_hour integer, out actor turnpike.caller, out already turnpike.earlier_request, out refused text,
  out retry_after integer, out webhook_id text, out delivery webhook_deliveries,
  out event_type text, out attempts webhook_attempts[]) language plpgsql as $$
declare
  caller turnpike.caller;
  target webhook_endpoints;
  again webhook_deliveries;
begin
  {{caller.opens}}
  already := turnpike.used_key(caller, p_once_key);
  if already.resource_id is null then
    target := turnpike.lock_endpoint(caller,
      (select d.webhook_id from webhook_deliveries d where d.delivery_id = p_delivery_id));
    webhook_id := target.webhook_id;
    refused := turnpike.resend_refusal(target);
    if refused is null then
      retry_after := turnpike.take_resends(target, 1, case when target.test then p_test_an_hour else p_an_hour end,
        p_request.moment);
      refused := case when retry_after is not null then 'limited' end;
    end if;
    if refused is null then
      select d.* into again from webhook_deliveries d where d.delivery_id = p_delivery_id for no key update;
      event_type := (select e.type from events e
        where e.user_id = target.user_id and e.test = target.test and e.event_id collate "C" = again.event_id);
      -- The delivery may have been deleted in this moment.
      refused := case when again.delivery_id is null or turnpike.withhold(target, again, event_type)
        then 'not_found' end;
    end if;
    if refused is null then
      update webhook_deliveries d set state = 'pending', status_reason = null, round = 0, lease_until = null,
          next_attempt_at = p_request.moment, finished_at = null
        where d.delivery_id = p_delivery_id
        returning d.* into again;
      delivery := again;
      attempts := turnpike.newest_attempts(p_delivery_id, p_attempts_listed);
      perform turnpike.note_key(caller, p_once_key, p_fingerprint, p_delivery_id, p_request.moment);
    end if;
  end if;
  {{caller.closes}}
end $$;

-- Inserts a ping with the id p_event_id for one endpoint.
create function turnpike.send_ping(p_request turnpike.request,
  p_once_key text, p_fingerprint text, p_webhook_id text, p_event_id text, p_an_hour integer, p_test_an_hour integer,
  out actor turnpike.caller, out already turnpike.earlier_request, out refused text, out retry_after integer,
  out delivery webhook_deliveries) language plpgsql as $$
declare
  caller turnpike.caller;
  target webhook_endpoints;
  new_delivery webhook_deliveries;
begin
  {{caller.opens}}
  already := turnpike.used_key(caller, p_once_key);
  if already.resource_id is null then
    target := turnpike.lock_endpoint(caller, p_webhook_id);
    refused := turnpike.resend_refusal(target);
    if refused is null then
      retry_after := turnpike.take_resends(target, 1, case when target.test then p_test_an_hour else p_an_hour end,
        p_request.moment);
      refused := case when retry_after is not null then 'limited' end;
    end if;
    if refused is null then
      new_delivery := turnpike.add_ping(target, p_event_id, p_request.moment);
      delivery := new_delivery;
      perform turnpike.note_key(caller, p_once_key, p_fingerprint, new_delivery.delivery_id, p_request.moment);
    end if;
  end if;
  {{caller.closes}}
end $$;

-- The start of the time for which deliveries are kept: before it, it is not known what an endpoint has received.
create function turnpike.replay_from(p_moment timestamptz) returns timestamptz language plpgsql stable as $$
begin
  return p_moment - make_interval(days => least(turnpike.setting_number('delivery_days'),
    turnpike.setting_number('event_days'))::integer);
end $$;

-- Sends an endpoint's events of a period again, from p_from up to p_to (null: no end), after the event
-- p_after. At most p_most events.
-- Events from before replay_from are left out, since an accepted one could be sent twice.
-- It sends events that failed or were never sent to it, and with p_include_delivered also accepted ones.
-- p_types: only these types; null: all types of the endpoint. done: `<count>/<the last event, if the period
-- has more>`.
create function turnpike.replay_events(p_request turnpike.request,
  p_once_key text, p_fingerprint text, p_webhook_id text, p_from timestamptz, p_to timestamptz, p_after text,
  p_types jsonb, p_include_delivered boolean, p_most integer, p_an_hour integer, p_test_an_hour integer,
  out actor turnpike.caller, out already turnpike.earlier_request, out refused text, out retry_after integer,
    out done text) language plpgsql set enable_sort = off as $$
declare
  caller turnpike.caller;
  target webhook_endpoints;
  starts_at timestamptz := greatest(p_from, turnpike.replay_from(p_request.moment));
  first_id text := 'evt_' || turnpike.id_time(starts_at);
  end_id text := coalesce('evt_' || turnpike.id_time(p_to), 'evt_~');
  event events;
  seen integer := 0;
  last_id text;
  sent integer := 0;
begin
  {{caller.opens}}
  already := turnpike.used_key(caller, p_once_key);
  if already.resource_id is null then
    target := turnpike.lock_endpoint(caller, p_webhook_id);
    refused := turnpike.resend_refusal(target);
    if refused is null then
      retry_after := turnpike.take_resends(target, 0, case when target.test then p_test_an_hour else p_an_hour end,
        p_request.moment);
      refused := case when retry_after is not null then 'limited' end;
    end if;
    if refused is null then
      p_most := turnpike.resends_left(target, p_most, case when target.test then p_test_an_hour else p_an_hour end,
        p_request.moment);
      for event in select e.*
        from events e
        where e.user_id = caller.user_id and e.test = caller.test and e.event_id collate "C" >= first_id
          and e.event_id collate "C" < end_id and e.event_id collate "C" > coalesce(p_after, '')
          and e.created_at >= starts_at and e.created_at < coalesce(p_to, 'infinity')
          and turnpike.hears(target, e.type, e.turn_id, e.space_id, turnpike.maker_of(e))
          and (p_types is null or p_types ? e.type)
        order by e.event_id collate "C" limit p_most + 1
      loop
        seen := seen + 1;
        exit when seen > p_most;
        last_id := event.event_id;
        insert into webhook_deliveries as d (
            delivery_id, webhook_id, event_id, turn_id, seq,
            next_attempt_at, created_at)
        values (
            turnpike.delivery_id(event.event_id, p_webhook_id), p_webhook_id, event.event_id, event.turn_id, event.seq,
            p_request.moment, p_request.moment)
        on conflict (delivery_id) do update
          set state = 'pending', status_reason = null, round = 0, lease_until = null,
          next_attempt_at = p_request.moment, finished_at = null
          where d.state = 'failed' or (d.state = 'delivered' and p_include_delivered);
        if found then
          sent := sent + 1;
        end if;
      end loop;
      perform turnpike.take_resends(target, sent, case when target.test then p_test_an_hour else p_an_hour end,
        p_request.moment);
      done := sent || '/' || case when seen > p_most then last_id else '' end;
      perform turnpike.note_key(caller, p_once_key, p_fingerprint, done, p_request.moment);
    end if;
  end if;
  {{caller.closes}}
end $$;
