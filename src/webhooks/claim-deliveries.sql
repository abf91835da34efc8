-- Records that the wake has arrived, in its own transaction before any claim. So every delivery
-- that commits after the claim causes another wake.
-- Returns whether a wake was recorded.
create function turnpike.note_wake(p_webhook_id text) returns boolean language plpgsql as $$
begin
  update webhook_endpoints w set woken_at = null where w.webhook_id = p_webhook_id and w.woken_at is not null;
  return found;
end $$;

-- The sealed secrets that sign for an endpoint at a moment: the current one, then former ones
-- within their overlap, newest first.
create function turnpike.signing_secrets(target webhook_endpoints, p_moment timestamptz) returns text[]
language sql stable as $$
  select target.secret || case when target.previous_until > p_moment then array(
    select f.secret
    from former_signing_secrets f
    where f.webhook_id = target.webhook_id and f.signs_until > p_moment
    order by f.signs_until desc) else '{}' end
$$;

-- A delivery that a run may attempt until its lease ends.
create type turnpike.claimed_delivery as (
  delivery_id text,
  epoch integer,
  round integer,
  full_event turnpike.full_event
);

-- Claims the ping of an endpoint that is not verified, if it is due and its host has room.
create function turnpike.claim_ping(target webhook_endpoints, p_rate integer, p_burst integer,
  p_lease_until timestamptz, p_moment timestamptz, out deliveries turnpike.claimed_delivery[],
  out next_due_at timestamptz) language plpgsql as $$
declare
  ping webhook_deliveries;
  places record;
  full_event turnpike.full_event;
begin
  deliveries := '{}';
  select d.* into ping
    from webhook_deliveries d
    where d.delivery_id = target.ping_id and d.state = 'pending'
    and (d.lease_until is null or d.lease_until <= p_moment) for no key update skip locked;
  if (ping.next_attempt_at <= p_moment) is not true then
    next_due_at := ping.next_attempt_at;
    return;
  end if;
  select r.granted, r.next_at into places
    from turnpike.take_places_at(turnpike.host_of(target.target), target.test, 1, p_rate, p_burst, p_moment) r;
  if (places.granted > 0) is not true then
    next_due_at := greatest(places.next_at, p_moment + interval '1 second');
    return;
  end if;
  select e into full_event.event
    from events e
    where e.user_id = target.user_id and e.test = target.test and e.event_id collate "C" = ping.event_id;
  update webhook_deliveries d set epoch = d.epoch + 1, lease_until = p_lease_until
    where d.delivery_id = ping.delivery_id;
  deliveries := array[row(ping.delivery_id, ping.epoch + 1, ping.round, full_event)::turnpike.claimed_delivery];
end $$;

-- Deletes a delivery that its endpoint may not get any more: a notice of the account's own user, after another person
-- has set the URL or owns the account. Returns true then. The delivery is locked.
create function turnpike.withhold(target webhook_endpoints, due webhook_deliveries, p_type text) returns boolean
language plpgsql as $$
begin
  if not turnpike.is_own_notice(p_type) or turnpike.gets_own_notices(target.user_id, target.made_by) then
    return false;
  end if;
  delete from webhook_attempts a where a.delivery_id = due.delivery_id;
  delete from webhook_deliveries d where d.delivery_id = due.delivery_id;
  return true;
end $$;

-- Claims due deliveries of an endpoint under a lease, those due longest first.
-- Limits: p_batch deliveries, p_batch_bytes of events, and p_in_flight over all runs (p_in_flight_failing while
-- the endpoint fails).
-- The host gets at most p_host_rate requests per second over all accounts, with bursts of p_host_burst. The
-- rest stays due.
-- An event of a turn is due only once every earlier event is delivered, has failed, or has had two attempts.
-- An endpoint that is not verified gets only its ping.
-- endpoint: null if it was removed or disabled. next_due_at: when the next delivery is due, if none is due now.
-- An index of due deliveries gives the order, so a backlog is never sorted.
create function turnpike.claim_deliveries(p_webhook_id text, p_batch integer, p_batch_bytes integer,
  p_in_flight integer, p_in_flight_failing integer, p_host_rate integer, p_host_burst integer, p_test_host_rate integer,
  p_test_host_burst integer, p_lease_until timestamptz, p_moment timestamptz, out endpoint webhook_endpoints,
  out secrets text[], out deliveries turnpike.claimed_delivery[], out next_due_at timestamptz)
language plpgsql set enable_seqscan = off set enable_sort = off set plan_cache_mode = force_generic_plan as $$
declare
  target webhook_endpoints;
  rate integer;
  burst integer;
  ping record;
  most integer;
  open_now integer;
  due webhook_deliveries;
  found_event record;
  full_event turnpike.full_event;
  bytes bigint := 0;
  taken text[] := '{}';
  claimed turnpike.claimed_delivery[] := '{}';
  places record;
begin
  deliveries := '{}';
  select w.* into target from webhook_endpoints w where w.webhook_id = p_webhook_id;
  if target.webhook_id is null or target.deleted_at is not null or target.disabled_at is not null then
    return;
  end if;
  endpoint := target;
  rate := case when target.test then p_test_host_rate else p_host_rate end;
  burst := case when target.test then p_test_host_burst else p_host_burst end;
  secrets := turnpike.signing_secrets(target, p_moment);
  if target.verified_at is null then
    ping := turnpike.claim_ping(target, rate, burst, p_lease_until, p_moment);
    deliveries := ping.deliveries;
    next_due_at := ping.next_due_at;
    return;
  end if;
  most := case when target.failing_since is null then p_in_flight else p_in_flight_failing end;
  -- Deliveries of other runs were due longest when claimed, so they are among the first rows, together with
  -- events that wait for them. An index of leases would make each claim update all indexes of its rows.
  select count(*) filter (where first.lease_until > p_moment) into open_now
    from (
    select d.lease_until
    from webhook_deliveries d
    where d.webhook_id = p_webhook_id and d.state = 'pending' and d.next_attempt_at <= p_moment
    order by d.next_attempt_at, d.event_id collate "C" limit 4 * most) first;
  -- Skips deliveries that another run is claiming.
  for due in select d.*
    from webhook_deliveries d
    where d.webhook_id = p_webhook_id and d.state = 'pending' and d.next_attempt_at <= p_moment
      and (d.lease_until is null or d.lease_until <= p_moment)
      and turnpike.kept_until(p_webhook_id, d.turn_id, d.seq) is null
    order by d.next_attempt_at, d.event_id collate "C" limit least(p_batch, most - open_now)
    for no key update skip locked
  loop
    select e as event, t as turn, s.slug, turnpike.event_bytes(t) as size into found_event
      from events e
        left join turns t on t.turn_id = e.turn_id
        left join spaces s on s.space_id = t.space_id
      where e.user_id = target.user_id and e.test = target.test and e.event_id collate "C" = due.event_id;
    continue when turnpike.withhold(target, due, (found_event.event).type);
    bytes := bytes + found_event.size;
    exit when bytes > p_batch_bytes and cardinality(taken) > 0;
    taken := taken || due.delivery_id;
    full_event := row(found_event.event, found_event.turn, found_event.slug);
    claimed := claimed || row(due.delivery_id, due.epoch + 1, due.round, full_event)::turnpike.claimed_delivery;
  end loop;
  if cardinality(taken) = 0 then
    select d.next_attempt_at into next_due_at
      from webhook_deliveries d
      where d.webhook_id = p_webhook_id and d.state = 'pending' and d.next_attempt_at > p_moment
      order by d.next_attempt_at limit 1;
    return;
  end if;
  select r.granted, r.next_at into places
    from turnpike.take_places_at(turnpike.host_of(target.target), target.test, cardinality(taken), rate, burst,
      p_moment) r;
  if (places.granted > 0) is not true then
    next_due_at := greatest(places.next_at, p_moment + interval '1 second');
    return;
  end if;
  update webhook_deliveries d set epoch = d.epoch + 1, lease_until = p_lease_until
    where d.delivery_id = any (taken[1:places.granted]);
  deliveries := claimed[1:places.granted];
end $$;

-- Releases deliveries that a run has claimed but not started ([{delivery_id, epoch}]), and returns
-- how many it still held.
-- Skips locked rows: their transaction ends or has taken over the lease. Waiting here could cause a
-- deadlock, since it is out of the order of locks.
create function turnpike.release_deliveries(p_deliveries jsonb) returns integer language plpgsql as $$
declare
  mine record;
  released integer := 0;
begin
  for mine in select m.* from jsonb_to_recordset(p_deliveries) as m(delivery_id text, epoch integer) loop
    perform from webhook_deliveries d
      where d.delivery_id = mine.delivery_id and d.epoch = mine.epoch for no key update skip locked;
    if found then
      update webhook_deliveries d set lease_until = null where d.delivery_id = mine.delivery_id;
      released := released + 1;
    end if;
  end loop;
  return released;
end $$;
