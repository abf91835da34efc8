-- A subscription in answers to operators.
create type turnpike.subscription_answer as (
  sub_id integer,
  user_id bigint,
  plan text,
  trial boolean,
  starts_at timestamptz,
  ends_at timestamptz, -- null: no end
  deactivated_at timestamptz, -- null: not deactivated
  note text, -- null
  version integer,
  created_at timestamptz,
  updated_at timestamptz,
  updated_by bigint -- null: the service itself
);

-- Returns null if the subscription does not exist.
create function turnpike.subscription_answer_of(p_sub_id integer) returns turnpike.subscription_answer language sql stable as $$
  select (s.sub_id, s.user_id, s.plan, s.trial, s.starts_at, s.ends_at, s.deactivated_at, s.note, s.version, s.created_at, s.updated_at,
      s.updated_by)::turnpike.subscription_answer from subscriptions s where s.sub_id = p_sub_id
$$;

-- The start of period p_period (from 0) of a subscription: p_period months after its start. In a month without that
-- day, it is the last day of the month (UTC).
create function turnpike.period_begin(p_starts_at timestamptz, p_period integer) returns timestamptz language sql immutable as $$
  select ((p_starts_at at time zone 'UTC') + make_interval(months => p_period)) at time zone 'UTC'
$$;

-- The number of periods that have ended at p_moment, which is also the index of the current period. 0 before the start.
create function turnpike.periods_over(p_starts_at timestamptz, p_moment timestamptz) returns integer language plpgsql immutable as $$
declare
  first timestamp := p_starts_at at time zone 'UTC';
  now timestamp := p_moment at time zone 'UTC';
  months integer := 12 * (extract(year from now) - extract(year from first))::integer
    + (extract(month from now) - extract(month from first))::integer;
begin
  if turnpike.period_begin(p_starts_at, months) > p_moment then
    months := months - 1;
  end if;
  return greatest(months, 0);
end $$;

-- Creates a subscription of a user to a plan in the setting `plans`, for an admin.
-- If the start is in the past, the current period is the first that gets credit.
-- refused: admin, unknown_plan, too_short (it would not end after its start), unknown_user.
create function turnpike.create_subscription(p_request turnpike.request,
  p_once_key text, p_fingerprint text, p_user_id bigint, p_plan text, p_starts_at timestamptz, p_ends_at timestamptz,
  p_note text)
returns table (actor turnpike.caller, already turnpike.earlier_request, refused text, entity turnpike.subscription_answer)
language plpgsql rows 1 as $$
declare
  found turnpike.admin_caller;
  made integer;
begin
  found := turnpike.find_admin(p_request);
  actor := found.caller;
  refused := found.refused;
  if refused is not null then
    return next;
    return;
  end if;
  already := turnpike.used_key(found.caller, p_once_key);
  if already.resource_id is not null then
    entity := turnpike.subscription_answer_of(already.resource_id::integer);
  elsif (turnpike.setting_value('plans') ? p_plan) is not true then
    refused := 'unknown_plan';
  elsif p_ends_at <= p_starts_at then
    refused := 'too_short';
  elsif not exists (select from users u where u.user_id = p_user_id) then
    refused := 'unknown_user';
  else
    insert into subscriptions as s (user_id, plan, starts_at, ends_at, note, credited_periods, created_at, updated_at, updated_by)
    values (p_user_id, p_plan, p_starts_at, p_ends_at, p_note, turnpike.periods_over(p_starts_at, p_request.moment), p_request.moment,
      p_request.moment,
      (found.caller).user_id)
    returning s.sub_id into made;
    perform turnpike.note_key(found.caller, p_once_key, p_fingerprint, made::text, p_request.moment);
    entity := turnpike.subscription_answer_of(made);
    perform turnpike.note_change((found.caller).user_id, 'subscription.create', 'subscription', made::text, null, to_jsonb(entity),
      p_request.request_id,
      p_request.address, p_request.moment);
  end if;
  perform turnpike.note_use(found.caller, p_request.moment);
  return next;
end $$;

-- Edits or deactivates a subscription for an admin. A change that is already in effect does nothing.
-- p_change: the columns to change (plan, ends_at, note). p_deactivate: deactivates it.
-- refused: admin, unknown, stale, ended (a deactivated subscription cannot be edited), unknown_plan, too_short.
create function turnpike.update_subscription(p_request turnpike.request,
  p_sub_id integer, p_change jsonb, p_deactivate boolean, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.subscription_answer) language plpgsql rows 1 as $$
declare
  found turnpike.admin_caller;
  was subscriptions;
  wanted subscriptions;
  before jsonb;
begin
  found := turnpike.find_admin(p_request);
  actor := found.caller;
  refused := found.refused;
  if refused is not null then
    return next;
    return;
  end if;
  select s.* into was from subscriptions s where s.sub_id = p_sub_id for no key update;
  before := to_jsonb(turnpike.subscription_answer_of(p_sub_id));
  wanted := jsonb_populate_record(was, p_change);
  if was.sub_id is null then
    refused := 'unknown';
  elsif turnpike.is_stale(p_if_version, was.version) then
    refused := 'stale';
  elsif was.deactivated_at is not null and not p_deactivate then
    refused := 'ended';
  elsif p_change ? 'plan' and (turnpike.setting_value('plans') ? wanted.plan) is not true then
    refused := 'unknown_plan';
  elsif wanted.ends_at is not null and wanted.ends_at <= was.starts_at then
    refused := 'too_short';
  elsif p_deactivate then
    wanted.deactivated_at := coalesce(was.deactivated_at, p_request.moment);
  end if;
  if refused is null and wanted is distinct from was then
    if wanted.ends_at is distinct from was.ends_at then
      -- A later end can add periods, so the sweeper checks the subscription again. Periods that passed while the
      -- subscription had ended get no credit.
      if turnpike.period_begin(was.starts_at, was.credited_periods) >= was.ends_at then
        wanted.credited_periods := greatest(was.credited_periods, turnpike.periods_over(was.starts_at, p_request.moment));
      end if;
      wanted.crediting := true;
    end if;
    update subscriptions s set plan = wanted.plan, ends_at = wanted.ends_at, note = wanted.note, deactivated_at = wanted.deactivated_at,
      credited_periods = wanted.credited_periods, crediting = wanted.crediting, version = s.version + 1, updated_at = p_request.moment,
        updated_by = (found.caller).user_id where s.sub_id = p_sub_id;
    perform turnpike.note_change((found.caller).user_id, case when p_deactivate then 'subscription.deactivate' else 'subscription.update' end,
      'subscription', p_sub_id::text, before, to_jsonb(turnpike.subscription_answer_of(p_sub_id)), p_request.request_id, p_request.address,
        p_request.moment);
  end if;
  entity := turnpike.subscription_answer_of(p_sub_id);
  perform turnpike.note_use(found.caller, p_request.moment);
  return next;
end $$;
