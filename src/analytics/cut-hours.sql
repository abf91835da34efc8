-- Returns how to read the parts of days at the ends of a range.
-- Whole hours are read from hourly rollups and the queue: first_hour to head_until, and tail_from to last_hour.
-- The parts of hours that the range cuts are read from raw records: the spans from raw_from to raw_to.
create function turnpike.cut_hours(p_from timestamptz, p_to timestamptz, out first_hour timestamptz,
  out head_until timestamptz, out tail_from timestamptz, out last_hour timestamptz, out raw_from timestamptz[],
  out raw_to timestamptz[])
language plpgsql stable set jit = off as $$
declare
  w record := turnpike.whole_days(p_from, p_to);
begin
  first_hour := least(p_to, date_trunc('hour', p_from + interval '1 hour' - interval '1 microsecond', 'UTC'));
  last_hour := greatest(first_hour, date_trunc('hour', p_to, 'UTC'));
  head_until := least(w.head_until, last_hour);
  tail_from := greatest(w.tail_from, first_hour);
  select array_agg(s.since), array_agg(s.until) into raw_from, raw_to
    from (values (p_from, first_hour), (last_hour, p_to)) s(since, until)
    where s.since < s.until;
end $$;
