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
  alongside boolean,
  version integer,
  created_at timestamptz,
  updated_at timestamptz,
  updated_by bigint -- null: the service itself
);

-- Returns null if the subscription does not exist.
create function turnpike.subscription_answer_of(p_sub_id integer) returns turnpike.subscription_answer
language sql stable as $$
  select (s.sub_id, s.user_id, s.plan, s.trial, s.starts_at, s.ends_at, s.deactivated_at, s.note, s.alongside,
    s.version, s.created_at, s.updated_at, s.updated_by)::turnpike.subscription_answer
    from subscriptions s
    where s.sub_id = p_sub_id
$$;

-- The start of period p_period (from 0) of a subscription: p_period months after its start. In a month without that
-- day, it is the last day of the month (UTC).
create function turnpike.period_begin(p_starts_at timestamptz, p_period integer) returns timestamptz
language sql immutable as $$
  select ((p_starts_at at time zone 'UTC') + make_interval(months => p_period)) at time zone 'UTC'
$$;

-- The number of periods that have ended at p_moment, which is also the index of the current period. 0 before the start.
create function turnpike.periods_over(p_starts_at timestamptz, p_moment timestamptz) returns integer
language plpgsql immutable as $$
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

-- The first subscription of a user that is active in a part of the time from p_from to p_to (exclusive; null: no end).
-- Returns null if there is none. Trials are left out, because a trial counts only without another plan.
-- p_but: subscriptions to leave out.
create function turnpike.overlapping_subscription(p_user_id bigint, p_from timestamptz, p_to timestamptz,
  p_but integer[]) returns integer
language sql stable as $$
  select s.sub_id
    from subscriptions s
    where s.user_id = p_user_id and not s.trial and s.deactivated_at is null and s.sub_id <> all (p_but)
      and (s.ends_at is null or s.ends_at > p_from) and (p_to is null or (p_to > p_from and s.starts_at < p_to))
    order by s.starts_at, s.sub_id limit 1
$$;

create type turnpike.new_subscription as (
  user_id bigint,
  plan text,
  starts_at timestamptz,
  ends_at timestamptz, -- null: no end
  note text, -- null
  replaces integer, -- null: it replaces none
  alongside boolean
);

-- Ends a subscription that another one replaces from p_starts_at on: at that time, or at once if that is not later.
create function turnpike.end_replaced(p_request turnpike.request, p_admin_id bigint, p_former subscriptions,
  p_starts_at timestamptz)
returns void language plpgsql as $$
declare
  before jsonb := to_jsonb(turnpike.subscription_answer_of(p_former.sub_id));
  is_later boolean := p_starts_at > p_request.moment and p_starts_at > p_former.starts_at;
begin
  update subscriptions s set ends_at = case when is_later then p_starts_at else s.ends_at end,
      deactivated_at = case when not is_later then p_request.moment end, version = s.version + 1,
      updated_at = p_request.moment, updated_by = p_admin_id
    where s.sub_id = p_former.sub_id;
  perform turnpike.note_change(p_admin_id,
    case when is_later then 'subscription.update' else 'subscription.deactivate' end, 'subscription',
    p_former.sub_id::text, before, to_jsonb(turnpike.subscription_answer_of(p_former.sub_id)), p_request.request_id,
    p_request.address, p_request.moment);
end $$;

-- Inserts a subscription, whose user the caller has locked. If its start is in the past, the current period is the
-- first that gets credit. p_alongside: another one is active at the same time.
create function turnpike.insert_subscription(p_subscription turnpike.new_subscription, p_alongside boolean,
  p_admin_id bigint, p_moment timestamptz) returns integer language plpgsql as $$
declare
  new_sub_id integer;
begin
  insert into subscriptions as s (
      user_id, plan, starts_at, ends_at,
      note, alongside, credited_periods, created_at, updated_at,
      updated_by)
  values (
      p_subscription.user_id, p_subscription.plan, p_subscription.starts_at, p_subscription.ends_at,
      p_subscription.note, p_alongside, turnpike.periods_over(p_subscription.starts_at, p_moment), p_moment, p_moment,
      p_admin_id)
  returning s.sub_id into new_sub_id;
  return new_sub_id;
end $$;

-- Creates a subscription of a user to a plan in the setting `plans`, for an admin.
-- The subscription in `replaces` ends when the new one starts; at once if the new one has started.
-- refused: admin, unknown_plan, too_short (it would not end after its start), unknown_user, unknown_replaced
-- (the user has no such subscription), replaced_ended (it ends before the new one starts), active.
-- active: another subscription is active at the same time, and alongside is false. It is the entity.
create function turnpike.create_subscription(p_request turnpike.request,
  p_once_key text, p_fingerprint text, p_subscription turnpike.new_subscription)
returns table (actor turnpike.caller, already turnpike.earlier_request, refused text,
  entity turnpike.subscription_answer)
language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  is_known boolean;
  former subscriptions;
  other integer;
  new_sub_id integer;
begin
  {{admin.opens row}}
  already := turnpike.used_key(admin.caller, p_once_key);
  if already.resource_id is not null then
    entity := turnpike.subscription_answer_of(already.resource_id::integer);
  elsif (turnpike.setting_value('plans') ? p_subscription.plan) is not true then
    refused := 'unknown_plan';
  elsif p_subscription.ends_at <= p_subscription.starts_at then
    refused := 'too_short';
  else
    -- A concurrent request for the same user waits for this lock, and then sees the subscription of this one.
    perform from users u where u.user_id = p_subscription.user_id for no key update;
    is_known := found;
    select s.* into former
      from subscriptions s
      where s.sub_id = p_subscription.replaces and s.user_id = p_subscription.user_id for no key update;
    other := turnpike.overlapping_subscription(p_subscription.user_id,
      greatest(p_subscription.starts_at, p_request.moment), p_subscription.ends_at,
      array_remove(array[former.sub_id], null));
    if is_known is not true then
      refused := 'unknown_user';
    elsif p_subscription.replaces is not null and former.sub_id is null then
      refused := 'unknown_replaced';
    elsif former.deactivated_at is not null
      or (former.ends_at <= greatest(p_subscription.starts_at, p_request.moment)) is true then
      refused := 'replaced_ended';
      entity := turnpike.subscription_answer_of(former.sub_id);
    elsif other is not null and not p_subscription.alongside then
      refused := 'active';
      entity := turnpike.subscription_answer_of(other);
    else
      if former.sub_id is not null then
        perform turnpike.end_replaced(p_request, (admin.caller).user_id, former, p_subscription.starts_at);
      end if;
      new_sub_id := turnpike.insert_subscription(p_subscription, other is not null, (admin.caller).user_id,
        p_request.moment);
      perform turnpike.note_key(admin.caller, p_once_key, p_fingerprint, new_sub_id::text, p_request.moment);
      entity := turnpike.subscription_answer_of(new_sub_id);
      perform turnpike.note_change((admin.caller).user_id, 'subscription.create', 'subscription', new_sub_id::text,
        null, to_jsonb(entity), p_request.request_id, p_request.address, p_request.moment);
    end if;
  end if;
  {{admin.closes row}}
end $$;

-- Edits or deactivates a subscription for an admin. A change that is already in effect does nothing.
-- p_change: the columns to change (plan, ends_at, note, alongside). p_deactivate: deactivates it.
-- refused: admin, unknown, stale, ended (a deactivated subscription cannot be edited), unknown_plan, too_short,
-- active (with its new end, it would be active at the same time as the subscription `other`).
create function turnpike.update_subscription(p_request turnpike.request,
  p_sub_id integer, p_change jsonb, p_deactivate boolean, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.subscription_answer,
  other turnpike.subscription_answer)
language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was subscriptions;
  wanted subscriptions;
  before jsonb;
  other_id integer;
begin
  {{admin.opens row}}
  -- The same lock as for a new subscription, and taken before that of the row.
  perform from users u
    where u.user_id = (select s.user_id from subscriptions s where s.sub_id = p_sub_id) for no key update;
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
  elsif not was.trial and not wanted.alongside and wanted.ends_at is distinct from was.ends_at then
    -- An earlier end, and an overlap that exists already, are no reason to refuse.
    other_id := turnpike.overlapping_subscription(was.user_id, greatest(was.starts_at, was.ends_at, p_request.moment),
      wanted.ends_at, array[p_sub_id]);
    if was.ends_at is not null and other_id is not null then
      refused := 'active';
      other := turnpike.subscription_answer_of(other_id);
    end if;
  end if;
  if refused is null and wanted is distinct from was then
    if wanted.ends_at is distinct from was.ends_at then
      -- A later end can add periods, so the sweeper checks the subscription again. Periods that passed while the
      -- subscription had ended get no credit.
      if turnpike.period_begin(was.starts_at, was.credited_periods) >= was.ends_at then
        wanted.credited_periods := greatest(was.credited_periods,
          turnpike.periods_over(was.starts_at, p_request.moment));
      end if;
      wanted.crediting := true;
      -- The credited period now has more time.
      update subscription_credits c set ends_at = greatest(c.ends_at,
        least(turnpike.period_begin(was.starts_at, was.credited_periods), wanted.ends_at))
        where c.sub_id = p_sub_id and c.starts_at = turnpike.period_begin(was.starts_at, was.credited_periods - 1);
    end if;
    update subscriptions s set plan = wanted.plan, ends_at = wanted.ends_at, note = wanted.note,
      alongside = wanted.alongside, deactivated_at = wanted.deactivated_at, credited_periods = wanted.credited_periods,
      crediting = wanted.crediting, version = s.version + 1, updated_at = p_request.moment,
      updated_by = (admin.caller).user_id
      where s.sub_id = p_sub_id;
    perform turnpike.note_change((admin.caller).user_id,
      case when p_deactivate then 'subscription.deactivate' else 'subscription.update' end, 'subscription',
      p_sub_id::text, before, to_jsonb(turnpike.subscription_answer_of(p_sub_id)), p_request.request_id,
      p_request.address, p_request.moment);
  end if;
  entity := turnpike.subscription_answer_of(p_sub_id);
  {{admin.closes row}}
end $$;
