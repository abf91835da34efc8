-- An act of an admin on many users at once. One transaction does it for all of them, and one audit entry names them.

create type turnpike.bulk_act as (
  kind text, -- credit, plan, disable
  reason text, -- null: no credit
  amount bigint, -- null: no credit. Credit micros
  plan text, -- null: no plan
  ends_at timestamptz -- null: the plan has no end
);

-- What an act does to one user.
create type turnpike.bulk_outcome as (
  user_id bigint,
  name text, -- null
  email text, -- null
  outcome text, -- changed, unchanged, refused
  -- unknown, balance_too_low, active, last_admin
  refused text, -- null: the user is not refused
  balance_before bigint, -- null: nothing was booked
  balance_after bigint, -- null: nothing was booked
  -- The new subscription, or the one that is active already.
  sub_id integer, -- null: no plan
  plan text, -- null: no plan
  -- The accounts that keep no owner who can sign in.
  only_owner_of turnpike.named_account[] -- null: the user is not disabled
);

-- bulk_id: null for a preview, and if no user was changed.
create type turnpike.bulk_answer as (
  bulk_id text, -- null
  state text,
  outcomes turnpike.bulk_outcome[]
);

-- Acts on one user. p_once_key: null for a preview, which is undone.
create function turnpike.act_on_user(p_admin_id bigint, p_act turnpike.bulk_act, p_user_id bigint, p_once_key text,
  p_note text, p_moment timestamptz) returns turnpike.bulk_outcome language plpgsql as $$
declare
  was users;
  booking turnpike.booking;
  one turnpike.bulk_outcome;
  other integer;
begin
  select u.* into was from users u where u.user_id = p_user_id;
  one := row(p_user_id, was.name, was.email, 'changed', null, null, null, null, null, null);
  if was.user_id is null then
    one.refused := 'unknown';
  elsif p_act.kind = 'credit' then
    booking := turnpike.book_entry(p_user_id, p_act.reason, p_act.amount, null,
      'bulk:' || p_admin_id || ':' || p_once_key || ':' || p_user_id, null, null, 'admin:' || p_admin_id, p_note,
      p_moment);
    one.refused := booking.refused;
    one.balance_after := (booking.entry).balance_after_credit_micros;
    one.balance_before := one.balance_after - p_act.amount;
    if booking.replayed is not false then
      one.outcome := 'unchanged';
    end if;
  elsif p_act.kind = 'plan' then
    other := turnpike.overlapping_subscription(p_user_id, p_moment, p_act.ends_at, '{}');
    if other is not null then
      one.refused := 'active';
      one.sub_id := other;
    else
      one.sub_id := turnpike.insert_subscription(
        row(p_user_id, p_act.plan, p_moment, p_act.ends_at, p_note, null, false), false, p_admin_id, p_moment);
    end if;
    select s.plan into one.plan from subscriptions s where s.sub_id = one.sub_id;
  elsif was.disabled_at is not null then
    one.outcome := 'unchanged';
  elsif turnpike.is_last_admin(was) then
    one.refused := 'last_admin';
  else
    one.only_owner_of := turnpike.only_owner_of(p_user_id);
    perform turnpike.set_disabled(p_user_id, true, p_moment);
    update users u set version = u.version + 1, updated_at = p_moment, updated_by = p_admin_id
      where u.user_id = p_user_id;
  end if;
  if one.refused is not null then
    one.outcome := 'refused';
  end if;
  return one;
end $$;

-- The state of an act: the users that it changes or refuses, and the last act of its kind. So an act cannot be applied
-- twice from one preview. Balances are left out, because turns change them all the time.
create function turnpike.bulk_state(p_act turnpike.bulk_act, p_outcomes turnpike.bulk_outcome[]) returns text
language sql stable as $$
  select encode(sha256(convert_to(jsonb_build_array(to_jsonb(p_act),
    (select max(a.audit_id) from audit_log a where a.action = 'users.' || p_act.kind),
    (select jsonb_agg(jsonb_build_array(o.user_id, o.outcome, o.refused,
      case when o.refused = 'active' then o.sub_id end)
      order by o.user_id) from unnest(p_outcomes) o))::text, 'UTF8')), 'hex')
$$;

-- Acts on users in the order of their ids, and undoes everything if the state is not p_state. Null: a preview.
create function turnpike.act_on_users(p_admin_id bigint, p_act turnpike.bulk_act, p_user_ids bigint[], p_state text,
  p_once_key text, p_note text, p_moment timestamptz, out state text, out outcomes turnpike.bulk_outcome[])
language plpgsql as $$
declare
  id bigint;
begin
  outcomes := '{}';
  begin
    -- All rows in one order, as lock_user. The wallets of credit have that order too.
    perform from users u
      where p_act.kind <> 'credit' and (u.user_id = any (p_user_ids)
        or (p_act.kind = 'disable' and u.role = 'admin' and u.disabled_at is null))
      order by u.user_id for no key update;
    for id in select distinct i from unnest(p_user_ids) i order by i loop
      outcomes := outcomes || turnpike.act_on_user(p_admin_id, p_act, id, p_once_key, p_note, p_moment);
    end loop;
    state := turnpike.bulk_state(p_act, outcomes);
    if p_state is distinct from state then
      raise exception 'undo' using errcode = 'UNDO0';
    end if;
  exception when sqlstate 'UNDO0' then
    null;
  end;
end $$;

-- Says for each user what an act would do now. It does everything and undoes it.
-- refused: admin, unknown_plan, too_short.
create function turnpike.preview_users_change(p_request turnpike.request, p_act turnpike.bulk_act,
  p_user_ids bigint[])
returns table (actor turnpike.caller, refused text, entity turnpike.bulk_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  tried record;
begin
  {{admin.opens row}}
  refused := turnpike.refused_act(p_act, p_request.moment);
  if refused is null then
    tried := turnpike.act_on_users((admin.caller).user_id, p_act, p_user_ids, null, null, null, p_request.moment);
    entity := row(null, tried.state, tried.outcomes);
  end if;
  {{admin.closes row}}
end $$;

-- Returns why an act is refused for all users. Null: it is not refused.
create function turnpike.refused_act(p_act turnpike.bulk_act, p_moment timestamptz) returns text
language plpgsql stable as $$
begin
  if p_act.kind = 'plan' and (turnpike.setting_value('plans') ? p_act.plan) is not true then
    return 'unknown_plan';
  end if;
  return case when p_act.ends_at <= p_moment then 'too_short' end;
end $$;

-- Acts on users, once per Idempotency-Key, if the state is still that of the preview.
-- refused: admin, proof, unknown_plan, too_short, outdated.
-- A repeat returns the outcomes of the first request, from its audit entry.
create function turnpike.change_users(p_request turnpike.request, p_once_key text, p_fingerprint text,
  p_bulk_id text, p_act turnpike.bulk_act, p_user_ids bigint[], p_state text, p_note text)
returns table (actor turnpike.caller, already turnpike.earlier_request, refused text, entity turnpike.bulk_answer)
language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  done record;
begin
  {{admin.opens row}}
  already := turnpike.used_key(admin.caller, p_once_key);
  if already.resource_id is not null then
    select (jsonb_populate_record(null::turnpike.bulk_answer, a.after)).* into entity
      from audit_log a
      where a.subject_type = 'bulk' and a.subject_id = already.resource_id;
  elsif turnpike.lacks_proof(admin.caller, p_request.moment) then
    refused := 'proof';
  else
    refused := turnpike.refused_act(p_act, p_request.moment);
  end if;
  if already.resource_id is null and refused is null then
    done := turnpike.act_on_users((admin.caller).user_id, p_act, p_user_ids, p_state, p_once_key, p_note,
      p_request.moment);
    entity := row(null, done.state, done.outcomes);
    if done.state is distinct from p_state then
      refused := 'outdated';
    elsif exists (select from unnest(done.outcomes) o where o.outcome = 'changed') then
      entity.bulk_id := p_bulk_id;
      perform turnpike.note_key(admin.caller, p_once_key, p_fingerprint, p_bulk_id, p_request.moment);
      perform turnpike.note_change((admin.caller).user_id, 'users.' || p_act.kind, 'bulk', p_bulk_id, null,
        to_jsonb(entity) || jsonb_build_object('act', jsonb_strip_nulls(to_jsonb(p_act)), 'note', p_note),
        p_request.request_id, p_request.address, p_request.moment);
    end if;
  end if;
  {{admin.closes row}}
end $$;
