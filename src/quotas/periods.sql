-- A turn that has waited can continue in a later period of its caps. From then on it counts there. The cost until then
-- stays in the earlier period, as a row of turn_parts. Most turns have no such rows.

-- Returns a turn with the moment whose periods it counts in now as its created_at.
create function turnpike.as_counted(turn turns) returns turns language plpgsql immutable as $$
declare
  counted turns := turn;
begin
  counted.created_at := coalesce(turn.counted_at, turn.created_at);
  return counted;
end $$;

-- Lets a test turn that has waited count in the periods of p_moment, as roll_period does for live turns. It holds only
-- its cost. Returns the turn afterwards.
create function turnpike.roll_test_turn(mine turns, p_moment timestamptz) returns turns language plpgsql as $$
declare
  was turns := turnpike.as_counted(mine);
  spent bigint := mine.rehearsed_cost_credit_micros - coalesce(mine.past_credit_micros, 0);
  rolled turns;
begin
  if mine.rehearsed_hold_credit_micros is null
    or date_trunc('day', was.created_at, 'UTC') = date_trunc('day', p_moment, 'UTC') then
    return mine;
  end if;
  update turns t set counted_at = p_moment, past_credit_micros = t.rehearsed_cost_credit_micros
    where t.turn_id = mine.turn_id
    returning t.* into rolled;
  perform turnpike.count_test_spends(mine.user_id, array[row(was, spent, -spent)::turnpike.turn_spend]);
  return rolled;
end $$;

-- Lets a turn that holds only its cost count in the periods of p_moment and in the window p_window.
-- p_shard: the shard that the caller has locked, as in count_spends. Returns the turn afterwards.
create function turnpike.roll_period(mine turns, p_window timestamptz, p_shard integer, p_moment timestamptz)
returns turns language plpgsql as $$
declare
  was turns := turnpike.as_counted(mine);
  spent bigint := mine.cost_credit_micros - coalesce(mine.past_credit_micros, 0);
  rolled turns;
begin
  if mine.test then
    return turnpike.roll_test_turn(mine, p_moment);
  end if;
  if date_trunc('day', was.created_at, 'UTC') = date_trunc('day', p_moment, 'UTC')
    and was.window_started_at is not distinct from p_window then
    return mine;
  end if;
  if mine.counted_at is null then
    insert into turn_parts (
        turn_id, user_id, key_id, space_id, member_id, end_user_ref, counted_at,
        window_started_at, spent_credit_micros)
    values (
        mine.turn_id, mine.user_id, mine.key_id, mine.space_id, mine.member_id, mine.end_user_ref, mine.created_at,
        mine.window_started_at, spent);
  else
    update turn_parts p set spent_credit_micros = spent
      where p.turn_id = mine.turn_id and p.spent_credit_micros is null;
  end if;
  insert into turn_parts (
      turn_id, user_id, key_id, space_id, member_id, end_user_ref, counted_at, window_started_at)
  values (
      mine.turn_id, mine.user_id, mine.key_id, mine.space_id, mine.member_id, mine.end_user_ref, p_moment, p_window);
  update turns t set counted_at = p_moment, window_started_at = p_window, past_credit_micros = t.cost_credit_micros
    where t.turn_id = mine.turn_id
    returning t.* into rolled;
  perform turnpike.count_spends(mine.user_id, array[row(was, spent, -spent)::turnpike.turn_spend,
    row(turnpike.as_counted(rolled), 0, 0)::turnpike.turn_spend], p_shard);
  return rolled;
end $$;

-- Takes the cost of a lost turn out of the earlier periods in which it counted.
create function turnpike.uncount_parts(mine turns, p_shard integer) returns void language plpgsql as $$
declare
  part turn_parts;
  counted turns := mine;
begin
  for part in select p.*
    from turn_parts p
    where p.turn_id = mine.turn_id and p.spent_credit_micros > 0
    order by p.counted_at loop
    counted.created_at := part.counted_at;
    counted.window_started_at := part.window_started_at;
    perform turnpike.count_spend(counted, -part.spent_credit_micros, 0, p_shard);
  end loop;
end $$;
