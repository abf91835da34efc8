-- Deletes up to p_limit sessions that expired longer ago than the setting session_days, and as many invitations of
-- members. Returns the number of sessions. The audit log keeps what admins did while acting as users.
create function turnpike.forget_sessions(p_limit integer, p_moment timestamptz) returns integer language plpgsql as $$
declare
  expired_before timestamptz := p_moment - make_interval(days => turnpike.setting_number('session_days')::integer);
  old text[];
begin
  old := array(select n.session_id from sessions n where n.expires_at < expired_before
    order by n.expires_at limit p_limit
    for update skip locked);
  delete from acting_sessions a where a.admin_session_id = any (old);
  delete from sessions n where n.session_id = any (old);
  delete from account_invitations i
    where i.invitation_id = any (array(
    select o.invitation_id
      from account_invitations o
      where o.expires_at < expired_before
      order by o.expires_at limit p_limit for update skip locked));
  return cardinality(old);
end $$;
