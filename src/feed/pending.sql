-- Look-ups of what is pending for an endpoint. Only one index fits each of them: when the statistics do not know a new backlog, all
-- indexes look equally good to the planner, and a wrong one reads the whole backlog for each row.

-- Until when earlier events of its turn hold an event back: the next attempt of those with fewer than two. Null: it may be sent. Every
-- condition begins with the turn, and finished_at says what is pending, so only the index that begins with the turn fits.
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

-- Whether an endpoint has something due that no run has claimed. Only the index of what is due gives this order. p_ping_id: of an endpoint
-- that is not verified, the one delivery that it may have.
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

-- Gives up what is pending for an endpoint that stops, at most p_most deliveries; returns how many. The endpoint must be locked.
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
