-- The caps as they are shown to users.

-- Returns the caps of a key and of its account's plan at a moment, without the limits of end users.
-- Empty for a test key, whose own caps bind no turn.
create function turnpike.key_caps(p_key_id text, p_user_id bigint, p_test boolean, p_moment timestamptz)
returns turnpike.cap_state[]
language plpgsql stable as $$
begin
  if p_test or not turnpike.has_caps(p_user_id, p_key_id, null, p_moment, null) then
    return '{}';
  end if;
  return array(select s
    from turnpike.cap_states(p_user_id, p_key_id, null, p_moment, turnpike.open_window(p_key_id, p_moment), null) s
    order by s.cap);
end $$;

-- Returns the daily and the monthly limit of an end user. p_key_id: the key whose default limits apply; null: no key.
create function turnpike.end_user_caps(p_user_id bigint, p_key_id text, p_test boolean, p_end_user text,
  p_moment timestamptz)
returns turnpike.cap_state[] language plpgsql stable as $$
begin
  if p_test then
    return array(select s from turnpike.test_cap_states(p_user_id, p_key_id, p_end_user, p_moment) s order by s.cap);
  end if;
  if not turnpike.has_caps(p_user_id, p_key_id, p_end_user, p_moment, null) then
    return '{}';
  end if;
  return array(select s from turnpike.cap_states(p_user_id, p_key_id, p_end_user, p_moment, null, null) s
    where s.kind = 'end_user'
    order by s.cap);
end $$;
