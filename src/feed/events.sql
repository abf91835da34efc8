-- An event of an account's feed. Pings are not written as such.
create type turnpike.new_event as (
  event_id text,
  user_id bigint,
  test boolean,
  type text,
  turn_id text, -- null: it belongs to no turn
  seq integer, -- null: it belongs to no turn
  -- Its space, and the key that made the space. Keys see events of one of these.
  space_id bigint, -- null: it belongs to no space
  made_by text, -- null: no key, or it is read from the space
  data jsonb,
  -- The hold of its turn, which is not part of its data.
  held bigint -- null: it has none
);

-- Writes an event like add_events, and returns whether an endpoint gets it.
create function turnpike.add_event(p_event_id text, p_user_id bigint, p_test boolean, p_type text, p_turn_id text,
  p_seq integer, p_space_id bigint, p_made_by text, p_data jsonb, p_moment timestamptz) returns boolean
language plpgsql as $$
begin
  return cardinality(turnpike.add_events(array[row(p_event_id, p_user_id, p_test, p_type, p_turn_id, p_seq, p_space_id,
    p_made_by, p_data, null)::turnpike.new_event], p_moment)) > 0;
end $$;

-- Writes events to the feeds of their accounts, and a delivery for each endpoint that gets one, in the caller's
-- transaction. Returns the ids of the events that an endpoint gets. Then the caller must wake the endpoint's
-- dispatcher after the commit.
create function turnpike.add_events(p_events turnpike.new_event[], p_moment timestamptz) returns text[]
language plpgsql as $$
begin
  insert into events (
      event_id, user_id, test, type, turn_id, seq, space_id,
      created_by_key_id, data, held_credit_micros, created_at)
  select
      e.event_id, e.user_id, e.test, e.type, e.turn_id, e.seq, e.space_id,
      case when e.turn_id is null then e.made_by end, e.data, e.held, p_moment
  from unnest(p_events) e;
  -- Most accounts have no endpoint. For them this function is one look-up.
  if exists (select from unnest(p_events) e join webhook_endpoints w on w.user_id = e.user_id and w.test = e.test
    where w.deleted_at is null and w.disabled_at is null)
  then
    return turnpike.add_deliveries(p_events, p_moment);
  end if;
  return '{}';
end $$;

-- Writes a delivery of each event for each endpoint that gets it. Returns the ids of these events.
create function turnpike.add_deliveries(p_events turnpike.new_event[], p_moment timestamptz) returns text[]
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  heard text[];
begin
  with made as (
    insert into webhook_deliveries (delivery_id, webhook_id, event_id, turn_id, seq, next_attempt_at, created_at)
    select turnpike.delivery_id(e.event_id, w.webhook_id), w.webhook_id, e.event_id, e.turn_id, e.seq,
      -- An event waits while an earlier event of its turn waits for its second attempt.
      greatest(p_moment, turnpike.kept_until(w.webhook_id, e.turn_id, e.seq)), p_moment
    from unnest(p_events) e
      join webhook_endpoints w on w.user_id = e.user_id and w.test = e.test
      left join spaces s on s.space_id = e.space_id
    where w.deleted_at is null and w.disabled_at is null
      and turnpike.hears(w, e.type, e.turn_id, e.space_id, coalesce(e.made_by, s.created_by_key_id))
    returning event_id
  )
  select coalesce(array_agg(m.event_id), '{}') into heard
  from made m;
  return heard;
end $$;

-- True for notices of sign-ins and factors, which have the addresses and browsers of the account's own user. They
-- concern only this user.
create function turnpike.is_own_notice(p_type text) returns boolean language sql immutable as $$
  select coalesce(p_type in ('account.signed_in', 'account.locked', 'account.factor_changed'), false)
$$;

-- Returns whether an endpoint of the account gets such an event.
-- If the endpoint's scope is one space, an event without a turn goes only to the key that made the endpoint.
-- A ping never matches, since its delivery is written elsewhere. activity.recorded must be named, so that it does not
-- surprise an endpoint for all types. Notices of the own user go only to endpoints that this user made.
create function turnpike.hears(endpoint webhook_endpoints, p_type text, p_turn_id text, p_space_id bigint,
  p_made_by text)
returns boolean language sql stable as $$
  select coalesce(p_type <> 'ping'
    and (endpoint.events ? p_type or (endpoint.events is null and p_type <> 'activity.recorded'))
    and case when turnpike.is_own_notice(p_type)
      then turnpike.gets_own_notices(endpoint.user_id, endpoint.made_by) else true end
    and case endpoint.scope when 'all' then true
      when 'space' then endpoint.space_id = p_space_id and (p_turn_id is not null or p_made_by = endpoint.key_id)
      else endpoint.key_id = p_made_by end, false)
$$;

-- Makes the id of a delivery. It begins with the time of its event.
create function turnpike.delivery_id(p_event_id text, p_webhook_id text) returns text language sql immutable as $$
  select 'dlv_' || substr(p_event_id, 5, 10) || substr(md5(p_event_id || p_webhook_id), 1, 16)
$$;

-- Makes an event's id as newId() does (src/base/ids.ts). Ids of the same moment sort by p_number, 0 to 9.
create function turnpike.event_id_at(p_moment timestamptz, p_number integer) returns text language sql volatile as $$
  select 'evt_' || turnpike.id_time(p_moment) || p_number || substr(md5(gen_random_uuid()::text), 1, 15)
$$;
