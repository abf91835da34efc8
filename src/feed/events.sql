-- Writes an event to its account's feed, and a delivery for each endpoint that gets it, in the caller's transaction.
-- Returns whether an endpoint gets it. Then the caller must wake the endpoint's dispatcher after the commit.
-- p_turn_id and p_seq: null if the event belongs to no turn. p_data of a turn's event may have held_credit_micros.
-- p_space_id, p_made_by: the event's space, and the key that made the space. Keys see events of one of these.
-- Pings are not written here.
create function turnpike.add_event(p_event_id text, p_user_id bigint, p_test boolean, p_type text, p_turn_id text, p_seq integer,
  p_space_id bigint, p_made_by text, p_data jsonb, p_moment timestamptz) returns boolean language plpgsql as $$
begin
  if p_turn_id is null then
    insert into events (event_id, user_id, test, type, space_id, created_by_key_id, data, created_at)
    values (p_event_id, p_user_id, p_test, p_type, p_space_id, p_made_by, p_data, p_moment);
  else
    insert into events (event_id, user_id, test, type, turn_id, seq, space_id, data, held_credit_micros, created_at)
    values (p_event_id, p_user_id, p_test, p_type, p_turn_id, p_seq, p_space_id, p_data - 'held_credit_micros',
      (p_data -> 'held_credit_micros')::bigint, p_moment);
  end if;
  -- Most accounts have no endpoint. For them this function is one look-up.
  if not exists (select from webhook_endpoints w
    where w.user_id = p_user_id and w.test = p_test and w.deleted_at is null and w.disabled_at is null)
  then
    return false;
  end if;
  insert into webhook_deliveries (delivery_id, webhook_id, event_id, turn_id, seq, next_attempt_at, created_at)
  select turnpike.delivery_id(p_event_id, w.webhook_id), w.webhook_id, p_event_id, p_turn_id, p_seq,
    -- An event waits while an earlier event of its turn waits for its second attempt.
    greatest(p_moment, turnpike.kept_until(w.webhook_id, p_turn_id, p_seq)), p_moment
  from webhook_endpoints w
  where w.user_id = p_user_id and w.test = p_test and w.deleted_at is null and w.disabled_at is null
    and turnpike.hears(w, p_type, p_turn_id, p_space_id, p_made_by);
  return found;
end $$;

-- Returns whether an endpoint of the account gets such an event.
-- If the endpoint's scope is one space, an event without a turn goes only to the key that made the endpoint.
-- A ping never matches, since its delivery is written elsewhere.
create function turnpike.hears(endpoint webhook_endpoints, p_type text, p_turn_id text, p_space_id bigint, p_made_by text)
returns boolean language sql immutable as $$
  select coalesce(p_type <> 'ping' and (endpoint.events is null or endpoint.events ? p_type)
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
