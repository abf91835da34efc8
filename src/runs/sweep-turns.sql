-- Turns to publish again, the longest due first: running ones, and queued ones that are first in their conversation and not too old.
-- p_after_wake (its wake_key) and p_after_id: the last turn of the previous page; null at first.
create function turnpike.due_turns(p_after_wake text, p_after_id text, p_queued_after timestamptz, p_limit integer, p_moment timestamptz)
returns table (turn_id text, user_id bigint, test boolean, state text, epoch integer, attempts integer, wake_at timestamptz, created_at timestamptz, wake_key text)
language plpgsql as $$
begin
  return query
  select due.turn_id, due.user_id, due.test, due.state, t.epoch, t.attempts, due.wake_at, due.created_at, due.wake_at::text
  from (
    select o.* from open_turns o
    where o.wake_at < 'infinity' and o.wake_at <= p_moment and (o.wake_at, o.turn_id) > (coalesce(p_after_wake::timestamptz, '-infinity'), coalesce(p_after_id, ''))
      -- A look-up for each row, never a join, which would read the whole table.
      and (o.state = 'running' or (o.created_at > p_queued_after and o.position = (
        select e.position from open_turns e where e.conversation_id = o.conversation_id order by e.position limit 1)))
    order by o.wake_at, o.turn_id limit p_limit
  ) due join turns t on t.turn_id = due.turn_id
  order by due.wake_at, due.turn_id;
end $$;

-- How many accounts have queued turns from before a moment that do not wait for another one of their conversation, live and test ones
-- counted apart.
create function turnpike.count_late_accounts(p_before timestamptz) returns table (accounts bigint) language plpgsql as $$
begin
  return query
  select count(*) from (
    select distinct o.user_id, o.test from open_turns o
    where o.wake_at < 'infinity' and o.state = 'queued' and o.created_at < p_before
  ) late;
end $$;
