-- Registers an endpoint for the events that its caller may see, and sends it the ping p_event_id,
-- which it must answer first. p_event_id null: it gets its ping later, by send_ping.
-- p_target: the normalised URL. refused: 'exists' (the account has an endpoint for p_target),
-- 'too_many' (it has p_most endpoints).
create function turnpike.create_webhook(p_request turnpike.request,
  p_once_key text, p_fingerprint text, p_webhook_id text, p_url text, p_events jsonb, p_description text, p_secret text,
  p_shown text, p_most integer, p_target text, p_event_id text, out actor turnpike.caller,
  out already turnpike.earlier_request, out refused text, out webhook webhook_endpoints) language plpgsql as $$
declare
  caller turnpike.caller;
  free_slot integer;
  new_endpoint webhook_endpoints;
begin
  {{caller.opens}}
  already := turnpike.used_key(caller, p_once_key);
  if already.resource_id is null then
    -- The lock prevents two requests from taking the same slot or URL.
    perform from users u where u.user_id = caller.user_id for no key update;
    select min(n) into free_slot
      from generate_series(1, p_most) n
      where not exists (select from webhook_endpoints w
        where w.user_id = caller.user_id and w.test = caller.test and w.deleted_at is null and w.slot = n);
    refused := case when turnpike.has_target(caller, p_target, null) then 'exists'
      when free_slot is null then 'too_many' end;
    if refused is null then
      insert into webhook_endpoints (
          webhook_id, user_id, test, key_id, scope, space_id, url, events,
          description, secret, slot, target, verified_at, made_by, created_at,
          updated_at)
      values (
          p_webhook_id, caller.user_id, caller.test, caller.key_id, caller.scope, caller.space_id, p_url, p_events,
          p_description, p_secret, free_slot, p_target, null, turnpike.recipient_of(caller), p_request.moment,
          p_request.moment)
      returning * into new_endpoint;
      if p_event_id is not null then
        perform turnpike.add_ping(new_endpoint, p_event_id, p_request.moment);
      end if;
      perform turnpike.start_export_for(caller, p_events, p_request.moment);
      perform turnpike.note_own_change(p_request, caller, 'webhook.create', 'webhook', p_webhook_id, null,
        turnpike.webhook_facts(new_endpoint));
      webhook := new_endpoint;
      perform turnpike.note_key(caller, p_once_key, p_fingerprint, p_shown, p_request.moment);
    end if;
  end if;
  {{caller.closes}}
end $$;

-- True if the account has an endpoint for a URL, other than p_but (may be null). The caller holds
-- the lock of the account's row.
create function turnpike.has_target(caller turnpike.caller, p_target text, p_but text) returns boolean
language plpgsql as $$
begin
  return exists (select from webhook_endpoints w
    where w.user_id = caller.user_id and w.test = caller.test and w.deleted_at is null and w.webhook_id is distinct
      from p_but
      and w.target = p_target);
end $$;

-- Inserts a ping with the id p_event_id for an endpoint. An endpoint that is not verified must answer its latest ping.
create function turnpike.add_ping(target webhook_endpoints, p_event_id text, p_moment timestamptz)
returns webhook_deliveries
language plpgsql as $$
declare
  new_delivery webhook_deliveries;
begin
  insert into events (
      event_id, user_id, test, type, space_id,
      created_by_key_id, data,
      created_at)
  values (
      p_event_id, target.user_id, target.test, 'ping', target.space_id,
      case when target.scope <> 'all' then target.key_id end, jsonb_build_object('webhook_id', target.webhook_id),
      p_moment);
  insert into webhook_deliveries (delivery_id, webhook_id, event_id, next_attempt_at, created_at)
  values (turnpike.delivery_id(p_event_id, target.webhook_id), target.webhook_id, p_event_id, p_moment, p_moment)
  returning * into new_delivery;
  if target.verified_at is null then
    update webhook_endpoints w set ping_id = new_delivery.delivery_id where w.webhook_id = target.webhook_id;
  end if;
  return new_delivery;
end $$;

-- The settings of an endpoint, for the audit log.
create function turnpike.webhook_facts(w webhook_endpoints) returns jsonb language sql immutable as $$
  select jsonb_build_object('url', w.url, 'events', w.events, 'description', w.description, 'enabled',
    w.disabled_at is null, 'test', w.test)
$$;
