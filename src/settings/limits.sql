-- How many an account may have of what COUNTED names (src/base/counted.ts), or for how long: the setting of that name, or max_….
create function turnpike.limit_of(p_name text) returns bigint language plpgsql stable as $$
begin
  return turnpike.setting_number(case when p_name in ('kept_versions', 'test_data_days') then p_name else 'max_' || p_name end);
end $$;

-- What an account has of each, up to p_enough where that is counted one by one.
create function turnpike.used_of(p_name text, p_user_id bigint, p_enough bigint) returns bigint language plpgsql stable as $$
begin
  return case p_name
    when 'open_test_turns' then (select count(*) from (select from open_turns o where o.user_id = p_user_id and o.test limit p_enough) n)
    when 'keys' then (select count(*) from (select from api_keys k where k.user_id = p_user_id limit p_enough) n)
    when 'end_users' then (select count(*) from (select from end_users e where e.user_id = p_user_id limit p_enough) n)
    when 'spaces' then (select count(*) from (select from spaces s where s.user_id = p_user_id limit p_enough) n)
    when 'config_bytes' then coalesce((select a.config_bytes from account_storage a where a.user_id = p_user_id), 0)
    when 'files' then (select count(*) from (select from files f where f.user_id = p_user_id
      and f.state in ('uploading', 'pending', 'ready') limit p_enough) n)
    when 'file_bytes' then (select coalesce(sum(f.bytes), 0) from files f where f.user_id = p_user_id
      and f.state in ('uploading', 'pending', 'ready')) end;
end $$;

-- What an account has of one of them.
create type turnpike.count_state as (
  cap text,
  "limit" bigint,
  used bigint
);

-- The same of one that counts what was made within a day, with the seconds until there is room again.
create type turnpike.daily_count as (
  cap text,
  "limit" bigint,
  used bigint,
  retry_after integer
);

-- The state of one of them when p_more does not fit; else null.
create function turnpike.over_limit(p_name text, p_user_id bigint, p_more bigint) returns turnpike.count_state language plpgsql as $$
declare
  most bigint := turnpike.limit_of(p_name);
  used bigint := turnpike.used_of(p_name, p_user_id, most);
begin
  return case when used + p_more > most then row(p_name, most, used)::turnpike.count_state end;
end $$;

-- The state of one that counts what was made within a day, when there is room for no more; else null. p_oldest: when the one was made
-- that is as many back as the limit allows. retry_after: in how many seconds it is a day old.
create function turnpike.over_daily(p_name text, p_oldest timestamptz,
  p_moment timestamptz) returns turnpike.daily_count language plpgsql stable as $$
begin
  if coalesce(p_oldest <= p_moment - interval '1 day', true) then
    return null;
  end if;
  return row(p_name, turnpike.limit_of(p_name), turnpike.limit_of(p_name),
    greatest(1, ceil(extract(epoch from p_oldest + interval '1 day' - p_moment))))::turnpike.daily_count;
end $$;

-- The states of all of them that are not of a day.
create function turnpike.count_states(p_user_id bigint) returns turnpike.count_state[] language plpgsql stable as $$
begin
  return array(select row(n.name, turnpike.limit_of(n.name), turnpike.used_of(n.name, p_user_id, null))::turnpike.count_state
    from unnest(array['open_test_turns', 'keys', 'end_users', 'spaces', 'config_bytes', 'files', 'file_bytes']) with ordinality as n(name,
      position) order by n.position);
end $$;
