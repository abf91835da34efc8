-- Work that the service itself has left undone since a moment. Health, the system page and the cron's sleep read it.
-- Work that waits for a person, a limit or a receiver is not in it, so no account can make the checks fail.

-- Counts up to p_most open turns that a runner should have claimed before p_before. A turn that waits does not count,
-- and neither does a turn after it in its conversation. A queued turn rightly waits while others of its account run,
-- or have ended since p_before: then the slots of the account are in use.
create function turnpike.overdue_turns(p_before timestamptz, p_most integer) returns bigint
language plpgsql stable as $$
begin
  return (select count(*) from (
    select from open_turns o
      where o.wake_at <= p_before and (o.state = 'running' or (o.state = 'queued'
      and not exists (select from open_turns r where r.user_id = o.user_id and r.test = o.test and r.state = 'running')
      and not exists (select from ended_turns e where e.user_id = o.user_id and e.test = o.test
        and e.finished_at > p_before)))
    limit p_most) late);
end $$;

-- Counts deliveries that a dispatcher should have attempted before p_before: at most 100 of each endpoint.
-- An endpoint that records attempts is in order, however slow its receiver is. So is one whose wake has not arrived
-- while other endpoints in its lane record attempts.
-- p_lanes: the number of lanes of the queue, over which the accounts are spread.
create function turnpike.overdue_deliveries(p_before timestamptz, p_lanes integer, p_most integer, p_moment timestamptz)
returns bigint
language plpgsql stable as $$
declare
  target webhook_endpoints;
  busy bigint[] := array(select distinct w.user_id % p_lanes from webhook_endpoints w where w.attempted_at > p_before);
  late bigint := 0;
begin
  for target in select w.*
    from webhook_endpoints w
    where w.deleted_at is null and w.disabled_at is null
    and (w.attempted_at > p_before) is not true and (w.woken_at is null or w.user_id % p_lanes <> all (busy))
  loop
    exit when late >= p_most;
    late := late + turnpike.late_deliveries(target, p_before, p_moment);
  end loop;
  return late;
end $$;

-- The deliveries of one endpoint that are overdue, among the 100 that have been due for longest. Before an endpoint has
-- answered its ping, only the ping is due. Nothing is overdue while the host has used half of a minute's requests, or
-- while a run has deliveries, unless an earlier run has lost them.
create function turnpike.late_deliveries(target webhook_endpoints, p_before timestamptz, p_moment timestamptz)
returns bigint
language plpgsql stable set enable_seqscan = off set enable_sort = off as $$
declare
  late bigint;
  is_held boolean;
begin
  if exists (select from webhook_hosts h
    where h.host = turnpike.host_of(target.target) and h.test = target.test
      and h.free_at > p_moment + interval '30 seconds')
  then
    return 0;
  end if;
  if target.verified_at is null then
    return (select count(*) from webhook_deliveries d
      where d.delivery_id = target.ping_id and d.state = 'pending' and d.next_attempt_at <= p_before
        and (d.lease_until > p_moment and d.epoch = d.attempts + 1) is not true);
  end if;
  select count(*) filter (where turnpike.kept_until(target.webhook_id, first.turn_id, first.seq) is null),
      bool_or(first.lease_until > p_moment and first.epoch = first.attempts + 1)
    into late, is_held
    from (
      select d.turn_id, d.seq, d.lease_until, d.epoch, d.attempts
      from webhook_deliveries d
      where d.webhook_id = target.webhook_id and d.state = 'pending' and d.next_attempt_at <= p_before
      order by d.next_attempt_at, d.event_id collate "C" limit 100) first;
  return case when is_held is true then 0 else late end;
end $$;
