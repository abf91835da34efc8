-- Deletes the data of turns whose time to be kept is over. A mark walks over turns by their ids, which sort by time, so
-- a look reads only turns that became due since the last one.

-- The days for which data is kept: the setting, or the days that a space has set. Null: the space has set none.
create function turnpike.retention_days(p_space_id bigint, p_data text) returns integer language plpgsql stable as $$
begin
  if p_space_id = 0 then
    return turnpike.setting_number(p_data || '_days');
  end if;
  return (select (s.retention ->> (p_data || '_days'))::integer from spaces s where s.space_id = p_space_id);
end $$;

-- The mark that is due for the longest time, if any. It comes after all others until p_again. The mark of a setting
-- that was changed is due at once.
create function turnpike.take_retention(p_again timestamptz, p_moment timestamptz) returns retention_marks
language plpgsql as $$
declare
  taken retention_marks;
begin
  update retention_marks m set look_at = p_moment
    where m.space_id = 0 and m.data <> 'account' and m.look_at > p_moment
      and m.days <> turnpike.retention_days(0, m.data);
  update retention_marks m set look_at = p_again
    where (m.space_id, m.data) = (select o.space_id, o.data from retention_marks o where o.look_at <= p_moment
      order by o.look_at limit 1 for no key update skip locked)
    returning m.* into taken;
  return taken;
end $$;

-- The next turns of a mark, in the order of their ids.
create function turnpike.turns_of_mark(mark retention_marks, p_until text, p_limit integer) returns text[]
language plpgsql stable set enable_seqscan = off set enable_sort = off set jit = off as $$
begin
  if mark.space_id <> 0 then
    return array(select t.turn_id from turns t
      where t.space_id = mark.space_id and t.turn_id collate "C" > mark.position and t.turn_id collate "C" < p_until
      order by t.turn_id collate "C" limit p_limit);
  elsif mark.data = 'test_data' then
    return array(select t.turn_id from turns t
      where t.test and t.turn_id collate "C" > mark.position and t.turn_id collate "C" < p_until
      order by t.turn_id collate "C" limit p_limit);
  end if;
  -- Ids have the same order in every collation, because they have only digits and small letters after their prefix.
  return array(select t.turn_id from turns t where t.turn_id > mark.position and t.turn_id < p_until
    order by t.turn_id limit p_limit);
end $$;

-- Moves a mark over at most p_limit turns and deletes their data. looked: the number of these turns; fewer than p_limit
-- if no further turn is due. deleted: the turns that lost data. p_next: the earliest next look.
create function turnpike.forget_turns(p_space_id bigint, p_data text, p_limit integer, p_next timestamptz,
  p_moment timestamptz, out looked integer, out deleted integer) language plpgsql as $$
declare
  mark retention_marks;
  kept_days integer := turnpike.retention_days(p_space_id, p_data);
  ended_before timestamptz := p_moment - make_interval(days => kept_days);
  -- An hour later almost every turn has ended, so the mark leaves almost none.
  lag interval := interval '1 hour';
  ids text[];
  next_at timestamptz;
begin
  looked := 0;
  deleted := 0;
  select m.* into mark
    from retention_marks m
    where m.space_id = p_space_id and m.data = p_data for no key update skip locked;
  if mark.space_id is null or kept_days is null then
    return;
  end if;
  ids := turnpike.turns_of_mark(mark, 'turn_' || turnpike.id_time(ended_before - lag), p_limit);
  looked := cardinality(ids);
  if looked > 0 then
    mark.position := ids[looked];
    deleted := turnpike.forget_data(p_space_id, p_data, ids, ended_before, p_moment);
  end if;
  if looked < p_limit then
    -- The next turn is due when these days have passed since its acceptance. Without one, a later turn is the next.
    ids := turnpike.turns_of_mark(mark, 'turn_~', 1);
    next_at := (select t.created_at from turns t where t.turn_id = any (ids)) + make_interval(days => kept_days) + lag;
    mark.look_at := greatest(p_next, least(next_at, p_moment + interval '1 day'));
  end if;
  update retention_marks m set position = mark.position, days = kept_days, look_at = mark.look_at
    where m.space_id = p_space_id and m.data = p_data;
end $$;

-- How long data is kept after the end of a turn. Null: a space has set nothing. Readers of a turn that is not stored
-- have some minutes for its result.
create function turnpike.kept_for(p_space_id bigint, p_data text) returns interval language plpgsql stable as $$
begin
  return case when p_data in ('unstored', 'unstored_event') then interval '10 minutes'
    else make_interval(days => turnpike.retention_days(p_space_id, p_data)) end;
end $$;

-- Looks again at turns that were not due when their mark passed them. Returns their number.
create function turnpike.forget_left(p_limit integer, p_moment timestamptz) returns integer language plpgsql as $$
declare
  one record;
  looked integer := 0;
begin
  for one in
    with looked_at as (
      select o.turn_id, o.data, o.space_id
        from retention_left o
        where o.look_at <= p_moment
        order by o.look_at limit p_limit for update skip locked
    ), due as (
      delete from retention_left l
        using looked_at d
        where l.turn_id = d.turn_id and l.data = d.data and l.space_id = d.space_id
        returning l.space_id, l.data, l.turn_id
    )
      select d.space_id, d.data, array_agg(d.turn_id) as ids, turnpike.kept_for(d.space_id, d.data) as kept_for
      from due d
      group by 1, 2
      order by 1, 2
  loop
    looked := looked + cardinality(one.ids);
    if one.kept_for is not null then
      perform turnpike.forget_data(one.space_id, one.data, one.ids, p_moment - one.kept_for, p_moment);
    end if;
  end loop;
  return looked;
end $$;
