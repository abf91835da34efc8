-- The current value of a setting: the value that operators set, or the default.
create function turnpike.setting_value(p_key text) returns jsonb language plpgsql stable as $$
begin
  return coalesce((select s.value from settings s where s.key = p_key), turnpike.setting_default(p_key));
end $$;

-- The current value of a setting that is an integer, limited to its range. The default replaces a value that is not a
-- number.
create function turnpike.setting_number(p_key text) returns bigint language plpgsql stable as $$
declare
  value jsonb := turnpike.setting_value(p_key);
begin
  if jsonb_typeof(value) is distinct from 'number' then
    value := turnpike.setting_default(p_key);
  end if;
  return least(greatest(value::numeric, coalesce(turnpike.setting_least(p_key), 0)),
    turnpike.setting_most(p_key))::bigint;
end $$;

-- The current value of a setting that is a text.
create function turnpike.setting_text(p_key text) returns text language plpgsql stable as $$
declare
  value jsonb := turnpike.setting_value(p_key);
begin
  return case when jsonb_typeof(value) = 'string' then value else turnpike.setting_default(p_key) end #>> '{}';
end $$;
