-- Deletes snapshots that are older than the setting snapshot_days, at most p_limit.
-- Thins those from before p_thin_before to the newest of each window and hour. It continues where
-- the last run ended, for at most p_hours.
-- Returns the number of deleted snapshots, or 0 if another run is working.
create function turnpike.thin_snapshots(p_thin_before timestamptz, p_hours integer, p_limit integer,
  p_moment timestamptz)
returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  ids text[];
  resources text[];
  lengths integer[];
  until timestamptz;
  keep_from timestamptz := p_moment - make_interval(days => turnpike.setting_number('snapshot_days')::integer);
  deleted integer;
  total integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtext('thin_snapshots'), 0) then
    return 0;
  end if;
  select t.thinned_until into until from quota_thinning t;
  -- There is work only once an hour.
  if until > p_thin_before - interval '1 hour' then
    return 0;
  end if;
  select array_agg(w.provider_id), array_agg(w.resource), array_agg(w.window_seconds) into ids, resources, lengths
    from turnpike.quota_windows() w;
  if ids is null then
    return 0;
  end if;
  delete from quota_snapshots q
    where q.ctid = any (array(
    select n.ctid
      from unnest(ids, resources, lengths) w(provider_id, resource, window_seconds)
      cross join lateral (select n.ctid from quota_snapshots n where n.provider_id = w.provider_id
        and n.resource = w.resource
        and n.window_seconds = w.window_seconds and n.taken_at < keep_from
        order by n.taken_at limit p_limit) n limit p_limit));
  get diagnostics total = row_count;
  if total = p_limit then
    return total;
  end if;
  if until is null then
    select date_trunc('hour', min(n.taken_at), 'UTC') into until
      from unnest(ids, resources, lengths) w(provider_id, resource, window_seconds)
      cross join lateral (select n.taken_at from quota_snapshots n where n.provider_id = w.provider_id
        and n.resource = w.resource
        and n.window_seconds = w.window_seconds order by n.taken_at limit 1) n;
    insert into quota_thinning (thinned_until) values (until);
  end if;
  for hour in 1 .. p_hours loop
    exit when until > p_thin_before - interval '1 hour';
    delete from quota_snapshots q
      where q.ctid = any (array(
      select n.ctid
        from unnest(ids, resources, lengths) w(provider_id, resource, window_seconds)
        cross join lateral (select n.ctid from quota_snapshots n where n.provider_id = w.provider_id
          and n.resource = w.resource
          and n.window_seconds = w.window_seconds and n.taken_at >= until and n.taken_at < until + interval '1 hour'
          order by n.taken_at desc offset 1) n));
    get diagnostics deleted = row_count;
    total := total + deleted;
    until := until + interval '1 hour';
  end loop;
  update quota_thinning t set thinned_until = until;
  return total;
end $$;
