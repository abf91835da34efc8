-- Look-ups of the pending deliveries of an endpoint. Each is written so that only one index fits.
-- While the statistics do not include a new backlog, the planner sees all indexes as equally good,
-- and a wrong one reads the whole backlog for each row.

-- Returns when an event may be sent: the latest next attempt of earlier events of its
-- turn with fewer than two attempts.
-- Null: it may be sent at once.
-- All conditions start with the turn, and finished_at selects pending rows, so only the index by turn fits.
create function turnpike.kept_until(p_webhook_id text, p_turn_id text, p_seq integer) returns timestamptz
language plpgsql stable set enable_seqscan = off as $$
begin
  if p_turn_id is null then
    return null;
  end if;
  return (select max(d.next_attempt_at) from webhook_deliveries d
    where d.turn_id = p_turn_id and d.finished_at is null and d.round < 2
      and (d.turn_id, d.webhook_id, d.seq) >= (p_turn_id, p_webhook_id, 0)
      and (d.turn_id, d.webhook_id, d.seq) < (p_turn_id, p_webhook_id, p_seq));
end $$;

-- Returns whether an endpoint has a due delivery that no run has claimed. Only the index of
-- due deliveries gives this order.
-- p_ping_id: the one delivery that an unverified endpoint may have; null for a verified endpoint.
create function turnpike.has_due(p_webhook_id text, p_ping_id text, p_moment timestamptz) returns boolean
language plpgsql stable set enable_seqscan = off set enable_sort = off as $$
begin
  if p_ping_id is not null then
    return exists (select from webhook_deliveries d where d.delivery_id = p_ping_id and d.state = 'pending'
      and d.next_attempt_at <= p_moment and (d.lease_until is null or d.lease_until <= p_moment));
  end if;
  return (select true from webhook_deliveries d
    where d.webhook_id = p_webhook_id and d.state = 'pending' and d.next_attempt_at <= p_moment
      and (d.lease_until is null or d.lease_until <= p_moment)
    order by d.next_attempt_at limit 1) is not null;
end $$;

-- Fails the pending deliveries of an endpoint that stops, at most p_most. Returns their number.
-- The endpoint must be locked.
create function turnpike.give_up(p_webhook_id text, p_reason text, p_most integer, p_moment timestamptz) returns integer
language plpgsql set enable_seqscan = off set enable_sort = off as $$
declare
  pending text[];
begin
  pending := array(select d.delivery_id from webhook_deliveries d
    where d.webhook_id = p_webhook_id and d.state = 'pending'
    order by d.next_attempt_at limit p_most for no key update);
  update webhook_deliveries d
    set state = 'failed', status_reason = p_reason, next_attempt_at = null, lease_until = null, finished_at = p_moment
    where d.delivery_id = any (pending);
  return cardinality(pending);
end $$;
