-- A user as the dashboard shows them. No other columns of a user may leave.
create function turnpike.user_json(u users) returns jsonb language sql stable as $$
  select jsonb_build_object('user_id', u.user_id, 'name', u.name, 'email', u.email, 'email_verified', u.email_verified, 'role', u.role,
    'brand', u.brand, 'created_at', u.created_at)
$$;
