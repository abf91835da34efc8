-- Records a cost of a turn's model calls that no account pays. p_micros: null if the cost is not known.
-- Test turns cost nothing, so nothing is recorded for them.
create function turnpike.add_loss(mine turns, p_cause text, p_micros bigint, p_moment timestamptz) returns void
language plpgsql as $$
begin
  if not mine.test then
    insert into losses (turn_id, cause, credit_micros, created_at)
      values (mine.turn_id, p_cause, p_micros, p_moment);
  end if;
end $$;

-- Records a loss for a worker whose call was not committed as a step.
-- Returns false and records nothing if the step was committed after all and only the response was lost.
create function turnpike.note_loss(p_turn_id text, p_epoch integer, p_step integer, p_cause text, p_micros bigint,
  p_moment timestamptz)
returns boolean language plpgsql as $$
declare
  mine turns;
begin
  if exists (select from turn_steps p where p.turn_id = p_turn_id and p.step = p_step and p.epoch = p_epoch) then
    return false;
  end if;
  select t.* into mine from turns t where t.turn_id = p_turn_id;
  perform turnpike.add_loss(mine, p_cause, p_micros, p_moment);
  return true;
end $$;

-- Notes the cost of an image that was lost with its worker.
-- Returns false and notes nothing if the image's file was committed after all.
create function turnpike.note_lost_picture(p_turn_id text, p_file_id text, p_cause text, p_micros bigint,
  p_moment timestamptz)
returns boolean language plpgsql as $$
declare
  mine turns;
begin
  if exists (select from files f where f.file_id = p_file_id) then
    return false;
  end if;
  select t.* into mine from turns t where t.turn_id = p_turn_id;
  perform turnpike.add_loss(mine, p_cause, p_micros, p_moment);
  return true;
end $$;
