-- Counts the quarters of an hour that were not over at the last run, at most p_quarters, and stores the longest queue
-- and the largest backlog of the current one. Deletes quarters that began before p_until. Returns the number of
-- quarters that were counted.
-- p_sound: every check passes. p_timed: of how many turns of a quarter the durations are read. p_deliveries: how many
-- due deliveries of one endpoint count. Failures need no filter: those of test turns are not stored.
create function turnpike.note_service_level(p_sound boolean, p_timed integer, p_deliveries integer, p_quarters integer,
  p_until timestamptz, p_moment timestamptz) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  quarter constant interval := interval '15 minutes';
  newest constant timestamptz := date_bin(quarter, p_moment, '2000-01-01Z');
  counted integer;
begin
  insert into service_levels as l (
      starts_at, done, failed, p95_ms, provider_calls, provider_errors)
  select
      q.starts_at, t.done, t.failed, d.p95_ms, c.calls, x.errors
  from generate_series(turnpike.first_open_quarter(quarter, p_quarters, p_moment), newest, quarter) q(starts_at),
    lateral (select count(*) filter (where e.state = 'done') as done,
        count(*) filter (where e.state = 'failed') as failed
      from ended_turns e
      where e.finished_at >= q.starts_at and e.finished_at < q.starts_at + quarter and not e.test) t,
    lateral (select percentile_disc(0.95) within group (
        order by (date_part('epoch', n.finished_at - n.created_at) * 1000)::bigint - coalesce(o.waited_ms, 0)) as p95_ms
      from (select e.turn_id, e.finished_at, e.created_at
          from ended_turns e
          where e.finished_at >= q.starts_at and e.finished_at < q.starts_at + quarter and not e.test
            and e.state in ('done', 'failed')
          order by e.finished_at desc limit p_timed) n
        join turns o on o.turn_id = n.turn_id) d,
    lateral (select count(*) as calls
      from model_calls m
      where m.created_at >= q.starts_at and m.created_at < q.starts_at + quarter and not m.test) c,
    lateral (select count(*) as errors
      from infrastructure_errors i
      where i.created_at >= q.starts_at and i.created_at < q.starts_at + quarter and i.kind = 'model_call') x
  on conflict (starts_at) do update set done = excluded.done, failed = excluded.failed, p95_ms = excluded.p95_ms,
    provider_calls = excluded.provider_calls, provider_errors = excluded.provider_errors;
  get diagnostics counted = row_count;
  update service_levels l
    set oldest_queued_ms = greatest(l.oldest_queued_ms, turnpike.oldest_queued_ms(p_moment)),
      webhook_backlog = greatest(l.webhook_backlog, turnpike.due_deliveries(p_deliveries, p_moment)),
      failed_at = case when p_sound then l.failed_at else p_moment end
    where l.starts_at = newest;
  delete from service_levels l where l.starts_at < p_until;
  return counted;
end $$;

-- The first quarter that may not be completely counted: the last one of the last run. A turn that ended at the very end
-- of a quarter may commit after it, so a quarter is counted until two minutes after its end.
create function turnpike.first_open_quarter(p_quarter interval, p_quarters integer, p_moment timestamptz)
returns timestamptz language plpgsql stable as $$
begin
  return greatest(date_bin(p_quarter, p_moment, '2000-01-01Z') - (p_quarters - 1) * p_quarter,
    least((select max(l.starts_at) from service_levels l),
      date_bin(p_quarter, p_moment - interval '2 minutes', '2000-01-01Z')));
end $$;

-- For how long the oldest live turn has been ready to start, in milliseconds. 0: none is.
create function turnpike.oldest_queued_ms(p_moment timestamptz) returns bigint language plpgsql stable as $$
begin
  return (select coalesce(greatest(0, date_part('epoch', p_moment - min(o.created_at)) * 1000), 0)::bigint
    from open_turns o
    where o.state = 'queued' and o.wake_at <= p_moment and not o.test);
end $$;

-- Counts the due deliveries of all endpoints that get some, at most p_most of each.
create function turnpike.due_deliveries(p_most integer, p_moment timestamptz) returns integer
language plpgsql stable set enable_seqscan = off as $$
begin
  return (select coalesce(sum(d.due), 0)
    from webhook_endpoints w, lateral (select count(*) as due from (select from webhook_deliveries o
      where o.webhook_id = w.webhook_id and o.state = 'pending' and o.next_attempt_at <= p_moment
      order by o.next_attempt_at limit p_most) n) d
    where w.deleted_at is null and w.disabled_at is null and w.verified_at is not null);
end $$;
