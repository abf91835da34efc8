-- The task tools change nothing for a turn that has ended or that another worker has claimed (p_epoch): they hold a lock on its row
-- that excludes both.

-- Creates a task of a turn, once for each tool call (p_call_key); a repeated call answers the same task. No row: the turn is no longer
-- this worker's.
create function turnpike.create_task(p_turn_id text, p_epoch integer, p_call_key text, p_title text, p_description text, p_flow text,
  p_assign_to_owner boolean, p_moment timestamptz)
returns table (task_id bigint, state text, title text) language plpgsql rows 1 as $$
#variable_conflict use_column
declare
  turn turns;
  space spaces;
begin
  select t.* into turn from turns t
    where t.turn_id = p_turn_id and t.epoch = p_epoch and t.state = 'running' limit 1 for share;
  if not found then
    return;
  end if;
  select s.* into space from spaces s where s.space_id = turn.space_id limit 1;
  insert into tasks (space_id, brand, title, description, flow, end_user_ref, assignee_user_id, creator_user_id, turn_id, call_key,
      created_at, updated_at)
    values (space.space_id, space.brand, p_title, p_description, p_flow, turn.end_user_ref,
      case when p_assign_to_owner then turn.user_id end, turn.user_id, turn.turn_id, p_call_key, p_moment, p_moment)
    on conflict (call_key) do nothing;
  return query select k.task_id, k.state, k.title from tasks k where k.call_key = p_call_key limit 1;
end $$;

-- Changes a task of the turn's space and end user; null fields stay as they are. No row: there is no such task, or the turn is no
-- longer this worker's.
create function turnpike.update_task(p_turn_id text, p_epoch integer, p_task_id bigint, p_state text, p_title text, p_description text,
  p_moment timestamptz)
returns table (task_id bigint, state text, title text) language plpgsql rows 1 as $$
declare
  turn turns;
begin
  select t.* into turn from turns t
    where t.turn_id = p_turn_id and t.epoch = p_epoch and t.state = 'running' limit 1 for share;
  if not found then
    return;
  end if;
  return query update tasks k set state = coalesce(p_state, k.state), title = coalesce(p_title, k.title),
      description = coalesce(p_description, k.description), updated_at = p_moment
    where k.task_id = p_task_id and k.space_id = turn.space_id and k.end_user_ref = turn.end_user_ref
    returning k.task_id, k.state, k.title;
end $$;
