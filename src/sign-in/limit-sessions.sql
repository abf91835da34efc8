-- Beside a new session, ends what its user has beyond 100 open ones (mostOpen of SESSION_POLICY in src/sign-in/policies.ts), those first
-- that were used longest ago, and forgets what is over beyond the newest 300 (mostKept). Sessions that wait for a code count for
-- themselves: whoever knows a password alone ends no other session.
create function turnpike.limit_sessions(made sessions, p_moment timestamptz) returns void
language plpgsql as $$
begin
  update sessions n set ended_at = p_moment from (select s.session_id from sessions s
      where s.user_id = made.user_id and s.ended_at is null and s.factor_due = made.factor_due and s.session_id <> made.session_id
      order by s.last_seen_at desc, s.session_id collate "C" desc offset 99 for no key update skip locked) beyond
    where n.session_id = beyond.session_id;
  delete from sessions n using (select s.session_id from sessions s where s.user_id = made.user_id
      order by s.session_id collate "C" desc offset 300 for update skip locked) old
    where n.session_id = old.session_id and (n.ended_at is not null or n.expires_at <= p_moment)
      and not exists (select from acting_sessions a where a.admin_session_id = n.session_id);
end $$;
