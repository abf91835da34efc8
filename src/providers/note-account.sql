-- Stores what a failed call showed about its account. Returns whether this suspended the account.
-- p_cool_until: when calls may resume. A later time that is already stored stays.
-- p_health: the account's new health, unless its credential was replaced in the meantime. Null: unchanged.
-- p_lacks: a model that the account does not have, or null. It counts until p_lacks_until.
-- p_suspended: why the provider suspended the account, or null. Each probe that hears this again
-- doubles the pause, up to p_longest_pause_ms.
-- p_windows: as in note_windows.
create function turnpike.note_account(p_provider_id text, p_credential_version integer, p_cool_until timestamptz,
  p_reason text, p_health text, p_lacks text, p_lacks_until timestamptz, p_suspended text, p_longest_pause_ms integer,
  p_windows jsonb, p_moment timestamptz)
returns boolean language plpgsql as $$
declare
  known provider_states;
  probes integer := 0;
  is_new boolean := false;
begin
  if p_health is not null then
    update provider_accounts a set health = p_health, health_at = p_moment
      where a.provider_id = p_provider_id and a.health = 'healthy'
        and exists (select from provider_credentials c where c.provider_id = p_provider_id
          and c.version = p_credential_version);
  end if;
  if p_suspended is not null then
    insert into provider_states (provider_id)
      select a.provider_id
      from provider_accounts a
      where a.provider_id = p_provider_id
      on conflict (provider_id) do nothing;
    select s.* into known from provider_states s where s.provider_id = p_provider_id for no key update;
    is_new := known.provider_id is not null and known.suspended_at is null;
    -- Calls that were in flight at the suspension are no news. A failed probe is.
    if is_new or known.cool_until <= p_moment then
      probes := case when is_new then 0 else least(known.suspended_probes + 1, 30) end;
      update provider_states s set suspended_at = coalesce(s.suspended_at, p_moment), suspended_reason = p_suspended,
        suspended_probes = probes,
        cool_until = greatest(s.cool_until,
          p_moment + least(p_longest_pause_ms * interval '1 millisecond',
            (p_cool_until - p_moment) * power(2, probes))), cool_reason = p_reason, probe_until = null, rejections = 0
        where s.provider_id = p_provider_id;
    end if;
  elsif p_cool_until is not null then
    insert into provider_states (
        provider_id, cool_until, cool_reason)
      select
        a.provider_id, p_cool_until, p_reason
      from provider_accounts a
      where a.provider_id = p_provider_id
      on conflict (provider_id) do update set cool_until = greatest(provider_states.cool_until, excluded.cool_until),
        cool_reason = excluded.cool_reason, probe_until = null;
  end if;
  if p_lacks is not null then
    insert into provider_states (
        provider_id, lacks)
      select
        a.provider_id, jsonb_build_object(p_lacks, p_lacks_until)
      from provider_accounts a
      where a.provider_id = p_provider_id
      on conflict (provider_id) do update set lacks = excluded.lacks
        || (select coalesce(jsonb_object_agg(l.key, l.value), '{}')
        from jsonb_each(provider_states.lacks) l where (l.value #>> '{}')::timestamptz > p_moment and l.key <> p_lacks);
  end if;
  perform turnpike.note_windows(p_provider_id, p_windows, p_moment);
  return is_new;
end $$;

-- Ends the suspension of an account after an admin acted, so that calls resume at once.
-- Returns whether it was suspended.
create function turnpike.end_suspension(p_provider_id text) returns boolean language plpgsql as $$
begin
  update provider_states s set suspended_at = null, suspended_reason = null, suspended_probes = 0, cool_until = null,
    cool_reason = null, probe_until = null, rejections = 0
    where s.provider_id = p_provider_id and s.suspended_at is not null;
  return found;
end $$;

-- Counts a call that the account rejected while another account served the same request.
-- Returns whether to suspend it: after p_most such calls since its last success, or if it is suspended, and a probe was
-- rejected.
create function turnpike.note_rejection(p_provider_id text, p_most integer) returns boolean language plpgsql as $$
declare
  state provider_states;
begin
  insert into provider_states (
      provider_id, rejections)
    select
      a.provider_id, 1
    from provider_accounts a
    where a.provider_id = p_provider_id
    on conflict (provider_id) do update set rejections = provider_states.rejections + 1
    returning * into state;
  return coalesce(state.suspended_at is not null or state.rejections >= p_most, false);
end $$;

-- Ends the cooling and suspension of an account after a probe succeeded, and forgets its rejections.
-- Skips a locked row instead of waiting for it: the next probe clears it then.
create function turnpike.end_probe(p_provider_id text, p_moment timestamptz) returns void language plpgsql as $$
begin
  perform from provider_states s
    where s.provider_id = p_provider_id and (s.cool_until is null or s.cool_until <= p_moment) for update skip locked;
  if found then
    update provider_states s set cool_until = null, cool_reason = null, probe_until = null, suspended_at = null,
      suspended_reason = null, suspended_probes = 0, rejections = 0
      where s.provider_id = p_provider_id;
  end if;
end $$;

-- Ends a probe that showed nothing about its account, so that the next call probes it.
-- p_before: the row is changed only if its probe would end before this time, so a later probe is left alone.
-- Skips a locked row instead of waiting for it: the probe then expires by itself.
create function turnpike.release_probe(p_provider_id text, p_before timestamptz) returns boolean language plpgsql as $$
begin
  perform from provider_states s
    where s.provider_id = p_provider_id and s.probe_until < p_before for update skip locked;
  if found then
    update provider_states s set probe_until = null where s.provider_id = p_provider_id;
  end if;
  return found;
end $$;
