-- Whether a period still bounds anything: a month or a window that is going on, today, and yesterday, whose turns may still grow.
create function turnpike.is_current_period(p_period text, p_starts_at timestamptz, p_window_seconds integer, p_moment timestamptz)
returns boolean language sql stable as $$
  select case p_period when 'day' then p_starts_at >= date_trunc('day', p_moment, 'UTC') - interval '24 hours'
    when 'month' then p_starts_at >= date_trunc('month', p_moment, 'UTC')
    else p_starts_at + make_interval(secs => p_window_seconds) > p_moment end
$$;

-- What turns say that a row of spend_counters should hold. Stable: all of it is of the caller's own snapshot.
create function turnpike.counter_truth(p_user_id bigint, p_kind text, p_subject text, p_period text, p_since timestamptz)
returns table (spent bigint, reserved bigint) language plpgsql stable rows 1 as $$
declare
  until timestamptz := case p_period when 'day' then p_since + interval '24 hours'
    when 'month' then (p_since at time zone 'UTC' + interval '1 month') at time zone 'UTC' else 'infinity' end;
  -- A turn whose worker's clock is behind may be in a window that began after its id did.
  first_id text := 'turn_' || turnpike.id_time(case p_period when 'window' then p_since - interval '1 hour' else p_since end);
  last_id text := case when p_period = 'window' then 'turn_~' else 'turn_' || turnpike.id_time(until) end;
begin
  if p_kind = 'key' then
    -- The owner is no condition that an index could serve: only the key's own is to be read.
    return query select coalesce(sum(t.billed_credit_micros), 0)::bigint,
        coalesce(sum(t.hold_credit_micros) filter (where t.finished_at is null), 0)::bigint
      from turns t where t.key_id = p_subject and t.user_id is not distinct from p_user_id
        and t.turn_id collate "C" >= first_id and t.turn_id collate "C" < last_id
        and case when p_period = 'window' then t.window_started_at = p_since else t.created_at >= p_since and t.created_at < until end;
  else
    return query select coalesce(sum(t.billed_credit_micros), 0)::bigint,
        coalesce(sum(t.hold_credit_micros) filter (where t.finished_at is null), 0)::bigint
      from turns t where t.user_id = p_user_id and t.end_user_ref = p_subject and t.key_id is not null
        and t.turn_id collate "C" >= first_id and t.turn_id collate "C" < last_id
        and t.created_at >= p_since and t.created_at < until;
  end if;
end $$;

-- Each counter of a current period behind p_position: it holds what its turns were billed, and what those that are open hold.
create function turnpike.counters_slice(p_position text, p_size integer, p_moment timestamptz) returns turnpike.books_slice
language plpgsql stable as $$
declare
  behind jsonb := coalesce(nullif(p_position, ''), '["0", "", "", "", "-infinity"]');
  slice turnpike.books_slice;
begin
  with part as materialized (
    select c.user_id, c.kind, c.subject, c.period, c.starts_at, n.spent as spent_credit_micros, n.reserved as reserved_credit_micros,
      n.is_counted
    from spend_counters c, lateral turnpike.counter_now(c.user_id, c.kind, c.subject, c.period, c.starts_at) n
    where (c.user_id, c.kind, c.subject, c.period, c.starts_at)
      > ((behind ->> 0)::bigint, behind ->> 1, behind ->> 2, behind ->> 3, (behind ->> 4)::timestamptz)
    order by c.user_id, c.kind, c.subject, c.period, c.starts_at limit p_size
  ), looked as materialized (
    select p.*, truth.spent, truth.reserved from part p left join api_keys k on p.kind = 'key' and k.key_id = p.subject,
      lateral turnpike.counter_truth(p.user_id, p.kind, p.subject, p.period, p.starts_at) truth
    where turnpike.is_current_period(p.period, p.starts_at, k.window_seconds, p_moment) and p.is_counted
  )
  select (select count(*) from part),
    (select jsonb_build_array(p.user_id::text, p.kind, p.subject, p.period, p.starts_at::text)::text from part p
      order by p.user_id desc, p.kind desc, p.subject desc, p.period desc, p.starts_at desc limit 1),
    array(select row(f.kind, k.user_id, null, null,
        jsonb_build_object('kind', k.kind, 'subject', k.subject, 'period', k.period, 'starts_at', k.starts_at),
        f.expected, f.found)::turnpike.finding
      from looked k, lateral (values ('counter_spent', k.spent, k.spent_credit_micros),
        ('counter_reserved', k.reserved, k.reserved_credit_micros)) f (kind, expected, found)
      where f.expected <> f.found)
  into slice;
  return slice;
end $$;
