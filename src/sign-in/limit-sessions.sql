-- Enforces the session limits of a user after `new_session` was inserted.
-- Ends the least recently used open sessions beyond 100 (mostOpen of SESSION_POLICY in src/sign-in/policies.ts).
-- Deletes ended or expired sessions beyond the newest 300 (mostKept).
-- Sessions that wait for a code are counted separately. So a client that knows only the password cannot end another
-- session.
create function turnpike.limit_sessions(new_session sessions, p_moment timestamptz) returns void
language plpgsql as $$
begin
  update sessions n set ended_at = p_moment
    where n.session_id = any (array(select s.session_id from sessions s
      where s.user_id = new_session.user_id and s.ended_at is null and s.factor_due = new_session.factor_due
        and s.session_id <> new_session.session_id
      order by s.last_seen_at desc, s.session_id collate "C" desc offset 99 for no key update skip locked));
  delete from sessions n
    where n.session_id = any (array(select s.session_id from sessions s where s.user_id = new_session.user_id
      order by s.session_id collate "C" desc offset 300 for update skip locked))
      and (n.ended_at is not null or n.expires_at <= p_moment)
      and not exists (select from acting_sessions a where a.admin_session_id = n.session_id);
end $$;
