-- Rate limits with a burst. free_at is the time at which all sent requests are paid back at p_rate per second.
-- At most p_burst requests may be unpaid at a time.

-- How many of p_wanted requests may be sent now.
create function turnpike.room_of(p_free_at timestamptz, p_wanted integer, p_rate double precision, p_burst integer,
  p_moment timestamptz)
returns integer language plpgsql immutable as $$
begin
  return least(p_wanted,
    floor(p_burst - p_rate * greatest(0, extract(epoch from coalesce(p_free_at, p_moment) - p_moment)))::integer);
end $$;

-- free_at after p_sent more requests.
create function turnpike.paid_back_at(p_free_at timestamptz, p_sent integer, p_rate double precision,
  p_moment timestamptz) returns timestamptz
language plpgsql immutable as $$
begin
  return greatest(p_free_at, p_moment) + make_interval(secs => p_sent / p_rate);
end $$;

-- When one more request may be sent.
create function turnpike.next_room_at(p_free_at timestamptz, p_rate double precision, p_burst integer)
returns timestamptz
language plpgsql immutable as $$
begin
  return p_free_at - make_interval(secs => (p_burst - 1) / p_rate);
end $$;

-- The host of a URL (webhook_endpoints.target), without the port and a trailing dot.
create function turnpike.host_of(p_url text) returns text language plpgsql immutable as $$
begin
  return rtrim(lower(substring(p_url from '^[A-Za-z]+://(\[[^]]*\]|[^/:?#]+)') collate "C"), '.');
end $$;

-- Takes capacity of a host, shared by all accounts, for up to p_wanted requests. granted: how many may be sent.
-- next_at: when the next one may be.
-- It briefly locks the host's row after the deliveries. A transaction with that lock waits for no other lock.
create function turnpike.take_places_at(p_host text, p_test boolean, p_wanted integer, p_rate integer, p_burst integer,
  p_moment timestamptz, out granted integer, out next_at timestamptz) language plpgsql as $$
declare
  free_then timestamptz;
begin
  insert into webhook_hosts as h (host, test, free_at)
    values (p_host, p_test, p_moment)
    on conflict (host, test) do update set free_at = h.free_at
    returning h.free_at into free_then;
  granted := greatest(0, turnpike.room_of(free_then, p_wanted, p_rate, p_burst, p_moment));
  free_then := turnpike.paid_back_at(free_then, granted, p_rate, p_moment);
  update webhook_hosts h set free_at = free_then where h.host = p_host and h.test = p_test;
  next_at := turnpike.next_room_at(free_then, p_rate, p_burst);
end $$;

-- Deletes hosts without recent requests, and returns their number.
create function turnpike.forget_hosts(p_moment timestamptz) returns integer language plpgsql as $$
declare
  forgotten integer;
begin
  delete from webhook_hosts h
    where (h.host, h.test) in (
    select f.host, f.test from webhook_hosts f where f.free_at <= p_moment limit 1000 for update skip locked);
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;

-- How many of p_wanted events may be sent to an endpoint again now.
create function turnpike.resends_left(target webhook_endpoints, p_wanted integer, p_an_hour integer,
  p_moment timestamptz) returns integer
language plpgsql immutable as $$
begin
  return turnpike.room_of(target.resends_free_at, p_wanted, p_an_hour / 3600.0, p_an_hour, p_moment);
end $$;

-- Takes p_sent from the events that may be sent to an endpoint again, at most p_an_hour per hour.
-- The endpoint is locked.
-- Returns null, or the number of seconds to wait if the limit is reached.
create function turnpike.take_resends(target webhook_endpoints, p_sent integer, p_an_hour integer, p_moment timestamptz)
returns integer
language plpgsql as $$
declare
  rate double precision := p_an_hour / 3600.0;
begin
  if turnpike.room_of(target.resends_free_at, 1, rate, p_an_hour, p_moment) < 1 then
    return greatest(1,
      ceil(extract(epoch from turnpike.next_room_at(target.resends_free_at, rate, p_an_hour) - p_moment)));
  end if;
  if p_sent > 0 then
    update webhook_endpoints w set resends_free_at = turnpike.paid_back_at(target.resends_free_at, p_sent, rate,
      p_moment)
      where w.webhook_id = target.webhook_id;
  end if;
  return null;
end $$;
