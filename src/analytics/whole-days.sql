-- Returns the whole days (UTC) of a range: from from_day to to_day, which is exclusive.
-- The parts before head_until and from tail_from on belong to days that the range cuts.
create function turnpike.whole_days(p_from timestamptz, p_to timestamptz, out from_day date, out to_day date,
  out head_until timestamptz, out tail_from timestamptz) language plpgsql stable as $$
begin
  -- The day is added to the date. Added to the timestamp, it could have 23 hours in a session outside UTC.
  from_day := ((p_from - interval '1 microsecond') at time zone 'UTC')::date + 1;
  to_day := p_to at time zone 'UTC';
  head_until := least(p_to, from_day::timestamp at time zone 'UTC');
  tail_from := greatest(head_until, to_day::timestamp at time zone 'UTC');
end $$;
