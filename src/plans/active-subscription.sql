-- The subscription of an account that is active at a moment. If there are several, the one that started last; a
-- trial only if there is no other. The planner inlines this function into the calling query.
create function turnpike.active_subscription(p_user_id bigint, p_moment timestamptz) returns table (
  sub_id integer, plan text, trial boolean, starts_at timestamptz, ends_at timestamptz) language sql stable rows 1 as $$
  select s.sub_id, s.plan, s.trial, s.starts_at, s.ends_at
    from subscriptions s
    where s.user_id = p_user_id and s.deactivated_at is null and s.starts_at <= p_moment
      and (s.ends_at is null or s.ends_at > p_moment)
    order by s.trial, s.starts_at desc, s.sub_id desc limit 1
$$;
