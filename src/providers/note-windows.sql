-- Notes what an answer says about the windows of an account. p_windows: [{resource, window_seconds, used_pct, reset_at,
-- taken_at: when it was heard, else p_moment}], or null. A
-- window gets a snapshot when it has moved by a point, or five minutes have passed; one that is shorter than five minutes moves with each
-- call, so it gets one a minute at the most. Never waits: when somebody else writes the account's state, this answer says nothing new.
-- Returns how many snapshots it made.
create function turnpike.note_windows(p_provider_id text, p_windows jsonb, p_moment timestamptz) returns integer language plpgsql as $$
declare
  known jsonb;
  said record;
  was jsonb;
  noted_at timestamptz;
  is_due boolean;
  is_news boolean := false;
  noted integer := 0;
begin
  if p_windows is null then
    return 0;
  end if;
  select s.windows into known from provider_states s where s.provider_id = p_provider_id for no key update skip locked;
  if not found then
    -- Somebody has it. An insert would wait for them, if they have changed it.
    if exists (select from provider_states s where s.provider_id = p_provider_id) then
      return 0;
    end if;
    insert into provider_states (provider_id) select a.provider_id from provider_accounts a where a.provider_id = p_provider_id
      on conflict (provider_id) do nothing;
    if not found then
      return 0;
    end if;
    known := '{}';
  end if;
  for said in
    select w.resource || ':' || w.window_seconds as name, w.resource, w.window_seconds, round(least(w.used_pct, 1000), 2) as used_pct, w.reset_at,
      coalesce(w.taken_at, p_moment) as taken_at
    from jsonb_to_recordset(p_windows) w(resource text, window_seconds numeric, used_pct numeric, reset_at timestamptz, taken_at timestamptz)
    where w.used_pct >= 0 and w.window_seconds between 1 and 100000000 and w.window_seconds = trunc(w.window_seconds)
      and w.resource in ('unified', 'requests', 'tokens', 'input-tokens', 'output-tokens')
  loop
    was := known -> said.name;
    -- An answer that was given later has been noted already.
    continue when (was ->> 'taken_at')::timestamptz > said.taken_at;
    noted_at := was ->> 'noted_at';
    is_due := was is null or noted_at <= said.taken_at - interval '5 minutes'
      or (abs(said.used_pct - (was ->> 'noted_pct')::numeric) >= 1
        and (said.window_seconds >= 300 or noted_at <= said.taken_at - interval '1 minute'));
    if is_due then
      insert into quota_snapshots (provider_id, resource, window_seconds, used_pct, reset_at, taken_at)
        values (p_provider_id, said.resource, said.window_seconds, said.used_pct, said.reset_at, said.taken_at);
      noted := noted + 1;
    end if;
    -- What was known of a window that has ended says nothing any more. Whether it is full is news, however little it moved.
    if is_due or abs(said.used_pct - (was ->> 'used_pct')::numeric) >= 1 or coalesce((was ->> 'reset_at')::timestamptz <= said.taken_at, true)
      or (said.used_pct >= 100) <> ((was ->> 'used_pct')::numeric >= 100)
    then
      is_news := true;
      known := known || jsonb_build_object(said.name, jsonb_build_object('used_pct', said.used_pct, 'reset_at', said.reset_at,
        'taken_at', said.taken_at, 'noted_pct', case when is_due then said.used_pct else (was ->> 'noted_pct')::numeric end,
        'noted_at', case when is_due then said.taken_at else noted_at end));
    end if;
  end loop;
  if is_news then
    -- A server that names ever new windows does not fill the row: those that were heard of last stay.
    if (select count(*) from jsonb_object_keys(known)) > 16 then
      select jsonb_object_agg(w.key, w.value) into known
        from (select e.key, e.value from jsonb_each(known) e order by (e.value ->> 'taken_at')::timestamptz desc limit 16) w;
    end if;
    update provider_states s set windows = known where s.provider_id = p_provider_id;
  end if;
  return noted;
end $$;
