-- Returns whether an account may be called.
-- 'yes'; 'probe': its cooling or suspension pause is over, and one call may test whether it serves again;
-- 'cooling': not now; 'no': not before an admin acts.
create function turnpike.account_use(a provider_accounts, s provider_states, c provider_credentials,
  p_moment timestamptz) returns text
language sql immutable as $$
  select case turnpike.account_state(a.disabled_at, a.health, c.provider_id is not null, c.refreshing_until, null,
    s.cool_until, s.probe_until, p_moment)
    when 'usable' then case when s.cool_until is null then 'yes' else 'probe' end
    when 'cooling' then 'cooling'
    else 'no'
  end
$$;

-- Returns whether an account answered recently that it does not have a model.
create function turnpike.lacks_model(p_lacks jsonb, p_model text, p_moment timestamptz) returns boolean
language sql stable as $$
  select coalesce((p_lacks ->> p_model)::timestamptz > p_moment, false)
$$;

-- Returns whether an account is on the server that the pins of its engine name.
-- p_servers: the spellings of that server's URL, folded; '' is the engine's own URL.
-- Null: the environment names no server, so an account on any server serves the pins.
create function turnpike.serves_pins(p_base_url text, p_servers jsonb) returns boolean language sql immutable as $$
  select p_servers is null or p_servers ? folded(rtrim(coalesce(p_base_url, ''), '/'))
$$;

-- The facts that a call needs about the account that was picked for it.
create type turnpike.picked_account as (
  provider_id text,
  kind text,
  engine text,
  base_url text, -- null: the engine's own
  sealed text,
  expires_at timestamptz, -- null: never, or not known
  credential_version integer,
  -- Its windows as last reported, by "<resource>:<seconds>".
  windows jsonb,
  -- Models that it does not have, each with the time of the next try.
  lacks jsonb,
  -- This call alone tests whether the account serves again after it cooled.
  probe boolean,
  -- It is the conversation's account, which has its prompt cache.
  bound boolean,
  -- Calls since its last success that it rejected while another account served them.
  rejections integer
);

create function turnpike.picked_account(a provider_accounts, s provider_states, c provider_credentials, p_use text,
  p_bound text) returns jsonb
language sql stable as $$
  select to_jsonb((a.provider_id, a.kind, a.engine, a.base_url, c.sealed, c.expires_at, c.version,
    coalesce(s.windows, '{}'), coalesce(s.lacks, '{}'), p_use = 'probe', coalesce(a.provider_id = p_bound, false),
    coalesce(s.rejections, 0))::turnpike.picked_account)
$$;

-- Returns whether the account that a worker drew may still be called, with the rows that the worker knows.
-- p_drawn: see pick_account.
create function turnpike.is_drawn_usable(p_engine text, p_servers jsonb, p_model text, p_drawn jsonb,
  p_moment timestamptz)
returns boolean language plpgsql stable as $$
declare
  -- Variables: the plan may scan a small table, and would extract the JSON fields for each row.
  drawn_id text := p_drawn ->> 'provider_id';
  account_row xid := p_drawn ->> 'account_row';
  credential_row xid := p_drawn ->> 'credential_row';
begin
  -- The xmin of a row differs after each change.
  perform from provider_accounts a
    left join provider_states s on s.provider_id = a.provider_id
    join provider_credentials c on c.provider_id = a.provider_id
    where a.provider_id = drawn_id and a.xmin = account_row and c.xmin = credential_row and a.engine = p_engine
      and a.pool <> 'media'
      and turnpike.serves_pins(a.base_url, p_servers)
      and turnpike.account_use(a, s, c, p_moment) = 'yes' and not turnpike.lacks_model(s.lacks, p_model, p_moment);
  return found;
end $$;

-- Counts the accounts of an engine and server. enabled: all that are enabled. able: those of them that serve the model
-- now or after a pause. recovers: the earliest end of a pause, or null.
-- p_tried: accounts that this call tried. One that is due for a probe does not count as recovering.
create function turnpike.state_of_pool(p_engine text, p_servers jsonb, p_model text, p_tried text[],
  p_moment timestamptz, out enabled integer, out able integer, out recovers timestamptz) language plpgsql stable as $$
begin
  select count(*), count(*) filter (where e.use <> 'no' and not e.lacks),
    coalesce(min(e.recovers) filter (where e.use <> 'no' and not e.lacks), min(e.recovers) filter (where e.use <> 'no'))
    into enabled, able, recovers
    from (
      select turnpike.account_use(a, s, c, p_moment) as use, turnpike.lacks_model(s.lacks, p_model, p_moment) as lacks,
        case when s.cool_until is not null
          and (turnpike.account_use(a, s, c, p_moment) <> 'probe' or a.provider_id <> all (p_tried))
          then greatest(s.cool_until, p_moment,
            case when s.probe_until
              > p_moment then least(s.probe_until, p_moment + interval '10 seconds') end) end as recovers
      from provider_accounts a
      left join provider_states s on s.provider_id = a.provider_id
      left join provider_credentials c on c.provider_id = a.provider_id
      where a.engine = p_engine and a.pool <> 'media' and a.disabled_at is null
        and turnpike.serves_pins(a.base_url, p_servers)
    ) e;
end $$;

-- Picks an account of an engine for a call of a model. It tries p_bound (the conversation's account, whose
-- prompt cache is warm), then p_drawn, then p_preferred in order, then a random account by account_weight.
-- It skips p_tried. An account that lacks the model is picked only if all callable accounts lack it.
-- p_servers: see serves_pins. p_random: a number from 0 to below 1, for draw_account.
-- p_drawn: the {provider_id, account_row, credential_row} that the worker drew (src/providers/roster.ts), or null.
-- If both rows are unchanged and it may be called, this returns {provider_id, drawn: true}.
-- Otherwise it returns a picked_account as JSON, or null if no account is enabled for this engine and server.
-- p_probe_until: the end of a probe. Without it, JSON null replaces a probe, and the caller must ask again.
-- {cooling_until}: no enabled account can take the call. The earliest recovery (10 s for a running probe), or null.
create function turnpike.pick_account(p_engine text, p_servers jsonb, p_model text, p_bound text, p_tried text[],
  p_preferred text[], p_drawn jsonb, p_random double precision, p_probe_until timestamptz, p_moment timestamptz)
returns jsonb language plpgsql as $$
declare
  left_out text[] := p_tried;
  lacking boolean := false;
  chosen jsonb;
  use text;
  pool record;
begin
  loop
    chosen := null;
    -- Without p_bound, PostgreSQL would plan this query again each time, because
    -- the plan for null costs nothing.
    if p_bound is not null and p_bound <> all (left_out) then
      select turnpike.picked_account(a, s, c, turnpike.account_use(a, s, c, p_moment), p_bound),
        turnpike.account_use(a, s, c, p_moment)
        into chosen, use
        from provider_accounts a
        left join provider_states s on s.provider_id = a.provider_id
        left join provider_credentials c on c.provider_id = a.provider_id
        where a.provider_id = p_bound and a.engine = p_engine and a.pool <> 'media'
          and turnpike.serves_pins(a.base_url, p_servers)
          and turnpike.account_use(a, s, c, p_moment) in ('yes', 'probe')
          and turnpike.lacks_model(s.lacks, p_model, p_moment) = lacking;
    end if;
    if chosen is null and not lacking and left_out = '{}' and p_drawn is not null
      and turnpike.is_drawn_usable(p_engine, p_servers, p_model, p_drawn, p_moment)
    then
      return jsonb_build_object('provider_id', p_drawn ->> 'provider_id', 'drawn', true);
    end if;
    if chosen is null and p_preferred <> '{}' then
      select turnpike.picked_account(a, s, c, 'yes', p_bound), 'yes' into chosen, use
        from unnest(p_preferred) with ordinality f(id, nth)
        join provider_accounts a on a.provider_id = f.id
        left join provider_states s on s.provider_id = a.provider_id
        left join provider_credentials c on c.provider_id = a.provider_id
        where f.id <> all (left_out) and a.engine = p_engine and a.pool <> 'media'
          and turnpike.serves_pins(a.base_url, p_servers)
          and turnpike.account_use(a, s, c, p_moment) = 'yes'
          and turnpike.lacks_model(s.lacks, p_model, p_moment) = lacking
        order by f.nth limit 1;
    end if;
    if chosen is null then
      select turnpike.picked_account(a, s, c, d.use, p_bound), d.use into chosen, use
        from turnpike.draw_account(p_engine, p_servers, p_model, lacking, left_out, p_random, p_moment) d
        join provider_accounts a on a.provider_id = d.provider_id
        left join provider_states s on s.provider_id = a.provider_id
        left join provider_credentials c on c.provider_id = a.provider_id;
    end if;
    if chosen is null then
      pool := turnpike.state_of_pool(p_engine, p_servers, p_model, p_tried, p_moment);
      if (pool.enabled > 0) is not true then
        return null;
      elsif pool.able > 0 or lacking then
        return jsonb_build_object('cooling_until', pool.recovers);
      end if;
      lacking := true;
      continue;
    end if;
    if use = 'probe' then
      if p_probe_until is null then
        return 'null';
      end if;
      -- Skip a locked row: its holder is about to probe the account, or has just stored an answer.
      perform from provider_states s
        where s.provider_id = chosen ->> 'provider_id' and s.cool_until <= p_moment
        and coalesce(s.probe_until <= p_moment, true) for update skip locked;
      if not found then
        left_out := left_out || (chosen ->> 'provider_id');
        continue;
      end if;
      update provider_states s set probe_until = p_probe_until where s.provider_id = chosen ->> 'provider_id';
    end if;
    return chosen;
  end loop;
end $$;

-- Returns the weight of an account: the room in its fullest window in per cent, less its turns in flight. It is at
-- least 1, even without room, since the room is known from the last answer only. A window that has ended is ignored.
create function turnpike.account_weight(p_windows jsonb, p_turns bigint, p_moment timestamptz)
returns table (weight double precision)
language sql stable rows 1 as $$
  select greatest(1, 100 - coalesce(max((w.value ->> 'used_pct')::double precision), 0) - coalesce(p_turns, 0))
    from jsonb_each(p_windows) w
    where (w.value ->> 'reset_at')::timestamptz > p_moment
$$;

-- Draws one usable account of an engine at random, by weight. Returns no row if none is usable.
-- p_lacking: draws from the accounts that lack the model, instead of those that have it.
create function turnpike.draw_account(p_engine text, p_servers jsonb, p_model text, p_lacking boolean,
  p_left_out text[], p_random double precision, p_moment timestamptz) returns table (provider_id text, use text)
language sql stable rows 1 as $$
  with usable as (
    select a.provider_id, turnpike.account_use(a, s, c, p_moment) as use, s.windows
    from provider_accounts a
    left join provider_states s on s.provider_id = a.provider_id
    left join provider_credentials c on c.provider_id = a.provider_id
    where a.engine = p_engine and a.pool <> 'media' and a.provider_id <> all (p_left_out)
      and turnpike.serves_pins(a.base_url, p_servers)
      and turnpike.account_use(a, s, c, p_moment) in ('yes', 'probe')
      and turnpike.lacks_model(s.lacks, p_model, p_moment) = p_lacking
  ), weighted as materialized (
    select u.provider_id, u.use, w.weight
    from usable u
    left join (select o.provider_id, count(*) as turns from open_turns o where o.provider_id is not null group by 1) f
      on f.provider_id = u.provider_id
    cross join lateral turnpike.account_weight(u.windows, f.turns, p_moment) w
  ), reached as (
    select w.provider_id, w.use, sum(w.weight) over (order by w.provider_id) as reached, sum(w.weight) over () as whole
      from weighted w
  )
  select r.provider_id, r.use
  from reached r
  where r.reached > p_random * r.whole
  order by r.reached limit 1
$$;

-- Returns the accounts of p_accounts that the next call of a run must not use without
-- asking, or null if it may use all.
create function turnpike.unusable_accounts(p_accounts text[], p_moment timestamptz) returns text[]
language plpgsql stable as $$
begin
  if p_accounts = '{}' then
    return null;
  end if;
  return (select array_agg(k.id) from unnest(p_accounts) k(id)
    left join provider_accounts a on a.provider_id = k.id
    left join provider_states s on s.provider_id = k.id
    left join provider_credentials c on c.provider_id = k.id
    where a.provider_id is null or turnpike.account_use(a, s, c, p_moment) <> 'yes');
end $$;

-- Picks an account for each engine of a claimed turn's models. Returns {engine: result of pick_account}.
-- p_models: {pin: row of the catalog}. If several models share an engine, the turn's own model decides.
-- It takes no probe, since the turn may never call that engine.
-- p_served_after: a conversation that was last served before has lost its prompt cache, so
-- its account is no longer bound.
-- p_servers, p_drawn: by engine, as in pick_account.
create function turnpike.pick_accounts(claimed turns, p_models jsonb, p_servers jsonb, p_served_after timestamptz,
  p_drawn jsonb, p_random double precision, p_moment timestamptz) returns jsonb language plpgsql as $$
declare
  own jsonb := p_models -> claimed.model;
  others jsonb := p_models - claimed.model;
  accounts jsonb := '{}';
  bound text;
  picked jsonb;
  engine_of_model text;
  model_name text;
begin
  -- A conversation's first turn has no bound account before its first step.
  if claimed.position > 1 or claimed.epoch > 1 then
    select c.provider_id into bound
      from conversations c
      where c.conversation_id = claimed.conversation_id and c.served_at > p_served_after;
  end if;
  if own ->> 'engine' <> 'rehearsal' then
    picked := turnpike.pick_account(own ->> 'engine', p_servers -> (own ->> 'engine'), own ->> 'model', bound, '{}',
      '{}', p_drawn -> (own ->> 'engine'), p_random, null, p_moment);
    if picked is not null then
      accounts := jsonb_build_object(own ->> 'engine', picked);
    end if;
  end if;
  if others <> '{}' then
    for engine_of_model, model_name in
      select distinct on (m.value ->> 'engine') m.value ->> 'engine', m.value ->> 'model'
        from jsonb_each(others) m
        where m.value ->> 'engine' not in ('rehearsal', coalesce(own ->> 'engine', ''))
        order by m.value ->> 'engine', m.key
    loop
      picked := turnpike.pick_account(engine_of_model, p_servers -> engine_of_model, model_name, bound, '{}', '{}',
        p_drawn -> engine_of_model, p_random, null, p_moment);
      if picked is not null then
        accounts := accounts || jsonb_build_object(engine_of_model, picked);
      end if;
    end loop;
  end if;
  return accounts;
end $$;

-- Lists all callable accounts of an engine at p_servers, for a worker that draws one
-- itself (src/providers/roster.ts).
-- Each is a picked_account with its weight and the versions of its rows. One that lacks some model
-- is listed: a claim checks that.
-- Returns an empty list if there are more than p_most, or if one is due for a probe,
-- which only pick_account can take.
create function turnpike.account_roster(p_engine text, p_servers jsonb, p_most integer, p_moment timestamptz)
returns jsonb language plpgsql stable as $$
begin
  return (select case when count(*) between 1 and p_most
    and not bool_or(l.use = 'probe') then jsonb_agg(l.account order by l.provider_id)
      else '[]' end from (
    select a.provider_id, turnpike.account_use(a, s, c, p_moment) as use, turnpike.picked_account(a, s, c, 'yes', null)
        || jsonb_build_object('weight', w.weight, 'account_row', a.xmin::text, 'credential_row',
          c.xmin::text) as account
    from provider_accounts a
    left join provider_states s on s.provider_id = a.provider_id
    join provider_credentials c on c.provider_id = a.provider_id
    left join (select o.provider_id, count(*) as turns from open_turns o where o.provider_id is not null group by 1) f
      on f.provider_id = a.provider_id
    cross join lateral turnpike.account_weight(s.windows, f.turns, p_moment) w
    where a.engine = p_engine and a.pool <> 'media' and turnpike.serves_pins(a.base_url, p_servers)
      and turnpike.account_use(a, s, c, p_moment) in ('yes', 'probe')
    limit p_most + 1
  ) l);
end $$;
