-- What a setting says now: the operators' value, else its default.
create function turnpike.setting_value(p_key text) returns jsonb language plpgsql stable as $$
begin
  return coalesce((select s.value from settings s where s.key = p_key), turnpike.setting_default(p_key));
end $$;

-- The same of a whole number, limited to 0 and its highest value. A value that is no number counts as not set.
create function turnpike.setting_number(p_key text) returns bigint language plpgsql stable as $$
declare
  value jsonb := turnpike.setting_value(p_key);
begin
  if jsonb_typeof(value) is distinct from 'number' then
    value := turnpike.setting_default(p_key);
  end if;
  return least(greatest(value::numeric, 0), turnpike.setting_most(p_key))::bigint;
end $$;

-- The same of a text.
create function turnpike.setting_text(p_key text) returns text language plpgsql stable as $$
declare
  value jsonb := turnpike.setting_value(p_key);
begin
  return case when jsonb_typeof(value) = 'string' then value else turnpike.setting_default(p_key) end #>> '{}';
end $$;
