-- Locks an endpoint that a caller may use; returns null for any other.
-- All transactions lock an endpoint before its deliveries, which prevents deadlocks. FOR UPDATE
-- would block every new event for it.
create function turnpike.lock_endpoint(caller turnpike.caller, p_webhook_id text) returns webhook_endpoints
language plpgsql as $$
declare
  target webhook_endpoints;
begin
  select w.* into target
    from webhook_endpoints w
    where w.webhook_id = p_webhook_id and w.user_id = caller.user_id and w.test = caller.test
      and (caller.scope = 'all' or w.key_id = caller.key_id)
    for no key update;
  return case when target.deleted_at is null then target end;
end $$;

-- True if the changes make an endpoint send more events than now, or send them to another URL. Null
-- events means all types.
create function turnpike.sends_more(target webhook_endpoints, p_changes jsonb) returns boolean
language sql immutable as $$
  select coalesce(p_changes ->> 'url' <> target.url, false)
    or coalesce(p_changes ? 'events' and target.events is not null
      and (p_changes -> 'events' = 'null' or not p_changes -> 'events' <@ target.events), false)
    or coalesce(target.disabled_at is not null and p_changes @> '{"enabled": true}', false)
$$;

-- Changes the fields in p_changes: url, events, description, enabled. p_target: the normalised new URL, or null.
-- Disabling the endpoint gives up its pending deliveries. Enabling it clears its failures. A new URL must first
-- answer the ping p_event_id, and made_by becomes the person who set it.
-- webhook: null if the caller may use no such endpoint. pinged: the dispatcher must be woken.
-- refused: 'exists' (another endpoint has the URL), 'proof' (it would send more, which needs a fresh proof).
create function turnpike.update_webhook(p_request turnpike.request,
  p_webhook_id text, p_changes jsonb, p_target text, p_event_id text, p_stop_batch integer,
  out actor turnpike.caller, out refused text, out webhook webhook_endpoints, out pinged boolean) language plpgsql as $$
declare
  caller turnpike.caller;
  target webhook_endpoints;
  was jsonb;
begin
  {{caller.opens}}
  pinged := false;
  if p_target is not null then
    -- The lock prevents two endpoints from getting the same URL.
    perform from users u where u.user_id = caller.user_id for no key update;
  end if;
  target := turnpike.lock_endpoint(caller, p_webhook_id);
  if target.webhook_id is not null and turnpike.sends_more(target, p_changes)
    and turnpike.lacks_proof(caller, p_request.moment) then
    refused := 'proof';
  elsif target.webhook_id is not null and turnpike.has_target(caller, p_target, p_webhook_id) then
    refused := 'exists';
  elsif target.webhook_id is not null then
    was := turnpike.webhook_facts(target);
    if p_target <> coalesce(target.target, target.url) then
      target.verified_at := null;
      target.made_by := turnpike.recipient_of(caller);
      pinged := true;
    end if;
    -- Failures of a former URL, or from before the endpoint was enabled, do not count.
    if p_changes -> 'enabled' = 'true' or p_changes ->> 'url' <> target.url then
      target.failing_since := null;
    end if;
    if p_changes -> 'enabled' = 'true' then
      pinged := pinged or (target.verified_at is null and target.disabled_at is not null);
      target.disabled_at := null;
      target.disabled_reason := null;
    elsif p_changes -> 'enabled' = 'false' then
      target.disabled_at := coalesce(target.disabled_at, p_request.moment);
      target.disabled_reason := coalesce(target.disabled_reason, 'customer');
      target.stopping := true;
    end if;
    update webhook_endpoints w
      set url = coalesce(p_changes ->> 'url', w.url),
        events = case when p_changes ? 'events' then nullif(p_changes -> 'events', 'null') else w.events end,
        description = case when p_changes ? 'description' then p_changes ->> 'description' else w.description end,
        target = coalesce(p_target, w.target), verified_at = target.verified_at,
        made_by = target.made_by, failing_since = target.failing_since, disabled_at = target.disabled_at,
        disabled_reason = target.disabled_reason, stopping = target.stopping, updated_at = p_request.moment
      where w.webhook_id = p_webhook_id
      returning w.* into target;
    if p_changes ? 'events' then
      perform turnpike.start_export_for(caller, target.events, p_request.moment);
    end if;
    pinged := pinged and target.disabled_at is null;
    if pinged then
      perform turnpike.add_ping(target, p_event_id, p_request.moment);
    end if;
    if p_changes -> 'enabled' = 'false' then
      perform turnpike.give_up(p_webhook_id, 'endpoint_disabled', p_stop_batch, p_request.moment);
    end if;
    perform turnpike.note_own_change(p_request, caller, 'webhook.update', 'webhook', p_webhook_id, was,
      turnpike.webhook_facts(target));
    webhook := target;
  end if;
  {{caller.closes}}
end $$;

-- Removes an endpoint and gives up its pending deliveries.
create function turnpike.remove_webhook(p_request turnpike.request,
  p_webhook_id text, p_stop_batch integer, out actor turnpike.caller, out removed boolean) language plpgsql as $$
declare
  caller turnpike.caller;
  target webhook_endpoints;
begin
  {{caller.opens}}
  target := turnpike.lock_endpoint(caller, p_webhook_id);
  removed := target.webhook_id is not null;
  if removed then
    update webhook_endpoints w set deleted_at = p_request.moment, stopping = true, updated_at = p_request.moment
      where w.webhook_id = p_webhook_id;
    perform turnpike.give_up(p_webhook_id, 'endpoint_deleted', p_stop_batch, p_request.moment);
    perform turnpike.note_own_change(p_request, caller, 'webhook.delete', 'webhook', p_webhook_id,
      turnpike.webhook_facts(target), null);
  end if;
  {{caller.closes}}
end $$;

-- Gives an endpoint the new sealed secret p_secret. The former one also signs until p_until; older ones keep their own
-- end. If p_until is null, no former secret signs from now on.
-- webhook: null if the caller may use no such endpoint. refused: 'former' (p_most_former former secrets still sign).
create function turnpike.rotate_signing_secret(p_request turnpike.request,
  p_once_key text, p_fingerprint text, p_webhook_id text, p_secret text, p_shown text, p_until timestamptz,
  p_most_former integer, out actor turnpike.caller, out already turnpike.earlier_request, out refused text,
    out webhook webhook_endpoints) language plpgsql as $$
declare
  caller turnpike.caller;
  target webhook_endpoints;
begin
  {{caller.opens}}
  already := turnpike.used_key(caller, p_once_key);
  if already.resource_id is null then
    target := turnpike.lock_endpoint(caller, p_webhook_id);
    if target.webhook_id is not null and p_until is not null and (select count(*) from former_signing_secrets f
        where f.webhook_id = p_webhook_id and f.signs_until > p_request.moment) >= p_most_former then
      refused := 'former';
    elsif target.webhook_id is not null then
      delete from former_signing_secrets f
        where f.webhook_id = p_webhook_id and (p_until is null or f.signs_until <= p_request.moment);
      if p_until is not null then
        insert into former_signing_secrets (webhook_id, secret, signs_until)
          values (p_webhook_id, target.secret, p_until);
      end if;
      update webhook_endpoints w set
        previous_until = (select max(f.signs_until) from former_signing_secrets f where f.webhook_id = p_webhook_id),
        secret = p_secret, updated_at = p_request.moment
        where w.webhook_id = p_webhook_id
        returning w.* into target;
      webhook := target;
      perform turnpike.note_own_change(p_request, caller, 'webhook.rotate', 'webhook', p_webhook_id, null,
        jsonb_build_object('former_until', p_until));
      perform turnpike.note_key(caller, p_once_key, p_fingerprint, p_shown, p_request.moment);
    end if;
  end if;
  {{caller.closes}}
end $$;

-- Replaces a secret by the same one sealed with a newer key, also if a rotation has moved it.
-- Returns whether it was found.
create function turnpike.reseal_signing_secret(p_webhook_id text, p_old text, p_new text) returns boolean
language plpgsql as $$
begin
  -- The lock makes this wait for a rotation, which moves the secret, and the reverse.
  perform from webhook_endpoints w where w.webhook_id = p_webhook_id for no key update;
  update webhook_endpoints w set secret = p_new where w.webhook_id = p_webhook_id and w.secret = p_old;
  if found then
    return true;
  end if;
  update former_signing_secrets f set secret = p_new where f.webhook_id = p_webhook_id and f.secret = p_old;
  return found;
end $$;
