-- Notes what a failed call has said of its account. p_cool_until: it is not called before; a later moment that is known already stays.
-- p_health: its credential was refused for good, unless that was replaced meanwhile. p_windows: as note_windows takes them.
create function turnpike.note_account(p_provider_id text, p_credential_version integer, p_cool_until timestamptz, p_reason text,
  p_health text, p_windows jsonb, p_moment timestamptz) returns boolean language plpgsql as $$
begin
  if p_health is not null then
    update provider_accounts a set health = p_health, health_at = p_moment
      where a.provider_id = p_provider_id and a.health = 'healthy'
        and exists (select from provider_credentials c where c.provider_id = p_provider_id and c.version = p_credential_version);
  end if;
  if p_cool_until is not null then
    insert into provider_states (provider_id, cool_until, cool_reason)
      select a.provider_id, p_cool_until, p_reason from provider_accounts a where a.provider_id = p_provider_id
      on conflict (provider_id) do update set cool_until = greatest(provider_states.cool_until, excluded.cool_until),
        cool_reason = excluded.cool_reason, probe_until = null;
  end if;
  perform turnpike.note_windows(p_provider_id, p_windows, false, p_moment);
  return true;
end $$;

-- Keeps what an account's windows have used: [{resource, window_seconds, used_pct, reset_at, taken_at}], or null. A snapshot is written
-- when a window has moved by a point since its last one, or five minutes have passed. p_probe: the call has shown that it serves again.
-- Whoever has the row is not waited for: the next answer says it anew.
create function turnpike.note_windows(p_provider_id text, p_windows jsonb, p_probe boolean, p_moment timestamptz) returns void
language plpgsql as $$
#variable_conflict use_column
declare
  state provider_states;
  noted jsonb;
begin
  if p_windows is null and not p_probe then
    return;
  end if;
  select s.* into state from provider_states s where s.provider_id = p_provider_id for update skip locked;
  if state.provider_id is null then
    return;
  end if;
  -- What was heard later stays. An entry's noted_pct and noted_at are those of its last snapshot.
  with given as (
    select w.*, w.resource || ':' || w.window_seconds as key, state.windows -> (w.resource || ':' || w.window_seconds) as known
    from jsonb_to_recordset(coalesce(p_windows, '[]')) as w(resource text, window_seconds integer, used_pct real, reset_at timestamptz,
      taken_at timestamptz)
  ), newer as (
    select g.*, g.known is null or abs(g.used_pct - (g.known ->> 'noted_pct')::real) >= 1
      or (g.known ->> 'noted_at')::timestamptz <= g.taken_at - interval '5 minutes' as moved
    from given g where coalesce((g.known ->> 'taken_at')::timestamptz <= g.taken_at, true)
  ), snapshots as (
    insert into quota_snapshots (provider_id, resource, window_seconds, used_pct, reset_at, taken_at)
    select p_provider_id, n.resource, n.window_seconds, n.used_pct, n.reset_at, n.taken_at from newer n where n.moved
  )
  select jsonb_object_agg(n.key, jsonb_build_object('used_pct', n.used_pct, 'reset_at', n.reset_at, 'taken_at', n.taken_at,
      'noted_pct', case when n.moved then to_jsonb(n.used_pct) else n.known -> 'noted_pct' end,
      'noted_at', case when n.moved then to_jsonb(n.taken_at) else n.known -> 'noted_at' end)) into noted
    from newer n;
  noted := state.windows || coalesce(noted, '{}');
  -- A server that names ever new windows does not fill the row: those that were heard of last stay.
  if (select count(*) from jsonb_object_keys(noted)) > 16 then
    select jsonb_object_agg(w.key, w.value) into noted
      from (select e.key, e.value from jsonb_each(noted) e order by (e.value ->> 'taken_at')::timestamptz desc limit 16) w;
  end if;
  if p_probe and state.cool_until <= p_moment then
    state.cool_until := null;
    state.cool_reason := null;
    state.probe_until := null;
  end if;
  update provider_states s set windows = noted, cool_until = state.cool_until, cool_reason = state.cool_reason,
    probe_until = state.probe_until where s.provider_id = p_provider_id;
end $$;
