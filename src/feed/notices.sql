-- Notifies the owner of a changed sign-in factor. p_factor: password, email, identity or second_factor.
create function turnpike.tell_factor(p_user_id bigint, p_factor text, p_change text, p_moment timestamptz) returns void
language plpgsql as $$
begin
  perform turnpike.tell_notice(p_user_id, 'account.factor_changed',
    jsonb_build_object('factor', p_factor, 'change', p_change), p_moment);
end $$;

-- Notifies the owner that the account accepts no passwords for a while.
create function turnpike.tell_locked(p_user_id bigint, p_address text, p_moment timestamptz) returns boolean
language plpgsql as $$
begin
  perform turnpike.tell_notice(p_user_id, 'account.locked', jsonb_build_object('address', p_address), p_moment);
  return true;
end $$;

-- Writes a notice for the owner to the account's feed of live events. A sweep wakes the endpoints that get it.
create function turnpike.tell_notice(p_user_id bigint, p_type text, p_data jsonb, p_moment timestamptz) returns void
language plpgsql as $$
begin
  perform turnpike.add_event(turnpike.event_id_at(p_moment, 5), p_user_id, false, p_type, null, null, null, null,
    p_data, p_moment);
end $$;
