-- The task tools change nothing if the turn has ended or another worker has claimed it (p_epoch).
-- Their lock on the turn's row excludes both.

-- Creates a task of a turn, once per tool call (p_call_key). A repeated call returns the same task.
-- p_flow: the flow to which the task is added as the next step, or null.
-- Returns no row if the turn no longer belongs to this worker.
create function turnpike.create_task(p_turn_id text, p_epoch integer, p_call_key text, p_title text, p_description text,
  p_flow text, p_assign_to_owner boolean, p_moment timestamptz)
returns table (task_id bigint, state text, title text, flow turnpike.task_flow) language plpgsql rows 1 as $$
#variable_conflict use_column
declare
  turn turns;
  space spaces;
  place integer;
begin
  if p_flow is not null then
    -- This lock gives concurrent steps different places. No other lock is held yet.
    perform pg_advisory_xact_lock(hashtext('flow'), hashtext(
      (select t.space_id::text || ' ' || t.end_user_ref || ' ' || p_flow from turns t
        where t.turn_id = p_turn_id limit 1)));
  end if;
  select t.* into turn
    from turns t
    where t.turn_id = p_turn_id and t.epoch = p_epoch and t.state = 'running' limit 1 for share;
  if not found then
    return;
  end if;
  select s.* into space from spaces s where s.space_id = turn.space_id limit 1;
  if p_flow is not null then
    select coalesce(max(k.flow_place), 0) + 1 into place
      from tasks k
      where k.space_id = turn.space_id and k.end_user_ref = turn.end_user_ref and k.flow = p_flow;
  end if;
  insert into tasks (
      space_id, brand, title, description, flow, flow_place, end_user_ref,
      assignee_user_id, creator_user_id, turn_id, call_key, created_at, updated_at)
    values (
      space.space_id, space.brand, p_title, p_description, p_flow, place, turn.end_user_ref,
      case when p_assign_to_owner then turn.user_id end, turn.user_id, turn.turn_id, p_call_key, p_moment, p_moment)
    on conflict (call_key) do nothing;
  return query select k.task_id, k.state, k.title,
    turnpike.flow_of(k)
    from tasks k
    where k.call_key = p_call_key limit 1;
end $$;

-- A task of a flow.
create type turnpike.flow_step as (
  task_id bigint,
  place integer,
  title text,
  state text
);

-- The flow of a task with its steps in order. place: the place of the task itself.
create type turnpike.task_flow as (
  name text,
  place integer,
  steps turnpike.flow_step[]
);

-- Returns the flow of a task with at most 100 steps, or null if the task belongs to no flow.
create function turnpike.flow_of(task tasks) returns turnpike.task_flow language plpgsql stable as $$
begin
  if task.flow is null then
    return null;
  end if;
  return row(task.flow, task.flow_place, array(select row(n.task_id, n.flow_place, n.title, n.state)::turnpike.flow_step
    from tasks n where n.space_id = task.space_id and n.end_user_ref = task.end_user_ref and n.flow = task.flow
    order by n.flow_place, n.task_id limit 100))::turnpike.task_flow;
end $$;

-- Changes a task of the turn's space and end user. Null arguments leave their fields unchanged.
-- Returns no row if the task does not exist, or if the turn no longer belongs to this worker.
create function turnpike.update_task(p_turn_id text, p_epoch integer, p_task_id bigint, p_state text, p_title text,
  p_description text, p_moment timestamptz)
returns table (task_id bigint, state text, title text, flow turnpike.task_flow) language plpgsql rows 1 as $$
declare
  turn turns;
  changed tasks;
begin
  select t.* into turn
    from turns t
    where t.turn_id = p_turn_id and t.epoch = p_epoch and t.state = 'running' limit 1 for share;
  if not found then
    return;
  end if;
  update tasks k set state = coalesce(p_state, k.state), title = coalesce(p_title, k.title),
      description = coalesce(p_description, k.description), updated_at = p_moment
    where k.task_id = p_task_id and k.space_id = turn.space_id and k.end_user_ref = turn.end_user_ref
    returning k.* into changed;
  if changed.task_id is not null then
    return query select changed.task_id, changed.state, changed.title, turnpike.flow_of(changed);
  end if;
end $$;
