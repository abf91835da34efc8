-- Returns how to read a range.
-- The days from from_day to to_day are read from rollups and the queue, the rest at both ends from raw records.
-- The usage of these days is the sum before `plus` minus the sum before `minus`, and the days of two spans.
-- Each span is added or subtracted by its sign. `plus` is null if reading only the days is faster.
-- p_sums, p_days: the tables if all of their rows are read, null if only some keys are looked up.
create function turnpike.range_parts(p_from timestamptz, p_to timestamptz, p_sums regclass, p_days regclass,
  out from_day date, out to_day date, out head_until timestamptz, out tail_from timestamptz, out plus date,
  out minus date, out first_from date, out first_to date, out first_sign integer, out last_from date, out last_to date,
  out last_sign integer)
language plpgsql stable as $$
declare
  -- Reading the sums before one mark costs as much as reading this many days.
  days_of_sum double precision;
  oldest date;
  newest date;
  near date;
  away integer;
  also integer;
begin
  from_day := (p_from at time zone 'UTC')::date;
  if from_day::timestamp < p_from at time zone 'UTC' then
    from_day := from_day + 1;
  end if;
  to_day := (p_to at time zone 'UTC')::date;
  head_until := least(p_to, from_day::timestamp at time zone 'UTC');
  tail_from := greatest(head_until, to_day::timestamp at time zone 'UTC');
  select (h.hour at time zone 'UTC')::date into oldest from usage_hours h order by h.hour limit 1;
  select (h.hour at time zone 'UTC')::date + 1 into newest from usage_hours h order by h.hour desc limit 1;
  first_from := greatest(from_day, oldest);
  first_to := least(to_day, newest);
  first_sign := 1;
  if oldest is null or (first_from < first_to) is not true then
    return;
  end if;
  select m.until, abs(greatest(m.until, oldest) - first_from) into near, away
    from (select u.until from usage_marks u union all select '-infinity') m
    order by 2 limit 1;
  select m.until, abs(least(m.until, newest) - first_to) into plus, also
    from (select u.until from usage_marks u union all select 'infinity') m
    order by 2 limit 1;
  days_of_sum := 1;
  if p_sums is not null then
    select (s.reltuples / (1 + (select count(*) from usage_marks))) / greatest(1,
      d.reltuples / (newest - oldest)) into days_of_sum
      from pg_class s, pg_class d
      where s.oid = p_sums and d.oid = p_days and s.reltuples >= 0 and d.reltuples > 0;
  end if;
  if (first_to - first_from > away + also + 2 * days_of_sum and near < plus) is not true then
    plus := null;
    return;
  end if;
  minus := near;
  last_from := least(first_to, plus);
  last_to := greatest(first_to, plus);
  last_sign := case when plus < first_to then 1 else -1 end;
  first_to := greatest(first_from, minus);
  first_sign := case when minus > first_from then 1 else -1 end;
  first_from := least(first_from, minus);
end $$;

-- Returns the length of the whole history of usage, divided by the length of its part in a range.
-- Returns infinity if no part of it is in the range.
create function turnpike.history_in(p_from timestamptz, p_to timestamptz) returns double precision
language plpgsql stable as $$
declare
  oldest timestamptz := (select h.hour from usage_hours h order by h.hour limit 1);
  newest timestamptz := (select h.hour from usage_hours h order by h.hour desc limit 1) + interval '1 hour';
begin
  if least(p_to, newest) > greatest(p_from, oldest) then
    return extract(epoch from newest - oldest) / extract(epoch from least(p_to, newest) - greatest(p_from, oldest));
  end if;
  return 'infinity';
end $$;

-- Estimates how many rows a table by day has per day, from its statistics. Returns null while there is no usage.
create function turnpike.rows_a_day(p_days regclass) returns double precision language plpgsql stable as $$
declare
  oldest timestamptz := (select h.hour from usage_hours h order by h.hour limit 1);
  newest timestamptz := (select h.hour from usage_hours h order by h.hour desc limit 1) + interval '1 hour';
begin
  return (select greatest(0, c.reltuples) from pg_class c where c.oid = p_days) / extract(epoch
    from newest - oldest) * 86400;
end $$;
