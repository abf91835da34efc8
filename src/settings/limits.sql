-- The limit for a name in COUNTED (src/base/counted.ts). It is the setting of that name, or of max_ and that name.
create function turnpike.limit_of(p_name text) returns bigint language plpgsql stable as $$
begin
  return turnpike.setting_number(case when p_name = 'kept_versions' then p_name else 'max_' || p_name end);
end $$;

-- The number of items that an account has. Rows are counted up to p_enough; null counts all.
create function turnpike.used_of(p_name text, p_user_id bigint, p_enough bigint) returns bigint
language plpgsql stable as $$
begin
  -- Statements, because an expression would prepare the queries of all branches in each call.
  case p_name
    when 'open_test_turns' then
      return (select count(*) from (select from open_turns o where o.user_id = p_user_id and o.test limit p_enough) n);
    when 'keys' then
      return (select count(*) from (select from api_keys k where k.user_id = p_user_id limit p_enough) n);
    when 'members' then
      return (select count(*) from (select from account_members m where m.account_id = p_user_id limit p_enough) n)
        + (select count(*) from (select from account_invitations i where i.account_id = p_user_id
          and i.ended_at is null limit p_enough) n);
    when 'end_users' then
      return (select count(*) from (select from end_users e where e.user_id = p_user_id limit p_enough) n);
    when 'spaces' then
      return (select count(*) from (select from spaces s where s.user_id = p_user_id limit p_enough) n);
    when 'config_bytes' then
      return coalesce((select a.config_bytes from account_storage a where a.user_id = p_user_id), 0);
    when 'files' then
      return (select count(*) from (select from files f where f.user_id = p_user_id
        and f.state in ('uploading', 'pending', 'ready') limit p_enough) n);
    when 'file_bytes' then
      return (select coalesce(sum(f.bytes), 0) from files f where f.user_id = p_user_id
        and f.state in ('uploading', 'pending', 'ready'));
    else
      return null;
  end case;
end $$;

-- The limit of an account and the number of items that count toward it.
create type turnpike.count_state as (
  cap text,
  "limit" bigint,
  used bigint
);

-- The same for a limit per 24 hours, with the seconds until the next item is allowed.
create type turnpike.daily_count as (
  cap text,
  "limit" bigint,
  used bigint,
  retry_after integer
);

-- Returns the state of a limit if p_more further items would exceed it; otherwise null.
create function turnpike.over_limit(p_name text, p_user_id bigint, p_more bigint) returns turnpike.count_state
language plpgsql as $$
declare
  most bigint := turnpike.limit_of(p_name);
  used bigint := turnpike.used_of(p_name, p_user_id, most);
begin
  return case when used + p_more > most then row(p_name, most, used)::turnpike.count_state end;
end $$;

-- Returns the state of a limit per 24 hours if it is used up; otherwise null.
-- p_oldest: the creation time of the item that is as many items back as the limit; null if there are fewer items.
-- retry_after: the seconds until that item is 24 hours old.
create function turnpike.over_daily(p_name text, p_oldest timestamptz,
  p_moment timestamptz) returns turnpike.daily_count language plpgsql stable as $$
begin
  if coalesce(p_oldest <= p_moment - interval '1 day', true) then
    return null;
  end if;
  return row(p_name, turnpike.limit_of(p_name), turnpike.limit_of(p_name),
    greatest(1, ceil(extract(epoch from p_oldest + interval '1 day' - p_moment))))::turnpike.daily_count;
end $$;

-- The states of all limits except those per 24 hours.
create function turnpike.count_states(p_user_id bigint) returns turnpike.count_state[] language plpgsql stable as $$
begin
  return array(select row(n.name, turnpike.limit_of(n.name),
    turnpike.used_of(n.name, p_user_id, null))::turnpike.count_state
    from unnest(array['open_test_turns', 'keys', 'members', 'end_users', 'spaces', 'config_bytes', 'files',
      'file_bytes']) with ordinality as n(name,
      position) order by n.position);
end $$;
