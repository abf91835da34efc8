-- A setting in answers to operators.
create type turnpike.setting_answer as (
  key text,
  value jsonb,
  version integer,
  updated_at timestamptz,
  updated_by bigint, -- null: the command line
  updated_by_name text -- null
);

-- Returns null if the setting was never set.
create function turnpike.setting_answer_of(p_key text) returns turnpike.setting_answer language sql stable as $$
  select (s.key, s.value, s.version, s.updated_at, u.user_id, u.name)::turnpike.setting_answer
    from settings s
      left join users u on u.user_id = s.updated_by
    where s.key = p_key
$$;

-- Sets a setting for an admin, and writes an audit entry. Does nothing if the setting already has that value.
-- refused: admin, stale, plan_in_use (an active subscription has a plan that would be removed), no_factor (the setting
-- requires a second factor of admins, and the caller has none).
create function turnpike.put_setting(p_request turnpike.request,
  p_key text, p_value jsonb, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.setting_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was settings;
  given text;
begin
  {{admin.opens row}}
  -- An advisory lock, because a setting that was never set has no row to lock.
  perform pg_advisory_xact_lock(hashtext('setting'), hashtext(p_key));
  select s.* into was from settings s where s.key = p_key;
  if p_key = 'plans' then
    -- A subscription whose plan is not in the setting has no cap and gets no credit.
    select s.plan into given
      from subscriptions s
      where s.deactivated_at is null and (s.ends_at is null or s.ends_at > p_request.moment)
      and was.value ? s.plan and not p_value ? s.plan
      order by s.sub_id limit 1;
  end if;
  if turnpike.is_stale(p_if_version, coalesce(was.version, 0)) then
    refused := 'stale';
  elsif given is not null then
    refused := 'plan_in_use';
  elsif p_key = 'admin_second_factor' and p_value = '"required"'
    and not turnpike.has_factor((admin.caller).user_id) then
    refused := 'no_factor';
  elsif was.value is distinct from p_value then
    insert into settings as s (key, value, updated_at, updated_by)
      values (p_key, p_value, p_request.moment, (admin.caller).user_id)
      on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at,
        updated_by = excluded.updated_by, version = s.version + 1;
    perform turnpike.note_change((admin.caller).user_id, 'setting.update', 'setting', p_key,
      jsonb_build_object('value', was.value), jsonb_build_object('value', p_value), p_request.request_id,
      p_request.address, p_request.moment);
  end if;
  entity := turnpike.setting_answer_of(p_key);
  {{admin.closes row}}
end $$;
