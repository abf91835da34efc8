-- How many an account may have of what COUNTED names (src/base/counted.ts), and kept_versions: the setting max_….
create function turnpike.limit_of(p_name text) returns bigint language plpgsql stable as $$
begin
  return turnpike.setting_number(case p_name when 'kept_versions' then p_name else 'max_' || p_name end);
end $$;

-- What an account has of each, up to p_enough where that is counted one by one.
create function turnpike.used_of(p_name text, p_user_id bigint, p_enough bigint) returns bigint language plpgsql stable as $$
begin
  return case p_name
    when 'open_test_turns' then (select count(*) from (select from open_turns o where o.user_id = p_user_id and o.test limit p_enough) n)
    when 'spaces' then (select count(*) from (select from spaces s where s.user_id = p_user_id limit p_enough) n)
    when 'config_bytes' then coalesce((select a.config_bytes from account_storage a where a.user_id = p_user_id), 0)
    when 'files' then (select count(*) from (select from files f where f.user_id = p_user_id
      and f.state in ('uploading', 'pending', 'ready') limit p_enough) n)
    when 'file_bytes' then (select coalesce(sum(f.bytes), 0) from files f where f.user_id = p_user_id
      and f.state in ('uploading', 'pending', 'ready')) end;
end $$;

-- The state {cap, limit, used} of one of them when p_more does not fit; else null.
create function turnpike.over_limit(p_name text, p_user_id bigint, p_more bigint) returns jsonb language plpgsql as $$
declare
  most bigint := turnpike.limit_of(p_name);
  used bigint := turnpike.used_of(p_name, p_user_id, most);
begin
  return case when used + p_more > most then jsonb_build_object('cap', p_name, 'limit', most, 'used', used) end;
end $$;

-- The states of all of them.
create function turnpike.count_states(p_user_id bigint) returns jsonb language plpgsql stable as $$
begin
  return (select jsonb_agg(jsonb_build_object('cap', n.name, 'limit', turnpike.limit_of(n.name),
      'used', turnpike.used_of(n.name, p_user_id, null)) order by n.position)
    from unnest(array['open_test_turns', 'spaces', 'config_bytes', 'files', 'file_bytes']) with ordinality as n(name, position));
end $$;
