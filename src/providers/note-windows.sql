-- Stores what an answer says about the windows of an account. Returns the number of new snapshots.
-- p_windows: [{resource, window_seconds, used_pct, reset_at, taken_at: when the answer
-- came, default p_moment}], or null.
-- A window gets a snapshot when it has moved by one point, or five minutes after its last snapshot.
-- A window of less than five minutes moves with each call, so it gets at most one snapshot a minute.
-- Never waits: if another transaction has locked the account's state, this answer is dropped.
create function turnpike.note_windows(p_provider_id text, p_windows jsonb, p_moment timestamptz) returns integer
language plpgsql as $$
declare
  known jsonb;
  said record;
  is_news boolean := false;
  noted integer := 0;
begin
  -- Most answers say nothing new. They lock nothing.
  if p_windows is null or exists (select from provider_states s where s.provider_id = p_provider_id
    and not exists (select from turnpike.window_news(s.windows, p_windows, p_moment)))
  then
    return 0;
  end if;
  select s.windows into known
    from provider_states s
    where s.provider_id = p_provider_id for no key update skip locked;
  if not found then
    -- Another transaction has the row. An insert would wait for it.
    if exists (select from provider_states s where s.provider_id = p_provider_id) then
      return 0;
    end if;
    insert into provider_states (provider_id)
      select a.provider_id
      from provider_accounts a
      where a.provider_id = p_provider_id
      on conflict (provider_id) do nothing;
    if not found then
      return 0;
    end if;
    known := '{}';
  end if;
  for said in select n.* from turnpike.window_news(known, p_windows, p_moment) n loop
    if said.is_due then
      insert into quota_snapshots (provider_id, resource, window_seconds, used_pct, reset_at, taken_at)
        values (p_provider_id, said.resource, said.window_seconds, said.used_pct, said.reset_at, said.taken_at);
      noted := noted + 1;
    end if;
    is_news := true;
    known := known
      || jsonb_build_object(said.name, jsonb_build_object('used_pct', said.used_pct, 'reset_at', said.reset_at,
      'taken_at', said.taken_at, 'noted_pct', said.noted_pct, 'noted_at', said.noted_at));
  end loop;
  if is_news then
    -- A server that keeps naming new windows must not fill the row: the 16 newest windows stay.
    if (select count(*) from jsonb_object_keys(known)) > 16 then
      select jsonb_object_agg(w.key, w.value) into known
        from (select e.key,
          e.value from jsonb_each(known) e order by (e.value ->> 'taken_at')::timestamptz desc limit 16) w;
    end if;
    update provider_states s set windows = known where s.provider_id = p_provider_id;
  end if;
  return noted;
end $$;

-- Returns the windows of an answer that are news compared with p_known.
-- is_due: the window gets a snapshot now. noted_pct and noted_at describe its last snapshot, this one included.
-- A change between full and not full is news, however small. So is any answer after the known window has ended.
-- An answer that is older than the known one is not news.
create function turnpike.window_news(p_known jsonb, p_windows jsonb, p_moment timestamptz)
returns table (name text, resource text, window_seconds numeric, used_pct numeric, reset_at timestamptz,
  taken_at timestamptz, is_due boolean, noted_pct numeric, noted_at timestamptz) language sql stable as $$
  select n.name, n.resource, n.window_seconds, n.used_pct, n.reset_at, n.taken_at, d.is_due,
    case when d.is_due then n.used_pct else (n.was ->> 'noted_pct')::numeric end,
    case when d.is_due then n.taken_at else (n.was ->> 'noted_at')::timestamptz end
  from (
    select w.resource || ':' || w.window_seconds as name, p_known -> (w.resource || ':' || w.window_seconds) as was,
      w.resource, w.window_seconds, round(least(w.used_pct, 1000), 2) as used_pct, w.reset_at,
      coalesce(w.taken_at, p_moment) as taken_at
    from jsonb_to_recordset(p_windows) w(resource text, window_seconds numeric, used_pct numeric, reset_at timestamptz,
      taken_at timestamptz)
    where w.used_pct >= 0 and w.window_seconds between 1 and 100000000 and w.window_seconds = trunc(w.window_seconds)
      and w.resource in ('unified', 'requests', 'tokens', 'input-tokens', 'output-tokens')
  ) n
  cross join lateral (select n.was is null or (n.was ->> 'noted_at')::timestamptz <= n.taken_at - interval '5 minutes'
    or (abs(n.used_pct - (n.was ->> 'noted_pct')::numeric) >= 1
      and (n.window_seconds >= 300
        or (n.was ->> 'noted_at')::timestamptz <= n.taken_at - interval '1 minute')) as is_due) d
  where ((n.was ->> 'taken_at')::timestamptz > n.taken_at) is not true
    and (d.is_due or abs(n.used_pct - (n.was ->> 'used_pct')::numeric) >= 1
      or coalesce((n.was ->> 'reset_at')::timestamptz <= n.taken_at, true)
      or (n.used_pct >= 100) <> ((n.was ->> 'used_pct')::numeric >= 100))
$$;
