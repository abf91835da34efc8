-- Returns the state of an account: disabled, needs_login, contained, suspended, cooling or usable.
-- p_opened: it has a credential.
-- A refresh that never ended may have used up the refresh token, so the stored token may be invalid: contained.
create function turnpike.account_state(p_disabled_at timestamptz, p_health text, p_opened boolean,
  p_refreshing_until timestamptz, p_suspended_at timestamptz, p_cool_until timestamptz, p_probe_until timestamptz,
  p_moment timestamptz) returns text language sql immutable as $$
  select case
    when p_disabled_at is not null then 'disabled'
    when p_health = 'needs_login' or not p_opened then 'needs_login'
    when p_health = 'contained' or p_refreshing_until <= p_moment then 'contained'
    when p_suspended_at is not null then 'suspended'
    when p_cool_until > p_moment or (p_cool_until is not null and p_probe_until > p_moment) then 'cooling'
    else 'usable' end
$$;

-- Returns whether an account is the only enabled and healthy one of its pool.
-- A cooling account counts as healthy, since it recovers by itself. A suspended account does
-- not: it may never serve again.
create function turnpike.is_last_healthy(p_provider_id text, p_pool text, p_moment timestamptz) returns boolean
language sql stable as $$
  select coalesce(bool_or(a.provider_id = p_provider_id) and count(*) = 1, false)
  from provider_accounts a
    join provider_credentials c on c.provider_id = a.provider_id
    left join provider_states s on s.provider_id = a.provider_id
  where a.pool = p_pool
    and turnpike.account_state(a.disabled_at, a.health, true, c.refreshing_until, s.suspended_at, null, null,
      p_moment) = 'usable'
$$;

-- Lists the windows of a provider_states row. After a window has ended, its use is unknown (null), not 0.
create function turnpike.windows_at(p_windows jsonb, p_moment timestamptz)
returns table (resource text, window_seconds integer, used_pct numeric, reset_at timestamptz, taken_at timestamptz)
language sql stable as $$
  select split_part(w.key, ':', 1), split_part(w.key, ':', 2)::integer,
    case when n.ends_at > p_moment then (w.value ->> 'used_pct')::numeric end,
    case when n.ends_at > p_moment then (w.value ->> 'reset_at')::timestamptz end, n.taken_at
  from jsonb_each(p_windows) w
    cross join lateral (select (w.value ->> 'taken_at')::timestamptz as taken_at) t
    cross join lateral (select t.taken_at, coalesce((w.value ->> 'reset_at')::timestamptz,
      t.taken_at + split_part(w.key, ':', 2)::integer * interval '1 second') as ends_at) n
$$;

-- Lists the model calls of an ended turn that belong to an account or plan. Calls of web chats
-- are included, test data is not.
-- subscription_id: the provider_id of an account in a pool, or the sub_id of a user's plan, which has only digits.
create function turnpike.subscribed_calls(p_turn_id text)
returns table (subscription_id text, settled_at timestamptz, called_at timestamptz, tokens_input bigint,
  tokens_cached bigint, tokens_output bigint, cost_credit_micros bigint, billed_credit_micros bigint)
language sql stable as $$
  select c.subscription_id, c.settled_at, c.created_at, c.tokens_input, c.tokens_cached, c.tokens_output,
    coalesce(c.provider_credit_micros, c.cost_credit_micros), c.billed_credit_micros
  from model_calls c
  where c.turn_id = p_turn_id and c.subscription_id is not null and c.settled_at is not null and not c.test
$$;

-- Lists the model calls of an ended turn that accounts of pools served.
create function turnpike.served_calls(p_turn_id text)
returns table (subscription_id text, settled_at timestamptz, called_at timestamptz, tokens_input bigint,
  tokens_cached bigint, tokens_output bigint, cost_credit_micros bigint, billed_credit_micros bigint)
language sql stable as $$
  select s.* from turnpike.subscribed_calls(p_turn_id) s where s.subscription_id !~ '^[0-9]+$'
$$;

-- One window of an account, as last reported.
create type turnpike.account_window as (
  resource text,
  window_seconds integer,
  used_pct numeric, -- null: not known
  reset_at timestamptz, -- null: not known
  taken_at timestamptz
);

-- An account as admins see it. It shows when the credential expires and whether it is being
-- refreshed, but never the credential.
create type turnpike.provider_answer as (
  provider_id text,
  pool text,
  name text,
  kind text,
  engine text,
  base_url text, -- null: the engine's own
  state text,
  last_healthy boolean, -- it is the only enabled and healthy account of its pool
  disabled_at timestamptz, -- null: it is enabled
  disabled_reason text, -- null
  health text,
  health_at timestamptz, -- null: from the beginning
  cool_until timestamptz, -- null
  cool_reason text, -- null
  suspended_at timestamptz, -- null: it is not suspended
  suspended_reason text, -- null
  in_flight bigint,
  windows turnpike.account_window[],
  has_credential boolean,
  token_expires_at timestamptz, -- null: never, or not known
  refreshing_until timestamptz, -- null: its credential is not being refreshed
  last_used_at timestamptz, -- null: no calls
  model_calls bigint,
  tokens_input bigint,
  tokens_cached bigint,
  tokens_output bigint,
  cost_credit_micros bigint,
  billed_credit_micros bigint,
  version integer,
  created_at timestamptz,
  updated_at timestamptz,
  updated_by bigint, -- null: the command line
  updated_by_name text -- null
);

-- Returns accounts, the oldest first, with their usage of the last 30 days (UTC, including today).
create function turnpike.provider_rows(p_ids text[], p_moment timestamptz) returns setof turnpike.provider_answer
language sql stable as $$
  with recent as materialized (
    select v.subscription_id, count(*) as model_calls, sum(v.tokens_input) as tokens_input,
      sum(v.tokens_cached) as tokens_cached, sum(v.tokens_output) as tokens_output, sum(v.cost_credit_micros) as cost,
      sum(v.billed_credit_micros) as billed, max(v.called_at) as last_call_at
    from turn_ends e
      cross join lateral turnpike.served_calls(e.turn_id) v
    where e.turns = 1 and v.settled_at >= (date_trunc('day', p_moment, 'UTC') - interval '29 days')
    group by v.subscription_id
  )
  select (a.provider_id, a.pool, a.name, a.kind, a.engine, a.base_url,
    turnpike.account_state(a.disabled_at, a.health, c.provider_id is not null, c.refreshing_until, s.suspended_at,
      s.cool_until, s.probe_until, p_moment),
    turnpike.is_last_healthy(a.provider_id, a.pool, p_moment), a.disabled_at, a.disabled_reason,
    case when a.health = 'healthy' and s.suspended_at is not null then 'suspended' else a.health end, a.health_at,
    s.cool_until, s.cool_reason, s.suspended_at, s.suspended_reason,
    (select count(*) from open_turns o where o.provider_id = a.provider_id),
    array(select (w.resource, w.window_seconds, w.used_pct, w.reset_at, w.taken_at)::turnpike.account_window
      from turnpike.windows_at(coalesce(s.windows, '{}'), p_moment) w order by w.resource collate "C",
        w.window_seconds),
    c.provider_id is not null, c.expires_at, c.refreshing_until,
    greatest(r.last_call_at, (select h.last_call_at from account_days h where h.subscription_id = a.provider_id
      order by h.day desc limit 1)),
    coalesce(d.model_calls, 0) + coalesce(r.model_calls, 0), coalesce(d.tokens_input, 0) + coalesce(r.tokens_input, 0),
    coalesce(d.tokens_cached, 0) + coalesce(r.tokens_cached, 0),
    coalesce(d.tokens_output, 0) + coalesce(r.tokens_output, 0), coalesce(d.cost, 0) + coalesce(r.cost, 0),
    coalesce(d.billed, 0) + coalesce(r.billed, 0), a.version, a.created_at, a.updated_at, a.updated_by,
    u.name)::turnpike.provider_answer
  from provider_accounts a
    left join provider_states s on s.provider_id = a.provider_id
    left join provider_credentials c on c.provider_id = a.provider_id
    left join users u on u.user_id = a.updated_by
    left join recent r on r.subscription_id = a.provider_id
    left join lateral (select sum(h.model_calls) as model_calls, sum(h.tokens_input) as tokens_input,
      sum(h.tokens_cached) as tokens_cached, sum(h.tokens_output) as tokens_output, sum(h.cost_credit_micros) as cost,
      sum(h.billed_credit_micros) as billed
      from account_days h where h.subscription_id = a.provider_id
        and h.day > (p_moment at time zone 'UTC')::date - 30) d on true
  where a.provider_id = any(p_ids)
  order by a.created_at, a.provider_id collate "C"
$$;

-- Lists accounts for an admin.
-- p_pool: alt-pool, or main, which also lists the accounts of alt-pool that have an API key.
-- refused: admin.
create function turnpike.list_providers(p_request turnpike.request, p_pool text)
returns table (actor turnpike.caller, refused text, entity turnpike.provider_answer[]) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  ids text[];
begin
  {{admin.opens row}}
  ids := array(select a.provider_id from provider_accounts a
    where a.pool = p_pool or (p_pool = 'main' and a.pool = 'alt-pool' and a.kind = 'api_key'));
  entity := array(select r from turnpike.provider_rows(ids, p_request.moment) r);
  {{admin.closes row}}
end $$;
