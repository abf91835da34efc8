-- Returns the p_limit spaces that were billed most in a range, then by id, with their billed amounts.
-- p_brand: null for the accounts of all brands.
create function turnpike.top_spaces(p_from timestamptz, p_to timestamptz, p_limit integer, p_brand text)
returns table (space_id bigint, billed bigint) language plpgsql stable rows 100 set jit = off as $$
#variable_conflict use_column
begin
  if p_brand is not null then
    return query select r.space_id, r.billed_credit_micros
      from turnpike.range_spaces_of(p_from, p_to, p_limit, p_brand) r;
  elsif date_trunc('day', p_from, 'UTC') < p_from or date_trunc('day', p_to, 'UTC') < p_to then
    return query select c.space_id, c.billed from turnpike.cut_spaces(p_from, p_to, p_limit) c;
  else
    return query select r.space_id, r.billed_credit_micros from turnpike.range_spaces(p_from, p_to, p_limit) r;
  end if;
end $$;

-- Returns the same for a range that begins or ends within a day.
-- A space was billed no more in the range than on all days that the range touches.
-- So the top spaces of those days are summed by the hour. If they prove nothing, all spaces are summed.
create function turnpike.cut_spaces(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table (space_id bigint, billed bigint) language plpgsql stable rows 100 set jit = off as $$
#variable_conflict use_column
declare
  n record;
  top bigint[];
  billed_most bigint[];
begin
  n := turnpike.near_spaces(p_from, p_to, p_limit);
  if n.space_ids is not null then
    select array_agg(u.space_id), array_agg(u.billed) into top, billed_most
      from (
      select b.space_id, b.billed
      from turnpike.billed_of_spaces(p_from, p_to, n.space_ids) b
      order by b.billed desc, b.space_id limit p_limit) u;
    if n.bound is null or coalesce(billed_most[p_limit] > n.bound, false) then
      return query select * from unnest(top, billed_most);
      return;
    end if;
  end if;
  return query select r.* from turnpike.rank_spaces(p_from, p_to, p_limit) r;
end $$;

-- Returns what these spaces were billed in a range of at least a few hours, in any order.
-- Spaces without usage are omitted. Only hours that the range cuts are read from raw records.
create function turnpike.billed_of_spaces(p_from timestamptz, p_to timestamptz, p_space_ids bigint[])
returns table (space_id bigint, billed bigint) language plpgsql stable rows 100 set jit = off as $$
#variable_conflict use_column
declare
  w record;
  first_hour timestamptz := date_trunc('hour', p_from + interval '1 hour' - interval '1 microsecond', 'UTC');
  last_hour timestamptz := date_trunc('hour', p_to, 'UTC');
begin
  w := turnpike.whole_days(p_from, p_to);
  return query
    select u.space_id, turnpike.added(u.billed)
      from (
      select r.space_id, r.billed_credit_micros as billed, r.turns + r.calls + r.refunded_credit_micros as acts
      from turnpike.rolled_of_spaces(p_from, p_to, p_space_ids) r
      union all
      select h.space_id, h.billed_credit_micros, h.turns + h.calls + h.refunded_credit_micros
      from unnest(p_space_ids) k(space_id)
        cross join (values (first_hour, least(w.head_until, last_hour)),
          (greatest(w.tail_from, first_hour), last_hour)) e(since, until)
        cross join lateral (select n.* from space_hours n
          where n.space_id = k.space_id and n.hour >= e.since and n.hour < e.until offset 0) h
      where e.since < e.until
      union all
      select q.space_id, q.billed_credit_micros, 1
      from usage_queue q
      where q.ended_at >= first_hour and q.ended_at < last_hour and q.space_id in (select unnest(p_space_ids))
      union all
      select r.space_id, r.billed_credit_micros, 1
      from turnpike.raw_usage(p_from, first_hour) r
      where p_from < first_hour and r.space_id = any (p_space_ids)
      union all
      select r.space_id, r.billed_credit_micros, 1
      from turnpike.raw_usage(last_hour, p_to) r
      where last_hour < p_to and r.space_id = any (p_space_ids)
    ) u
      group by u.space_id
      having turnpike.added(u.acts) > 0;
end $$;
