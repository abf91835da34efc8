-- Notes a cost of a turn's model calls that nobody is billed for; p_micros is null when it is not known. Test turns cost nothing.
create function turnpike.add_loss(mine turns, p_cause text, p_micros bigint, p_moment timestamptz) returns void language plpgsql as $$
begin
  if not mine.test then
    insert into losses (turn_id, cause, credit_micros, created_at) values (mine.turn_id, p_cause, p_micros, p_moment);
  end if;
end $$;

-- The same for a worker whose call has no step. Nothing is noted when that step was committed after all and only the answer was lost.
create function turnpike.note_loss(p_turn_id text, p_epoch integer, p_step integer, p_cause text, p_micros bigint, p_moment timestamptz)
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
