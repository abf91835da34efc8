-- The room that the usable accounts of a pool have left in one window: their average, and the best of them.
create type turnpike.pool_window as (
  resource text,
  window_seconds integer,
  accounts bigint,
  room_pct numeric,
  best_room_pct numeric,
  next_reset_at timestamptz -- null
);

create type turnpike.pool_answer as (
  pool text,
  accounts bigint,
  usable bigint,
  cooling bigint,
  suspended bigint,
  needs_login bigint,
  contained bigint,
  disabled bigint,
  in_flight bigint,
  recovers_at timestamptz, -- null
  windows turnpike.pool_window[],
  -- The database's clock at the time of the reading, in microseconds.
  read_at bigint
);

-- Returns what both account pools can serve, from one snapshot of the database.
-- An account counts in a window only if its use of that window is known.
create function turnpike.pool_capacity(p_moment timestamptz) returns turnpike.pool_answer[] language sql volatile as $$
  with accounts as materialized (
    select a.pool, a.provider_id, s.cool_until, s.probe_until, coalesce(s.windows, '{}') as windows,
      (select count(*) from open_turns o where o.provider_id = a.provider_id) as in_flight,
      turnpike.account_state(a.disabled_at, a.health, c.provider_id is not null, c.refreshing_until, s.suspended_at,
        s.cool_until, s.probe_until, p_moment) as state
    from provider_accounts a
      left join provider_states s on s.provider_id = a.provider_id
      left join provider_credentials c on c.provider_id = a.provider_id
    where a.pool in ('main', 'alt-pool')
  ), pool_windows as (
    select a.pool, w.resource, w.window_seconds, count(*) as accounts,
      round(avg(greatest(0, 100 - w.used_pct)), 2) as room_pct, max(greatest(0, 100 - w.used_pct)) as best_room_pct,
      min(w.reset_at) as next_reset_at
    from accounts a
      cross join lateral turnpike.windows_at(a.windows, p_moment) w
    where a.state = 'usable' and w.used_pct is not null
    group by a.pool, w.resource, w.window_seconds
  )
  select array_agg((p.pool, n.accounts, n.usable, n.cooling, n.suspended, n.needs_login, n.contained, n.disabled,
    n.in_flight, n.recovers_at,
    array(select (r.resource, r.window_seconds, r.accounts, r.room_pct, r.best_room_pct,
      r.next_reset_at)::turnpike.pool_window
        from pool_windows r where r.pool = p.pool order by r.resource collate "C", r.window_seconds),
      (extract(epoch from clock_timestamp()) * 1000000)::bigint)::turnpike.pool_answer order by p.position)
  from unnest(array['main', 'alt-pool']) with ordinality p(pool, position)
    cross join lateral (
      select count(*) as accounts, count(*) filter (where a.state = 'usable') as usable,
        count(*) filter (where a.state = 'cooling') as cooling,
        count(*) filter (where a.state = 'suspended') as suspended,
        count(*) filter (where a.state = 'needs_login') as needs_login,
        count(*) filter (where a.state = 'contained') as contained,
        count(*) filter (where a.state = 'disabled') as disabled, coalesce(sum(a.in_flight), 0)::bigint as in_flight,
        min(greatest(a.cool_until, a.probe_until)) filter (where a.state = 'cooling') as recovers_at
      from accounts a
      where a.pool = p.pool) n
$$;

-- Lists every window that has a snapshot, with one index look-up for each.
create function turnpike.quota_windows() returns table (provider_id text, resource text, window_seconds integer)
language sql stable as $$
  with recursive w as (
    (select n.provider_id, n.resource, n.window_seconds from quota_snapshots n order by n.provider_id, n.resource,
      n.window_seconds limit 1)
    union all
    select f.* from w cross join lateral (select n.provider_id, n.resource, n.window_seconds from quota_snapshots n
      where (n.provider_id, n.resource, n.window_seconds) > (w.provider_id, w.resource, w.window_seconds)
      order by n.provider_id, n.resource, n.window_seconds limit 1) f
  )
  select w.provider_id, w.resource, w.window_seconds
  from w
$$;

-- The snapshots of one window, the oldest first. The same index in used, reset and taken is one snapshot.
-- Times are seconds since 1970.
create type turnpike.window_series as (
  provider_id text,
  resource text,
  window_seconds integer,
  used real[],
  -- An element is null if the provider reported no reset.
  reset double precision[],
  taken double precision[]
);

-- The usage of one account, by the hour or day in which its turns ended. The same index
-- in each list is one hour or day.
-- Amounts are credit micros.
create type turnpike.spend_series as (
  subscription_id text,
  begins double precision[],
  model_calls bigint[],
  cost bigint[],
  billed bigint[]
);

-- The usage of one account in one hour or day.
create type turnpike.spend_part as (
  subscription_id text,
  begins double precision,
  model_calls bigint,
  cost bigint,
  billed bigint
);

-- Returns the snapshots of the last p_hours, and what their accounts served, for an admin.
-- p_pools: the pools of the accounts; removed accounts are included.
-- p_most: up to this number all snapshots are returned. Above it, the windows are thinned: the newest snapshot
-- of each step of point_seconds is returned, at most p_thinned in all, with one index look-up for each.
-- p_spend: the most hours that are returned one by one. spend_seconds, spend and queued: see served_spend.
create function turnpike.read_capacity(p_request turnpike.request,
  p_hours integer, p_pools text[], p_most integer, p_thinned integer, p_spend integer)
returns table (actor turnpike.caller, refused text, point_seconds integer, windows turnpike.window_series[],
  spend_seconds integer, spend turnpike.spend_series[], queued turnpike.spend_part[])
language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  since timestamptz := p_request.moment - p_hours * interval '1 hour';
  -- The same index in these three lists is one window.
  ids text[];
  resources text[];
  lengths integer[];
  served text[];
  points integer;
  span interval;
begin
  {{admin.opens row}}
  select array_agg(w.provider_id), array_agg(w.resource), array_agg(w.window_seconds) into ids, resources, lengths
    from turnpike.quota_windows() w
    where w.provider_id in (select a.provider_id from provider_accounts a where a.pool = any(p_pools)
      union all select f.provider_id from former_providers f where f.pool = any(p_pools));
  select count(*) into points
    from (select from unnest(ids, resources, lengths) w(provider_id, resource, window_seconds)
    cross join lateral (select from quota_snapshots n where n.provider_id = w.provider_id and n.resource = w.resource
      and n.window_seconds = w.window_seconds and n.taken_at >= since
      and n.taken_at <= p_request.moment limit p_most + 1) n limit p_most + 1) n;
  -- Each branch is one statement over all windows: planning one per window would take
  -- longer than reading its points.
  if points > p_most then
    point_seconds := turnpike.step_of(p_hours * 3600, p_thinned / cardinality(ids));
    span := point_seconds * interval '1 second';
    select array_agg(distinct n.provider_id),
        array_agg((n.provider_id, n.resource, n.window_seconds, n.used, n.reset, n.taken)::turnpike.window_series
          order by n.provider_id collate "C", n.resource collate "C", n.window_seconds)
      into served, windows
      from (
      select w.provider_id, w.resource, w.window_seconds, n.used, n.reset, n.taken
      from unnest(ids, resources, lengths) w(provider_id, resource, window_seconds)
        cross join lateral (
          select array_agg(coalesce(l.used_pct, n.used_pct)) as used,
            array_agg(date_part('epoch', coalesce(l.reset_at, n.reset_at))) as reset,
            array_agg(date_part('epoch', coalesce(l.taken_at, n.taken_at))) as taken
          from generate_series(date_bin(span, since, 'epoch'), p_request.moment, span) b(begins)
            cross join lateral (select greatest(b.begins, since) as begins, least(b.begins + span,
              p_request.moment + interval '1 microsecond') as ends) t
            -- The newest snapshot is usually in the step's last hour. Looking there first avoids index
            -- pages full of older snapshots.
            left join lateral (select n.used_pct, n.reset_at,
              n.taken_at from quota_snapshots n where n.provider_id = w.provider_id
              and n.resource = w.resource and n.window_seconds = w.window_seconds
              and n.taken_at >= greatest(t.ends - interval '1 hour', t.begins)
              and n.taken_at < t.ends order by n.taken_at desc limit 1) l on true
            left join lateral (select n.used_pct, n.reset_at, n.taken_at from quota_snapshots n where l.taken_at is null
              and n.provider_id = w.provider_id and n.resource = w.resource and n.window_seconds = w.window_seconds
              and n.taken_at >= t.begins and n.taken_at < t.ends order by n.taken_at desc limit 1) n on true
          where coalesce(l.taken_at, n.taken_at) is not null) n
      where n.used is not null) n;
  else
    select array_agg(distinct n.provider_id),
        array_agg((n.provider_id, n.resource, n.window_seconds, n.used, n.reset, n.taken)::turnpike.window_series
          order by n.provider_id collate "C", n.resource collate "C", n.window_seconds)
      into served, windows
      from (
      select w.provider_id, w.resource, w.window_seconds, n.used, n.reset, n.taken
      from unnest(ids, resources, lengths) w(provider_id, resource, window_seconds)
        cross join lateral (
          select array_agg(n.used_pct) as used, array_agg(date_part('epoch', n.reset_at)) as reset,
            array_agg(date_part('epoch', n.taken_at)) as taken
          from (select n.used_pct, n.reset_at, n.taken_at from quota_snapshots n where n.provider_id = w.provider_id
            and n.resource = w.resource and n.window_seconds = w.window_seconds and n.taken_at >= since
            and n.taken_at <= p_request.moment
            order by n.taken_at) n) n
      where n.used is not null) n;
  end if;
  windows := coalesce(windows, '{}');
  select s.seconds, s.summed, s.queued into spend_seconds, spend, queued
    from turnpike.served_spend(served, since, p_spend) s;
  {{admin.closes row}}
end $$;

-- Returns the shortest round span, in seconds, with which at most p_most spans cover p_seconds.
create function turnpike.step_of(p_seconds integer, p_most integer) returns integer language sql immutable as $$
  select coalesce(min(s) filter (where p_seconds / s + 2 <= p_most), max(s))
  from unnest(array[300, 600, 900, 1800, 3600, 7200, 10800, 14400, 21600, 28800, 43200, 64800, 86400, 129600, 172800,
    259200, 345600, 518400, 604800, 864000, 1209600, 1814400, 2419200]) s
$$;

-- Returns what accounts served since p_since, by the hour from the start of its hour (UTC).
-- If there are more than p_most such hours, it is by the day, from the start of its day.
-- seconds: 3600 or 86400. summed: sums of past hours or days. queued: turns that are not in a sum yet.
-- summed and queued come from one snapshot of the database, so each call is in exactly one of them.
create function turnpike.served_spend(p_ids text[], p_since timestamptz, p_most integer, out seconds integer,
  out summed turnpike.spend_series[], out queued turnpike.spend_part[])
language plpgsql as $$
declare
  unit text := 'hour';
  since timestamptz := date_trunc('hour', p_since, 'UTC');
  hours integer;
begin
  select count(*) into hours
    from (select from unnest(p_ids) i(id) cross join lateral (select from account_hours h
    where h.subscription_id = i.id and h.hour >= since limit p_most + 1) h limit p_most + 1) h;
  if hours > p_most then
    unit := 'day';
    since := date_trunc('day', p_since, 'UTC');
  end if;
  seconds := case unit when 'hour' then 3600 else 86400 end;
  select array(select (h.subscription_id, array_agg(date_part('epoch', h.begins)), array_agg(h.model_calls),
        array_agg(h.cost_credit_micros), array_agg(h.billed_credit_micros))::turnpike.spend_series
      from (
        select h.subscription_id, h.hour as begins, h.model_calls, h.cost_credit_micros, h.billed_credit_micros
        from account_hours h
        where unit = 'hour' and h.subscription_id = any(p_ids) and h.hour >= since
        union all
        select h.subscription_id, h.day::timestamp at time zone 'UTC', h.model_calls, h.cost_credit_micros,
          h.billed_credit_micros
        from account_days h
        where unit = 'day' and h.subscription_id = any(p_ids) and h.day >= (since at time zone 'UTC')::date
      ) h group by h.subscription_id),
    array(select (v.subscription_id, date_part('epoch', date_trunc(unit, v.settled_at, 'UTC')), count(*),
        sum(v.cost_credit_micros)::bigint, sum(v.billed_credit_micros)::bigint)::turnpike.spend_part
      from turn_ends e cross join lateral turnpike.served_calls(e.turn_id) v
      where e.turns = 1 and v.subscription_id = any(p_ids) and v.settled_at >= since
      group by v.subscription_id, date_trunc(unit, v.settled_at, 'UTC'))
    into summed, queued;
end $$;
