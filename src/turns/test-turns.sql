-- A limit of test turns that an account has reached: for open turns, or for a day.
create type turnpike.test_turn_count as (
  cap text,
  "limit" bigint,
  used bigint,
  -- Seconds until the account can send another one.
  retry_after integer -- null: when an open test turn has ended
);

-- Returns the limit of test turns that an account has reached, or only nulls if it may send another one.
-- retry_after is set for the limit of a day. Live turns have no such limit, because their holds bound them.
create function turnpike.test_turns_left(p_user_id bigint, p_moment timestamptz) returns turnpike.test_turn_count
language plpgsql as $$
declare
  open turnpike.count_state;
  used_today turnpike.daily_count;
begin
  -- Waits for other test turns to commit, so that they are counted. The waiting
  -- transaction holds only the lock of its Idempotency-Key.
  perform pg_advisory_xact_lock(hashtext('test turns'), hashtext(p_user_id::text));
  open := turnpike.over_limit('open_test_turns', p_user_id, 1);
  if open.cap is not null then
    return row(open.cap, open."limit", open.used, null)::turnpike.test_turn_count;
  end if;
  used_today := turnpike.over_daily('daily_test_turns',
    (select t.created_at from turns t where t.user_id = p_user_id and t.test
    order by t.turn_id collate "C" desc offset turnpike.limit_of('daily_test_turns') - 1 limit 1), p_moment);
  return row(used_today.cap, used_today."limit", used_today.used, used_today.retry_after)::turnpike.test_turn_count;
end $$;
