-- expand entity: space, user

-- Returns the p_limit {{entity}}s whose turns that ended in a range were billed most, then by id, with their usage.
-- {{entity}}s without usage are omitted. The queue is read once for all of them.
create function turnpike.range_{{entity}}s(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table ({{entity}}_id bigint, {{rollups.columns}}) language plpgsql stable rows 100 set jit = off as $$
#variable_conflict use_column
declare
  n record;
  found_sums {{entity}}_sums[];
  -- The {{entity}}s that are read of each day. With fewer, days differ too much to prove a result.
  most integer := 100 + p_limit * 5 / 2;
begin
  if date_trunc('day', p_from, 'UTC') < p_from or date_trunc('day', p_to, 'UTC') < p_to then
    n := turnpike.near_{{entity}}s(p_from, p_to, p_limit);
    if n.{{entity}}_ids is not null then
      select array_agg(row(null, u.*)::{{entity}}_sums) into found_sums
        from (
        select o.*
          from turnpike.usage_of_{{entity}}s(p_from, p_to, n.{{entity}}_ids) o
          order by o.billed_credit_micros desc, o.{{entity}}_id limit p_limit) u;
    end if;
    if n.{{entity}}_ids is not null and (n.bound is null or found_sums[p_limit].billed_credit_micros > n.bound) then
      return query select u.{{entity}}_id, {{rollups.measures u}} from unnest(found_sums) u;
      return;
    end if;
    return query
      select u.*
      from turnpike.usage_of_{{entity}}s(p_from, p_to,
        array(select r.{{entity}}_id from turnpike.rank_{{entity}}s(p_from, p_to, p_limit) r)) u
      order by u.billed_credit_micros desc, u.{{entity}}_id;
    return;
  end if;
  -- With more {{entity}}s to look up one by one, summing all of them is faster.
  if p_limit * turnpike.history_in(p_from, p_to) <= 10 * p_limit + 4000 then
    return query select s.* from turnpike.likely_{{entity}}s(p_from, p_to, p_limit) s;
    if found then
      return;
    end if;
  end if;
  if p_to < p_from + interval '32 days' and turnpike.rows_a_day('{{entity}}_days') > 6 * most then
    return query select s.* from turnpike.leading_{{entity}}s(p_from, p_to, p_limit, most) s;
    if found then
      return;
    end if;
  end if;
  return query select s.* from turnpike.all_{{entity}}s(p_from, p_to, p_limit) s;
end $$;

-- Returns the same for whole days, by summing only few {{entity}}s. Returns no rows if they prove nothing.
-- A {{entity}} was billed no more in a range than in total, rolled up or queued.
-- So only {{entity}}s matter whose total reaches the bill of the last listed {{entity}} in the range.
-- That is few in a long range, but may be most of them in a short one.
create function turnpike.likely_{{entity}}s(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table ({{entity}}_id bigint, {{rollups.columns}}) language plpgsql stable rows 100
set jit = off set enable_sort = off set work_mem = '32MB' set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  most integer := 10 * p_limit + 4000;
  earlier date := (select max(m.until) from usage_marks m where m.until <= (p_from at time zone 'UTC')::date);
begin
  return query
    with queued as materialized (
      select q.{{entity}}_id, {{rollups.added q}}
      from usage_queue q
      where q.ended_at >= p_from and q.ended_at < p_to
      group by q.{{entity}}_id
    ), first as materialized (
      select s.{{entity}}_id
      from {{entity}}_sums s
      where s.until = 'infinity'
      order by s.billed_credit_micros desc, s.{{entity}}_id limit p_limit + p_limit / 8
    ), summed as materialized (
      select r.*
      from turnpike.rolled_of_{{entity}}s(p_from, p_to, array(select f.{{entity}}_id from first f)) r
      union all
      select q.*
      from queued q
      where q.{{entity}}_id in (select f.{{entity}}_id from first f)
    ), bound as materialized (
      select turnpike.added(u.billed_credit_micros) as billed
        from summed u
        group by u.{{entity}}_id
        order by 1 desc offset p_limit - 1 limit 1
    ), rich as materialized (
      select s.{{entity}}_id, s.billed_credit_micros as billed
        from bound b, {{entity}}_sums s
        where b.billed > 0
        and s.until = 'infinity' and s.billed_credit_micros >= b.billed - b.billed / 10
        and s.{{entity}}_id not in (select f.{{entity}}_id from first f)
      limit most
    ), near as materialized (
      -- A {{entity}} that reaches the bound has nine tenths of it in the sums since the last mark
      -- before the range. Or it has at least a tenth of it in the queue, and the rest in these sums.
      select r.{{entity}}_id from bound b, rich r left join lateral (
        select n.billed_credit_micros as billed
          from {{entity}}_sums n
          where n.until = earlier and n.{{entity}}_id = r.{{entity}}_id offset 0) e on true
        where r.billed - coalesce(e.billed, 0) >= b.billed - b.billed / 10
      union
      select q.{{entity}}_id from bound b, queued q
        left join lateral (
          select n.billed_credit_micros as billed
            from {{entity}}_sums n
            where n.until = 'infinity' and n.{{entity}}_id = q.{{entity}}_id offset 0) r on true
        left join lateral (
          select n.billed_credit_micros as billed
            from {{entity}}_sums n
            where n.until = earlier and n.{{entity}}_id = q.{{entity}}_id offset 0) e on true
      where b.billed > 0 and q.billed_credit_micros >= b.billed / 10
        and q.billed_credit_micros + coalesce(r.billed, 0) - coalesce(e.billed, 0) >= b.billed
        and q.{{entity}}_id not in (select f.{{entity}}_id from first f)
    )
    select u.{{entity}}_id, {{rollups.totals u}}
    from (
      select s.*
      from summed s
      union all
      select r.*
      from turnpike.rolled_of_{{entity}}s(p_from, p_to, array(select n.{{entity}}_id from near n)) r
      union all
      select q.*
      from queued q
      where q.{{entity}}_id in (select n.{{entity}}_id from near n)
    ) u
    where exists (select from bound b where b.billed > 0) and (select count(*) from rich) < most
    group by u.{{entity}}_id
    order by 8 desc, 1 limit p_limit;
end $$;

-- Returns the same for a few whole days with many rows each, from the p_most top {{entity}}s of each day.
-- Returns no rows if they prove nothing.
-- A {{entity}} outside every day's top was billed no more than the lowest bills of the tops of all days together.
create function turnpike.leading_{{entity}}s(p_from timestamptz, p_to timestamptz, p_limit integer, p_most integer)
returns table ({{entity}}_id bigint, {{rollups.columns}}) language plpgsql stable rows 100
set jit = off set enable_sort = off set work_mem = '32MB' set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
    with queued as materialized (
      select q.{{entity}}_id, {{rollups.added q}}
      from usage_queue q
      where q.ended_at >= p_from and q.ended_at < p_to
      group by q.{{entity}}_id
    ), leaders as materialized (
      -- below: the most that a {{entity}} outside this top can have been billed.
      select e.day,
        l.* from generate_series(p_from at time zone 'UTC', p_to at time zone 'UTC' - interval '1 day',
          interval '1 day') e(day)
        cross join lateral (
          select f.*, case when count(*) over () = p_most then min(f.billed) over () else 0 end as below
            from (
            select d.{{entity}}_id, d.billed_credit_micros as billed
            from {{entity}}_days d
            where d.day = e.day::date
            order by d.billed_credit_micros desc limit p_most) f) l
      union all
      select null, f.*, case when count(*) over () = p_most then min(f.billed) over () else 0 end from (
        select q.{{entity}}_id, q.billed_credit_micros as billed
          from queued q
          order by q.billed_credit_micros desc limit p_most) f
    ), bound as materialized (
      select coalesce(turnpike.added(n.below), 0) as billed
        from (select min(l.below) as below from leaders l group by l.day) n
    ), known as materialized (
      -- billed: the least that a {{entity}} was billed. It was billed at most the bound plus `above`.
      select l.{{entity}}_id, turnpike.added(l.billed) as billed,
        turnpike.added(l.billed - l.below) as above from leaders l group by l.{{entity}}_id
    ), last as materialized (
      select k.billed from known k order by 1 desc offset p_limit - 1 limit 1
    ), near as materialized (
      select k.{{entity}}_id
        from known k, last l, bound b
        where l.billed > b.billed and b.billed + k.above >= l.billed
    )
    select u.{{entity}}_id, {{rollups.totals u}}
    from (
      select r.*
      from turnpike.rolled_of_{{entity}}s(p_from, p_to, array(select n.{{entity}}_id from near n)) r
      union all
      select q.*
      from queued q
      where q.{{entity}}_id in (select n.{{entity}}_id from near n)
    ) u
    group by u.{{entity}}_id
    order by 8 desc, 1 limit p_limit;
end $$;

-- Returns the same by summing all {{entity}}s.
create function turnpike.all_{{entity}}s(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table ({{entity}}_id bigint, {{rollups.columns}}) language plpgsql stable rows 100
set jit = off set enable_sort = off set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  p record;
begin
  p := turnpike.range_parts(p_from, p_to, '{{entity}}_sums', '{{entity}}_days');
  return query
    with queued as materialized (
      select q.{{entity}}_id, {{rollups.added q}}
      from usage_queue q
      where q.ended_at >= p_from and q.ended_at < p_to
      group by q.{{entity}}_id
    ), unsummed as materialized (
      -- Usage that no sum covers. acts: with the acts of the sums, it is above 0 if the {{entity}} was used or refunded.
      select m.{{entity}}_id, turnpike.added(m.billed) as billed, turnpike.added(m.acts) as acts from (
        select d.{{entity}}_id, p.first_sign * d.billed_credit_micros as billed,
          p.first_sign * (d.turns + d.calls + d.refunded_credit_micros) as acts
        from {{entity}}_days d
        where d.day >= p.first_from and d.day < p.first_to
        union all
        select d.{{entity}}_id, p.last_sign * d.billed_credit_micros,
          p.last_sign * (d.turns + d.calls + d.refunded_credit_micros)
        from {{entity}}_days d
        where d.day >= p.last_from and d.day < p.last_to
        union all
        select q.{{entity}}_id, q.billed_credit_micros, 1
        from queued q
      ) m group by m.{{entity}}_id
    ), before as (
      select s.{{entity}}_id, s.billed_credit_micros - coalesce(b.billed_credit_micros, 0) as billed,
        s.turns + s.calls + s.refunded_credit_micros
          - coalesce(b.turns + b.calls + b.refunded_credit_micros, 0) as acts
      from {{entity}}_sums s
        left join {{entity}}_sums b on b.until = p.minus and b.{{entity}}_id = s.{{entity}}_id
      where s.until = p.plus
    ), top as materialized (
      select coalesce(k.{{entity}}_id, m.{{entity}}_id) as {{entity}}_id
      from before k
        full join unsummed m on m.{{entity}}_id = k.{{entity}}_id
      where coalesce(k.acts, 0) + coalesce(m.acts, 0) > 0
      order by coalesce(k.billed, 0) + coalesce(m.billed, 0) desc, 1 limit p_limit
    )
    select u.{{entity}}_id, {{rollups.totals u}}
    from (
      select r.*
      from turnpike.rolled_of_{{entity}}s(p_from, p_to, array(select t.{{entity}}_id from top t)) r
      union all
      select q.*
      from queued q
      where q.{{entity}}_id in (select t.{{entity}}_id from top t)
    ) u
    group by u.{{entity}}_id
    order by 8 desc, 1;
end $$;

-- Returns the rolled-up usage of these {{entity}}s on the whole
-- days of a range, in any order, in up to two rows for each.
create function turnpike.rolled_of_{{entity}}s(p_from timestamptz, p_to timestamptz, p_{{entity}}_ids bigint[])
returns table ({{entity}}_id bigint, {{rollups.columns}}) language plpgsql stable rows 100 set jit = off as $$
#variable_conflict use_column
declare
  p record;
begin
  if cardinality(p_{{entity}}_ids) = 0 then
    return;
  end if;
  p := turnpike.range_parts(p_from, p_to, null, null);
  return query
    select s.{{entity}}_id, {{rollups.since s}}
    from unnest(p_{{entity}}_ids) k({{entity}}_id)
      cross join lateral (select n.* from {{entity}}_sums n where n.until = p.plus
        and n.{{entity}}_id = k.{{entity}}_id offset 0) s
      left join lateral (select n.* from {{entity}}_sums n where n.until = p.minus
        and n.{{entity}}_id = k.{{entity}}_id offset 0) b on true
    union all
    select k.{{entity}}_id, {{rollups.measures d}}
    from unnest(p_{{entity}}_ids) k({{entity}}_id)
      cross join lateral (
      select {{rollups.addedTimes n}}
      from (values (p.first_from, p.first_to, p.first_sign), (p.last_from, p.last_to, p.last_sign)) e(since, until,
        sign)
        join {{entity}}_days n on n.{{entity}}_id = k.{{entity}}_id and n.day >= e.since and n.day < e.until) d
    where d.turns is not null;
end $$;

-- Returns the {{entity}}s that were billed most on all days
-- that a range touches, as candidates for the range itself.
-- {{entity}}_ids: null if the range is too small a part of these days.
-- bound: what the last candidate was billed on these days. Null if there are no other {{entity}}s.
create function turnpike.near_{{entity}}s(p_from timestamptz, p_to timestamptz, p_limit integer,
  out {{entity}}_ids bigint[], out bound bigint)
language plpgsql stable set jit = off as $$
declare
  outer_from timestamptz := date_trunc('day', p_from, 'UTC');
  outer_to timestamptz := date_trunc('day', p_to + interval '24 hours' - interval '1 microsecond', 'UTC');
  times double precision := extract(epoch from outer_to - outer_from) / extract(epoch from p_to - p_from);
  looked integer := 4 + ceil(1.5 * p_limit * least(times, 3));
begin
  if times < 3 then
    select coalesce(array_agg(s.{{entity}}_id), '{}'),
      case when count(*) = looked then min(s.billed_credit_micros) end into {{entity}}_ids, bound
      from turnpike.range_{{entity}}s(outer_from, outer_to, looked) s;
  end if;
end $$;

-- Returns the p_limit {{entity}}s that were billed most in a range, then by id, by summing all {{entity}}s.
-- Parts of days are read from raw records.
create function turnpike.rank_{{entity}}s(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table ({{entity}}_id bigint, billed bigint) language plpgsql stable rows 100
set jit = off set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  p record;
begin
  p := turnpike.range_parts(p_from, p_to, '{{entity}}_sums', '{{entity}}_days');
  return query
    with unsummed as materialized (
      -- Usage that no sum covers. acts: with the acts of the sums, it is above 0 if the {{entity}} was used or refunded.
      select m.{{entity}}_id, turnpike.added(m.billed) as billed, turnpike.added(m.acts) as acts from (
        select d.{{entity}}_id, p.first_sign * d.billed_credit_micros as billed,
          p.first_sign * (d.turns + d.calls + d.refunded_credit_micros) as acts
        from {{entity}}_days d
        where d.day >= p.first_from and d.day < p.first_to
        union all
        select d.{{entity}}_id, p.last_sign * d.billed_credit_micros,
          p.last_sign * (d.turns + d.calls + d.refunded_credit_micros)
        from {{entity}}_days d
        where d.day >= p.last_from and d.day < p.last_to
        union all
        select q.{{entity}}_id, q.billed_credit_micros, 1
        from usage_queue q
        where q.ended_at >= p.head_until and q.ended_at < p.tail_from
        union all
        select w.{{entity}}_id, w.billed_credit_micros, 1
        from turnpike.raw_usage(p_from, p.head_until) w
        where p_from < p.head_until
        union all
        select w.{{entity}}_id, w.billed_credit_micros, 1
        from turnpike.raw_usage(p.tail_from, p_to) w
        where p.tail_from < p_to
      ) m group by m.{{entity}}_id
    ), summed as (
      select s.{{entity}}_id, s.billed_credit_micros - coalesce(b.billed_credit_micros, 0) as billed,
        s.turns + s.calls + s.refunded_credit_micros
          - coalesce(b.turns + b.calls + b.refunded_credit_micros, 0) as acts
      from {{entity}}_sums s
        left join {{entity}}_sums b on b.until = p.minus and b.{{entity}}_id = s.{{entity}}_id
      where s.until = p.plus
    )
    select coalesce(k.{{entity}}_id, m.{{entity}}_id), coalesce(k.billed, 0) + coalesce(m.billed, 0)
    from summed k
      full join unsummed m on m.{{entity}}_id = k.{{entity}}_id
    where coalesce(k.acts, 0) + coalesce(m.acts, 0) > 0
    order by 2 desc, 1 limit p_limit;
end $$;

-- Returns the usage of these {{entity}}s in a range, in any order. {{entity}}s without usage are omitted.
create function turnpike.usage_of_{{entity}}s(p_from timestamptz, p_to timestamptz, p_{{entity}}_ids bigint[])
returns table ({{entity}}_id bigint, {{rollups.columns}}) language plpgsql stable rows 100 set jit = off as $$
#variable_conflict use_column
declare
  p record := turnpike.range_parts(p_from, p_to, null, null);
  c record := turnpike.cut_hours(p_from, p_to);
begin
  return query
    select u.{{entity}}_id, {{rollups.totals u}}
      from (
      select s.{{entity}}_id, {{rollups.namedTimes s}}
      from unnest(p_{{entity}}_ids) k({{entity}}_id)
        cross join (values (p.plus, 1), (p.minus, -1)) e(until, sign)
        cross join lateral (
        select n.*
          from {{entity}}_sums n
          where n.until = e.until and n.{{entity}}_id = k.{{entity}}_id offset 0) s
      union all
      select d.{{entity}}_id, {{rollups.times d}}
      from unnest(p_{{entity}}_ids) k({{entity}}_id)
        cross join (values (p.first_from, p.first_to, p.first_sign), (p.last_from, p.last_to, p.last_sign)) e(since,
          until, sign)
        cross join lateral (select n.* from {{entity}}_days n
          where n.{{entity}}_id = k.{{entity}}_id and n.day >= e.since and n.day < e.until offset 0) d
      where e.since < e.until
      union all
      select h.{{entity}}_id, {{rollups.measures h}}
      from unnest(p_{{entity}}_ids) k({{entity}}_id)
        cross join (values (c.first_hour, c.head_until), (c.tail_from, c.last_hour)) e(since, until)
        cross join lateral (select n.* from {{entity}}_hours n
          where n.{{entity}}_id = k.{{entity}}_id and n.hour >= e.since and n.hour < e.until offset 0) h
      where e.since < e.until
      union all
      select q.{{entity}}_id, {{rollups.measures q}}
      from usage_queue q
      where q.ended_at >= c.first_hour and q.ended_at < c.last_hour
        and q.{{entity}}_id in (select unnest(p_{{entity}}_ids))
      union all
      select w.{{entity}}_id, {{rollups.measures w}}
      from unnest(c.raw_from, c.raw_to) e(since, until)
        cross join lateral turnpike.raw_usage(e.since, e.until) w
      where w.{{entity}}_id = any (p_{{entity}}_ids)
    ) u
      group by u.{{entity}}_id
      having turnpike.added(u.turns + u.calls + u.refunded_credit_micros) > 0;
end $$;
