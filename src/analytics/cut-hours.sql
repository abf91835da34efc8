-- How the parts of days at a range's ends are read: whole hours from first_hour to head_until and from tail_from to last_hour from rollups
-- by the hour and the queue, other than raw_hours, which those rollups do not have whole (usage_hours: broken_down). These and what the
-- range cuts of hours are the spans from raw_from to raw_to.
create function turnpike.cut_hours(p_from timestamptz, p_to timestamptz, out first_hour timestamptz, out head_until timestamptz,
  out tail_from timestamptz, out last_hour timestamptz, out raw_hours timestamptz[], out raw_from timestamptz[], out raw_to timestamptz[])
language plpgsql stable set jit = off as $$
declare
  w record := turnpike.whole_days(p_from, p_to);
begin
  first_hour := least(p_to, date_trunc('hour', p_from + interval '1 hour' - interval '1 microsecond', 'UTC'));
  last_hour := greatest(first_hour, date_trunc('hour', p_to, 'UTC'));
  head_until := least(w.head_until, last_hour);
  tail_from := greatest(w.tail_from, first_hour);
  raw_hours := array(
    select h.hour from (values (first_hour, head_until), (tail_from, last_hour)) e(since, until) cross join lateral (
      select n.* from usage_hours n where n.hour >= e.since and n.hour < e.until offset 0) h
    where h.broken_down is distinct from h.turns + h.calls);
  select array_agg(s.since), array_agg(s.until) into raw_from, raw_to from (
    select min(n.since) as since, max(n.until) as until from (
      select g.since, g.until, count(*) filter (where g.begins) over (order by g.since) as number from (
        select p.since, p.until, p.since is distinct from lag(p.until) over (order by p.since) as begins from (
          select * from (values (p_from, first_hour), (last_hour, p_to)) v(since, until) where v.since < v.until
          union all select r.hour, r.hour + interval '1 hour' from unnest(raw_hours) r(hour)
        ) p) g) n group by n.number) s;
end $$;
