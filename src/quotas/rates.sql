-- Rates with the open turns that they count.
create type turnpike.rates_state as (
  rates jsonb, -- null: none
  -- The turns of the key and of the end user that are queued or running: {key, end_user}.
  open_turns jsonb -- null: not limited
);

-- The rates of a caller with one end user: of the key, and of the end user (its own, else the key's default, else the
-- account's). Null: none.
-- p_own: the end user's rate. p_usual: the account's default.
create function turnpike.rates_of(caller turnpike.caller, p_own jsonb, p_usual jsonb) returns jsonb
language sql immutable as $$
  select case when num_nonnulls(caller.rate, p_own, caller.end_user_rate, p_usual) > 0
    then jsonb_strip_nulls(jsonb_build_object('user_id', caller.user_id, 'test', caller.test, 'key_id', caller.key_id,
    'key', caller.rate, 'end_user', coalesce(p_own, caller.end_user_rate, p_usual))) end
$$;

-- Adds the open turns of a key and of an end user to their rates.
create function turnpike.state_of_rates(p_rates jsonb, p_end_user text) returns turnpike.rates_state
language plpgsql stable as $$
declare
  state turnpike.rates_state;
begin
  state.rates := p_rates;
  if (p_rates -> 'key' ? 'concurrent_turns' or p_rates -> 'end_user' ? 'concurrent_turns') is true then
    select jsonb_build_object('key', count(*) filter (where t.key_id = p_rates ->> 'key_id'),
        'end_user', count(*) filter (where t.end_user_ref = p_end_user and t.key_id is not null)) into state.open_turns
      from open_turns o
      join turns t on t.turn_id = o.turn_id
      where o.user_id = (p_rates -> 'user_id')::bigint and o.test = (p_rates -> 'test')::boolean
        and o.state in ('queued', 'running');
  end if;
  return state;
end $$;

-- The rate of a key alone.
create function turnpike.key_rates(p_key_id text) returns turnpike.rates_state language plpgsql stable as $$
begin
  return turnpike.state_of_rates((select jsonb_build_object('user_id', k.user_id, 'test', k.test, 'key_id', k.key_id,
    'key', k.rate)
    from api_keys k
    where k.key_id = p_key_id and k.rate is not null), '');
end $$;
