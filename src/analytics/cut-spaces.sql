-- The p_limit spaces that were billed most in a range, then by id, and what they were billed.
create function turnpike.top_spaces(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table (space_id bigint, billed bigint) language plpgsql stable rows 100 set jit = off as $$
#variable_conflict use_column
begin
  if date_trunc('day', p_from, 'UTC') < p_from or date_trunc('day', p_to, 'UTC') < p_to then
    return query select c.space_id, c.billed from turnpike.cut_spaces(p_from, p_to, p_limit) c;
  else
    return query select r.space_id, r.billed_credit_micros from turnpike.range_spaces(p_from, p_to, p_limit) r;
  end if;
end $$;

-- The same of a range that begins or ends within a day. Nobody was
-- billed more in it than on all days that it touches: those that were billed most there are looked up by the hour, and if that is no
-- proof, all are summed.
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
    select array_agg(u.space_id), array_agg(u.billed) into top, billed_most from (
      select b.space_id, b.billed from turnpike.billed_of_spaces(p_from, p_to, n.space_ids) b
      order by b.billed desc, b.space_id limit p_limit) u;
    if n.bound is null or coalesce(billed_most[p_limit] > n.bound, false) then
      return query select * from unnest(top, billed_most);
      return;
    end if;
  end if;
  return query select r.* from turnpike.rank_spaces(p_from, p_to, p_limit) r;
end $$;

-- Those that were billed most on all days that such a range touches, and what the last of them was billed there, if there may be more;
-- null where the range is too small a part of its days.
create function turnpike.near_spaces(p_from timestamptz, p_to timestamptz, p_limit integer, out space_ids bigint[], out bound bigint)
language plpgsql stable set jit = off as $$
declare
  outer_from timestamptz := date_trunc('day', p_from, 'UTC');
  outer_to timestamptz := date_trunc('day', p_to + interval '24 hours' - interval '1 microsecond', 'UTC');
  times double precision := extract(epoch from outer_to - outer_from) / extract(epoch from p_to - p_from);
  looked integer := 4 + ceil(1.5 * p_limit * least(times, 3));
begin
  if times < 3 then
    select coalesce(array_agg(s.space_id), '{}'), case when count(*) = looked then min(s.billed_credit_micros) end into space_ids, bound
      from turnpike.range_spaces(outer_from, outer_to, looked) s;
  end if;
end $$;

-- What these spaces were billed in a range of at least some hours, in no order; those that used nothing are left out. Only hours that it
-- cuts are read from raw records.
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
    select u.space_id, turnpike.added(u.billed) from (
      select r.space_id, r.billed_credit_micros as billed, r.turns + r.calls as acts
      from turnpike.rolled_of_spaces(p_from, p_to, p_space_ids) r
      union all
      select h.space_id, h.billed_credit_micros, h.turns + h.calls
      from unnest(p_space_ids) k(space_id)
        cross join (values (first_hour, least(w.head_until, last_hour)), (greatest(w.tail_from, first_hour), last_hour)) e(since, until)
        cross join lateral (select n.* from space_hours n
          where n.space_id = k.space_id and n.hour >= e.since and n.hour < e.until offset 0) h
      where e.since < e.until
      union all
      select q.space_id, q.billed_credit_micros, 1
      from usage_queue q where q.ended_at >= first_hour and q.ended_at < last_hour and q.space_id in (select unnest(p_space_ids))
      union all
      select r.space_id, r.billed_credit_micros, 1
      from turnpike.raw_usage(p_from, first_hour) r where p_from < first_hour and r.space_id = any (p_space_ids)
      union all
      select r.space_id, r.billed_credit_micros, 1
      from turnpike.raw_usage(last_hour, p_to) r where last_hour < p_to and r.space_id = any (p_space_ids)
    ) u group by u.space_id having turnpike.added(u.acts) > 0;
end $$;

-- The same by summing all of them, with what raw records say of parts of days.
create function turnpike.rank_spaces(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table (space_id bigint, billed bigint) language plpgsql stable rows 100
set jit = off set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  p record;
begin
  p := turnpike.range_parts(p_from, p_to, 'space_sums', 'space_days');
  return query
    with beside as materialized (
      -- What is in no sum. acts: above 0 where there is anything.
      select m.space_id, turnpike.added(m.billed) as billed, turnpike.added(m.acts) as acts from (
        select d.space_id, p.first_sign * d.billed_credit_micros as billed, p.first_sign * (d.turns + d.calls) as acts
        from space_days d where d.day >= p.first_from and d.day < p.first_to
        union all
        select d.space_id, p.last_sign * d.billed_credit_micros, p.last_sign * (d.turns + d.calls)
        from space_days d where d.day >= p.last_from and d.day < p.last_to
        union all
        select q.space_id, q.billed_credit_micros, 1
        from usage_queue q where q.ended_at >= p.head_until and q.ended_at < p.tail_from
        union all
        select w.space_id, w.billed_credit_micros, 1
        from turnpike.raw_usage(p_from, p.head_until) w where p_from < p.head_until
        union all
        select w.space_id, w.billed_credit_micros, 1
        from turnpike.raw_usage(p.tail_from, p_to) w where p.tail_from < p_to
      ) m group by m.space_id
    ), summed as (
      select s.space_id, s.billed_credit_micros - coalesce(b.billed_credit_micros, 0) as billed,
        s.turns + s.calls - coalesce(b.turns + b.calls, 0) as acts
      from space_sums s left join space_sums b on b.until = p.minus and b.space_id = s.space_id
      where s.until = p.plus
    )
    select coalesce(k.space_id, m.space_id), coalesce(k.billed, 0) + coalesce(m.billed, 0)
    from summed k full join beside m on m.space_id = k.space_id
    where coalesce(k.acts, 0) + coalesce(m.acts, 0) > 0
    order by 2 desc, 1 limit p_limit;
end $$;

-- What these spaces used in a range, in no order; those without any are left out.
create function turnpike.usage_of_spaces(p_from timestamptz, p_to timestamptz, p_space_ids bigint[])
returns table (space_id bigint, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint, tokens_output bigint,
  cost_credit_micros bigint, billed_credit_micros bigint) language plpgsql stable rows 100 set jit = off as $$
#variable_conflict use_column
declare
  p record := turnpike.range_parts(p_from, p_to, null, null);
  c record := turnpike.cut_hours(p_from, p_to);
begin
  return query
    select u.space_id, turnpike.added(u.turns), turnpike.added(u.calls), turnpike.added(u.tokens_input), turnpike.added(u.tokens_cached),
      turnpike.added(u.tokens_output), turnpike.added(u.cost_credit_micros), turnpike.added(u.billed_credit_micros) from (
      select s.space_id, e.sign * s.turns as turns, e.sign * s.calls as calls, e.sign * s.tokens_input as tokens_input,
        e.sign * s.tokens_cached as tokens_cached, e.sign * s.tokens_output as tokens_output,
        e.sign * s.cost_credit_micros as cost_credit_micros, e.sign * s.billed_credit_micros as billed_credit_micros
      from unnest(p_space_ids) k(space_id) cross join (values (p.plus, 1), (p.minus, -1)) e(until, sign) cross join lateral (
        select n.* from space_sums n where n.until = e.until and n.space_id = k.space_id offset 0) s
      union all
      select d.space_id, e.sign * d.turns, e.sign * d.calls, e.sign * d.tokens_input, e.sign * d.tokens_cached, e.sign * d.tokens_output,
        e.sign * d.cost_credit_micros, e.sign * d.billed_credit_micros
      from unnest(p_space_ids) k(space_id)
        cross join (values (p.first_from, p.first_to, p.first_sign), (p.last_from, p.last_to, p.last_sign)) e(since, until, sign)
        cross join lateral (select n.* from space_days n
          where n.space_id = k.space_id and n.day >= e.since and n.day < e.until offset 0) d
      where e.since < e.until
      union all
      select h.space_id, h.turns, h.calls, h.tokens_input, h.tokens_cached, h.tokens_output, h.cost_credit_micros, h.billed_credit_micros
      from unnest(p_space_ids) k(space_id)
        cross join (values (c.first_hour, c.head_until), (c.tail_from, c.last_hour)) e(since, until)
        cross join lateral (select n.* from space_hours n
          where n.space_id = k.space_id and n.hour >= e.since and n.hour < e.until offset 0) h
      where e.since < e.until
      union all
      select q.space_id, q.turns, q.calls, q.tokens_input, q.tokens_cached, q.tokens_output, q.cost_credit_micros, q.billed_credit_micros
      from usage_queue q where q.ended_at >= c.first_hour and q.ended_at < c.last_hour and q.space_id in (select unnest(p_space_ids))
      union all
      select w.space_id, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros, w.billed_credit_micros
      from unnest(c.raw_from, c.raw_to) e(since, until) cross join lateral turnpike.raw_usage(e.since, e.until) w
      where w.space_id = any (p_space_ids)
    ) u group by u.space_id having turnpike.added(u.turns + u.calls) > 0;
end $$;
