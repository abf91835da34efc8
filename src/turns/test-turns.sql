-- How many test turns an account has, of those that are open or of a day, when there may be no other one.
create type turnpike.test_turn_count as (
  cap text,
  "limit" bigint,
  used bigint,
  -- Seconds until there is room again.
  retry_after integer -- null: when one of those that are open has ended
);

-- Null while an account may have another open test turn, and another one of this day; else {cap, limit, used}, of a day with retry_after. Live turns have no such bound: they are bounded by what
-- they hold.
create function turnpike.test_turns_left(p_user_id bigint, p_moment timestamptz) returns turnpike.test_turn_count
language plpgsql as $$
declare
  open turnpike.count_state;
  made turnpike.daily_count;
begin
  -- Those of other requests are counted when they have committed. Whoever waits here holds nothing but their own Idempotency-Key.
  perform pg_advisory_xact_lock(hashtext('test turns'), hashtext(p_user_id::text));
  open := turnpike.over_limit('open_test_turns', p_user_id, 1);
  if open.cap is not null then
    return row(open.cap, open."limit", open.used, null)::turnpike.test_turn_count;
  end if;
  made := turnpike.over_daily('daily_test_turns', (select t.created_at from turns t where t.user_id = p_user_id and t.test
    order by t.turn_id collate "C" desc offset turnpike.limit_of('daily_test_turns') - 1 limit 1), p_moment);
  return row(made.cap, made."limit", made.used, made.retry_after)::turnpike.test_turn_count;
end $$;
