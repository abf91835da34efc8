-- Whether an account may be called: 'yes'; 'probe': its cooling is over, and one call may find out whether it serves again; 'cooling': not
-- now; 'no': not until somebody does something about it. One that is suspended is probed like one that cools.
create function turnpike.account_use(a provider_accounts, s provider_states, c provider_credentials, p_moment timestamptz) returns text
language sql immutable as $$
  select case turnpike.account_state(a.disabled_at, a.health, c.provider_id is not null, c.refreshing_until, null, s.cool_until, s.probe_until, p_moment)
    when 'usable' then case when s.cool_until is null then 'yes' else 'probe' end
    when 'cooling' then 'cooling'
    else 'no'
  end
$$;

-- Whether an account has answered of late that it does not have a model.
create function turnpike.lacks_model(p_lacks jsonb, p_model text, p_moment timestamptz) returns boolean language sql stable as $$
  select coalesce((p_lacks ->> p_model)::timestamptz > p_moment, false)
$$;

-- Whether an account is at the server that the pins of its engine name. p_servers: the spellings of that server in lower case, '' is the engine's own;
-- null: the environment names none, and an account at any server serves them.
create function turnpike.serves_pins(p_base_url text, p_servers jsonb) returns boolean language sql immutable as $$
  select p_servers is null or p_servers ? lower(rtrim(coalesce(p_base_url, ''), '/'))
$$;

-- What a call has to know of the account that was picked for it.
create type turnpike.picked_account as (
  provider_id text,
  kind text,
  engine text,
  base_url text, -- null: the engine's own
  sealed text,
  expires_at timestamptz, -- null: never, or not known
  credential_version integer,
  -- What its windows had used when they were last heard of, by "<resource>:<seconds>".
  windows jsonb,
  -- The models that it has answered it does not have, each until it is asked again.
  lacks jsonb,
  -- This call alone finds out whether it serves again after it has cooled.
  probe boolean,
  -- It is the conversation's, whose prompt cache it has.
  bound boolean
);

create function turnpike.picked_account(a provider_accounts, s provider_states, c provider_credentials, p_use text, p_bound text) returns jsonb
language sql stable as $$
  select to_jsonb((a.provider_id, a.kind, a.engine, a.base_url, c.sealed, c.expires_at, c.version, coalesce(s.windows, '{}'),
    coalesce(s.lacks, '{}'), p_use = 'probe', coalesce(a.provider_id = p_bound, false))::turnpike.picked_account)
$$;

-- Picks an account of an engine, at p_servers as serves_pins takes them, for a call of a model: p_bound (the conversation's, whose prompt cache is warm) while it is usable, else
-- by chance (p_random: numbers from 0 to below 1; the first is for draw_account, the others for sample_account), weighted by the least that is left
-- of any window, less the turns that it serves now. p_tried: not
-- these. One that lacks the model is picked only when all that could be called lack it: then it is asked again.
-- p_preferred: the first of these that may be called without a probe goes before chance.
-- p_drawn: {provider_id, account_row, credential_row} of the account that the worker has drawn by the same rule (src/providers/roster.ts), or
-- null. Where that is as the worker knows it, and may be called, the answer is {provider_id, drawn: true}.
-- Answers a picked_account in JSON, probed until p_probe_until; where that is null no probe is taken, and JSON's null says that the call is to ask.
-- {cooling_until} when there are enabled accounts, but none for this call: the moment of the earliest recovery of one that cools, null when
-- there is none. One that is probed is looked at again after ten seconds. Null when no account of the engine there is enabled.
create function turnpike.pick_account(p_engine text, p_servers jsonb, p_model text, p_bound text, p_tried text[], p_preferred text[], p_drawn jsonb,
  p_random double precision[], p_probe_until timestamptz, p_moment timestamptz) returns jsonb language plpgsql as $$
declare
  left_out text[] := p_tried;
  lacking boolean := false;
  chosen jsonb;
  use text;
  sampled record;
  enabled integer;
  able integer;
  recovers timestamptz;
  drawn_id text;
  account_row xid;
  credential_row xid;
begin
  loop
    chosen := null;
    -- For nobody, the plan would be made anew each time: that one costs nothing to run.
    if p_bound is not null and p_bound <> all (left_out) then
      select turnpike.picked_account(a, s, c, turnpike.account_use(a, s, c, p_moment), p_bound), turnpike.account_use(a, s, c, p_moment)
        into chosen, use
        from provider_accounts a
        left join provider_states s on s.provider_id = a.provider_id
        left join provider_credentials c on c.provider_id = a.provider_id
        where a.provider_id = p_bound and a.engine = p_engine and a.pool <> 'media' and turnpike.serves_pins(a.base_url, p_servers)
          and turnpike.account_use(a, s, c, p_moment) in ('yes', 'probe') and turnpike.lacks_model(s.lacks, p_model, p_moment) = lacking;
    end if;
    if chosen is null and not lacking and left_out = '{}' and p_drawn is not null then
      -- In variables: the plan may read a table as short as these whole, and would take p_drawn apart for each row.
      drawn_id := p_drawn ->> 'provider_id';
      account_row := p_drawn ->> 'account_row';
      credential_row := p_drawn ->> 'credential_row';
      -- A row has another xmin with each change.
      perform from provider_accounts a
        left join provider_states s on s.provider_id = a.provider_id
        join provider_credentials c on c.provider_id = a.provider_id
        where a.provider_id = drawn_id and a.xmin = account_row and c.xmin = credential_row and a.engine = p_engine and a.pool <> 'media'
          and turnpike.serves_pins(a.base_url, p_servers)
          and turnpike.account_use(a, s, c, p_moment) = 'yes' and not turnpike.lacks_model(s.lacks, p_model, p_moment);
      if found then
        return jsonb_build_object('provider_id', drawn_id, 'drawn', true);
      end if;
    end if;
    if chosen is null and p_preferred <> '{}' then
      select turnpike.picked_account(a, s, c, 'yes', p_bound), 'yes' into chosen, use
        from unnest(p_preferred) with ordinality f(id, nth)
        join provider_accounts a on a.provider_id = f.id
        left join provider_states s on s.provider_id = a.provider_id
        left join provider_credentials c on c.provider_id = a.provider_id
        where f.id <> all (left_out) and a.engine = p_engine and a.pool <> 'media' and turnpike.serves_pins(a.base_url, p_servers)
          and turnpike.account_use(a, s, c, p_moment) = 'yes' and turnpike.lacks_model(s.lacks, p_model, p_moment) = lacking
        order by f.nth limit 1;
    end if;
    if chosen is null then
      sampled := turnpike.sample_account(p_engine, p_servers, p_model, lacking, left_out, p_random[2:], p_moment);
      chosen := sampled.account;
      use := sampled.use;
    end if;
    if chosen is null then
      select turnpike.picked_account(a, s, c, d.use, p_bound), d.use into chosen, use
        from turnpike.draw_account(p_engine, p_servers, p_model, lacking, left_out, p_random[1], p_moment) d
        join provider_accounts a on a.provider_id = d.provider_id
        left join provider_states s on s.provider_id = a.provider_id
        left join provider_credentials c on c.provider_id = a.provider_id;
    end if;
    if chosen is null then
      select count(*), count(*) filter (where e.use <> 'no' and not e.lacks),
        coalesce(min(e.recovers) filter (where e.use <> 'no' and not e.lacks), min(e.recovers) filter (where e.use <> 'no'))
        into enabled, able, recovers
        from (
          select turnpike.account_use(a, s, c, p_moment) as use, turnpike.lacks_model(s.lacks, p_model, p_moment) as lacks,
            -- One that this call has tried, and that could be called, is not waited for.
            case when s.cool_until is not null and (turnpike.account_use(a, s, c, p_moment) <> 'probe' or a.provider_id <> all (p_tried))
              then greatest(s.cool_until, p_moment,
                case when s.probe_until > p_moment then least(s.probe_until, p_moment + interval '10 seconds') end) end as recovers
          from provider_accounts a
          left join provider_states s on s.provider_id = a.provider_id
          left join provider_credentials c on c.provider_id = a.provider_id
          where a.engine = p_engine and a.pool <> 'media' and a.disabled_at is null and turnpike.serves_pins(a.base_url, p_servers)
        ) e;
      if (enabled > 0) is not true then
        return null;
      elsif able > 0 or lacking then
        return jsonb_build_object('cooling_until', recovers);
      end if;
      lacking := true;
      continue;
    end if;
    if use = 'probe' then
      if p_probe_until is null then
        return 'null';
      end if;
      -- Never waited for: whoever has the row is about to probe it, or has just heard of it.
      perform from provider_states s where s.provider_id = chosen ->> 'provider_id' and s.cool_until <= p_moment
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

-- The same choice as draw_account makes, without reading the windows of all accounts: each number of p_random names any one of them, which is
-- taken as often as its weight is of 100. No account: there are few, or no number took one, so draw_account is to choose.
create function turnpike.sample_account(p_engine text, p_servers jsonb, p_model text, p_lacking boolean, p_left_out text[],
  p_random double precision[],
  p_moment timestamptz, out account jsonb, out use text) language plpgsql stable as $$
declare
  -- No account that may be called is missing here. Some that are here may not be called: those are not taken.
  ids text[] := array(select a.provider_id from provider_accounts a
    where a.engine = p_engine and a.pool <> 'media' and a.disabled_at is null and a.health = 'healthy' and a.provider_id <> all (p_left_out)
      and turnpike.serves_pins(a.base_url, p_servers));
  many integer := cardinality(ids);
  number double precision;
  taken_id text;
  weight double precision;
begin
  -- To read a few costs no more than to try some of them.
  if many < 10 then
    return;
  end if;
  foreach number in array p_random loop
    -- The whole part names the account; the fraction says whether it is taken.
    number := number * many;
    taken_id := ids[floor(number)::integer + 1];
    select turnpike.picked_account(a, s, c, turnpike.account_use(a, s, c, p_moment), null), turnpike.account_use(a, s, c, p_moment),
        case when turnpike.lacks_model(s.lacks, p_model, p_moment) = p_lacking then w.weight / 100 else 0 end
      into account, use, weight
      from provider_accounts a
      left join provider_states s on s.provider_id = a.provider_id
      left join provider_credentials c on c.provider_id = a.provider_id
      -- A join of its own, since a function is not made part of a statement when one of its arguments is a query.
      cross join lateral (select count(*) as turns from open_turns o where o.provider_id = a.provider_id) f
      cross join lateral turnpike.account_weight(s.windows, f.turns, p_moment) w
      where a.provider_id = taken_id;
    if coalesce(use in ('yes', 'probe') and number - floor(number) < weight, false) then
      return;
    end if;
  end loop;
  account := null;
end $$;

-- What an account has left of its fullest window in per cent, less the turns that it serves now, and at least 1: one that is full still has a
-- weight, since what it has left is known from its last answer only. A window that has ended says nothing.
create function turnpike.account_weight(p_windows jsonb, p_turns bigint, p_moment timestamptz) returns table (weight double precision)
language sql stable rows 1 as $$
  select greatest(1, 100 - coalesce(max((w.value ->> 'used_pct')::double precision), 0) - coalesce(p_turns, 0))
    from jsonb_each(p_windows) w where (w.value ->> 'reset_at')::timestamptz > p_moment
$$;

-- One usable account of an engine by chance, by weight, or no row: of those that have the model, or (p_lacking) of those that lack it.
create function turnpike.draw_account(p_engine text, p_servers jsonb, p_model text, p_lacking boolean, p_left_out text[], p_random double precision,
  p_moment timestamptz) returns table (provider_id text, use text) language sql stable rows 1 as $$
  with usable as (
    select a.provider_id, turnpike.account_use(a, s, c, p_moment) as use, s.windows
    from provider_accounts a
    left join provider_states s on s.provider_id = a.provider_id
    left join provider_credentials c on c.provider_id = a.provider_id
    where a.engine = p_engine and a.pool <> 'media' and a.provider_id <> all (p_left_out) and turnpike.serves_pins(a.base_url, p_servers)
      and turnpike.account_use(a, s, c, p_moment) in ('yes', 'probe') and turnpike.lacks_model(s.lacks, p_model, p_moment) = p_lacking
  ), weighted as materialized (
    select u.provider_id, u.use, w.weight
    from usable u
    left join (select o.provider_id, count(*) as turns from open_turns o where o.provider_id is not null group by 1) f
      on f.provider_id = u.provider_id
    cross join lateral turnpike.account_weight(u.windows, f.turns, p_moment) w
  ), reached as (
    select w.provider_id, w.use, sum(w.weight) over (order by w.provider_id) as reached, sum(w.weight) over () as whole from weighted w
  )
  select r.provider_id, r.use from reached r where r.reached > p_random * r.whole order by r.reached limit 1
$$;

-- Those of p_accounts at which the next call of a run may not begin without asking, null when there are none.
create function turnpike.unusable_accounts(p_accounts text[], p_moment timestamptz) returns text[] language plpgsql stable as $$
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

-- For a turn that is claimed: an account of each engine of its models (p_models: {pin: row of the catalog}) as pick_account answers it, by
-- engine; of several models of an engine, for the turn's own. It takes no probe, since it does not know whether its turn will call that
-- engine at all. p_served_after: an older prompt cache is gone, and the conversation is free to go elsewhere.
-- p_servers, p_drawn: by engine, as pick_account takes them.
create function turnpike.pick_accounts(claimed turns, p_models jsonb, p_servers jsonb, p_served_after timestamptz, p_drawn jsonb,
  p_random double precision[],
  p_moment timestamptz) returns jsonb language plpgsql as $$
declare
  own jsonb := p_models -> claimed.model;
  others jsonb := p_models - claimed.model;
  accounts jsonb := '{}';
  bound text;
  picked jsonb;
  engine_of_model text;
  model_name text;
begin
  -- A conversation's first turn is bound to nobody before its first step.
  if claimed.position > 1 or claimed.epoch > 1 then
    select c.provider_id into bound from conversations c where c.conversation_id = claimed.conversation_id and c.served_at > p_served_after;
  end if;
  if own ->> 'engine' <> 'rehearsal' then
    picked := turnpike.pick_account(own ->> 'engine', p_servers -> (own ->> 'engine'), own ->> 'model', bound, '{}', '{}', p_drawn -> (own ->> 'engine'), p_random,
      null, p_moment);
    if picked is not null then
      accounts := jsonb_build_object(own ->> 'engine', picked);
    end if;
  end if;
  if others <> '{}' then
    for engine_of_model, model_name in
      select distinct on (m.value ->> 'engine') m.value ->> 'engine', m.value ->> 'model' from jsonb_each(others) m
        where m.value ->> 'engine' not in ('rehearsal', coalesce(own ->> 'engine', '')) order by m.value ->> 'engine', m.key
    loop
      picked := turnpike.pick_account(engine_of_model, p_servers -> engine_of_model, model_name, bound, '{}', '{}', p_drawn -> engine_of_model,
        p_random, null, p_moment);
      if picked is not null then
        accounts := accounts || jsonb_build_object(engine_of_model, picked);
      end if;
    end loop;
  end if;
  return accounts;
end $$;

-- All accounts of an engine at p_servers that may be called, for a worker that draws one itself: as picked_account has them, with their weight and the
-- versions of their rows. None when there are more than p_most. And none while one of them is to be tried again after it has cooled, which
-- only pick_account can ask for. One that lacks some model is listed: a claim for that model finds it out.
create function turnpike.account_roster(p_engine text, p_servers jsonb, p_most integer, p_moment timestamptz) returns jsonb language plpgsql stable as $$
begin
  return (select case when count(*) between 1 and p_most and not bool_or(l.use = 'probe') then jsonb_agg(l.account order by l.provider_id)
      else '[]' end from (
    select a.provider_id, turnpike.account_use(a, s, c, p_moment) as use, turnpike.picked_account(a, s, c, 'yes', null)
        || jsonb_build_object('weight', w.weight, 'account_row', a.xmin::text, 'credential_row', c.xmin::text) as account
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
