-- The p_limit spaces whose turns that ended in a range were billed most, then by id, with all that they used; spaces without any are left
-- out. The queue is read once for all of it.
create function turnpike.range_spaces(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table (space_id bigint, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint, tokens_output bigint,
  cost_credit_micros bigint, billed_credit_micros bigint) language plpgsql stable rows 100 set jit = off as $$
#variable_conflict use_column
declare
  n record;
  found_sums space_sums[];
  -- With fewer of a day, days differ too much to prove anything.
  most integer := 100 + p_limit * 5 / 2;
begin
  if date_trunc('day', p_from, 'UTC') < p_from or date_trunc('day', p_to, 'UTC') < p_to then
    n := turnpike.near_spaces(p_from, p_to, p_limit);
    if n.space_ids is not null then
      select array_agg(row(null, u.*)::space_sums) into found_sums from (
        select o.* from turnpike.usage_of_spaces(p_from, p_to, n.space_ids) o order by o.billed_credit_micros desc, o.space_id limit p_limit) u;
    end if;
    if n.space_ids is not null and (n.bound is null or found_sums[p_limit].billed_credit_micros > n.bound) then
      return query select u.space_id, u.turns, u.calls, u.tokens_input, u.tokens_cached, u.tokens_output, u.cost_credit_micros,
        u.billed_credit_micros from unnest(found_sums) u;
      return;
    end if;
    return query
      select u.* from turnpike.usage_of_spaces(p_from, p_to, array(select r.space_id from turnpike.rank_spaces(p_from, p_to, p_limit) r)) u
      order by u.billed_credit_micros desc, u.space_id;
    return;
  end if;
  -- With more to look up one by one, summing all takes less.
  if p_limit * turnpike.history_in(p_from, p_to) <= 10 * p_limit + 4000 then
    return query select s.* from turnpike.likely_spaces(p_from, p_to, p_limit) s;
    if found then
      return;
    end if;
  end if;
  if p_to < p_from + interval '32 days' and turnpike.rows_a_day('space_days') > 6 * most then
    return query select s.* from turnpike.leading_spaces(p_from, p_to, p_limit, most) s;
    if found then
      return;
    end if;
  end if;
  return query select s.* from turnpike.all_spaces(p_from, p_to, p_limit) s;
end $$;

-- The same of whole days, by looking at few of them; nobody, if that is no proof. A space was billed no more in a range than in all, rolled
-- or queued. So in a long range it is enough to sum those that were billed in all what the last one shown was billed in the range; in a
-- short one that may be most of them.
create function turnpike.likely_spaces(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table (space_id bigint, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint, tokens_output bigint,
  cost_credit_micros bigint, billed_credit_micros bigint) language plpgsql stable rows 100
set jit = off set enable_sort = off set work_mem = '32MB' set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  most integer := 10 * p_limit + 4000;
  earlier date := (select max(m.until) from usage_marks m where m.until <= (p_from at time zone 'UTC')::date);
begin
  return query
    with queued as materialized (
      select q.space_id, turnpike.added(q.turns) as turns, turnpike.added(q.calls) as calls,
        turnpike.added(q.tokens_input) as tokens_input, turnpike.added(q.tokens_cached) as tokens_cached,
        turnpike.added(q.tokens_output) as tokens_output, turnpike.added(q.cost_credit_micros) as cost_credit_micros,
        turnpike.added(q.billed_credit_micros) as billed_credit_micros
      from usage_queue q where q.ended_at >= p_from and q.ended_at < p_to group by q.space_id
    ), first as materialized (
      select s.space_id from space_sums s where s.until = 'infinity'
      order by s.billed_credit_micros desc, s.space_id limit p_limit + p_limit / 8
    ), summed as materialized (
      select r.* from turnpike.rolled_of_spaces(p_from, p_to, array(select f.space_id from first f)) r
      union all
      select q.* from queued q where q.space_id in (select f.space_id from first f)
    ), bound as materialized (
      select turnpike.added(u.billed_credit_micros) as billed from summed u group by u.space_id order by 1 desc offset p_limit - 1 limit 1
    ), rich as materialized (
      select s.space_id, s.billed_credit_micros as billed from bound b, space_sums s where b.billed > 0
        and s.until = 'infinity' and s.billed_credit_micros >= b.billed - b.billed / 10 and s.space_id not in (select f.space_id from first f)
      limit most
    ), near as materialized (
      -- Who was billed as much has nine tenths of it in the sums since the last mark before the range, or a tenth in the queue and the rest
      -- in these sums.
      select r.space_id from bound b, rich r left join lateral (
        select n.billed_credit_micros as billed from space_sums n where n.until = earlier and n.space_id = r.space_id offset 0) e on true
        where r.billed - coalesce(e.billed, 0) >= b.billed - b.billed / 10
      union
      select q.space_id from bound b, queued q
        left join lateral (
          select n.billed_credit_micros as billed from space_sums n where n.until = 'infinity' and n.space_id = q.space_id offset 0) r on true
        left join lateral (
          select n.billed_credit_micros as billed from space_sums n where n.until = earlier and n.space_id = q.space_id offset 0) e on true
      where b.billed > 0 and q.billed_credit_micros >= b.billed / 10
        and q.billed_credit_micros + coalesce(r.billed, 0) - coalesce(e.billed, 0) >= b.billed
        and q.space_id not in (select f.space_id from first f)
    )
    select u.space_id, turnpike.added(u.turns), turnpike.added(u.calls), turnpike.added(u.tokens_input), turnpike.added(u.tokens_cached),
      turnpike.added(u.tokens_output), turnpike.added(u.cost_credit_micros), turnpike.added(u.billed_credit_micros) from (
      select s.* from summed s
      union all
      select r.* from turnpike.rolled_of_spaces(p_from, p_to, array(select n.space_id from near n)) r
      union all
      select q.* from queued q where q.space_id in (select n.space_id from near n)
    ) u where exists (select from bound b where b.billed > 0) and (select count(*) from rich) < most
    group by u.space_id order by 8 desc, 1 limit p_limit;
end $$;

-- The same of a few whole days with many rows each, by the first p_most of each day; nobody, if that is no proof. What is among the first of
-- no day was billed no more in the range than the last of each day's first together.
create function turnpike.leading_spaces(p_from timestamptz, p_to timestamptz, p_limit integer, p_most integer)
returns table (space_id bigint, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint, tokens_output bigint,
  cost_credit_micros bigint, billed_credit_micros bigint) language plpgsql stable rows 100
set jit = off set enable_sort = off set work_mem = '32MB' set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
    with queued as materialized (
      select q.space_id, turnpike.added(q.turns) as turns, turnpike.added(q.calls) as calls,
        turnpike.added(q.tokens_input) as tokens_input, turnpike.added(q.tokens_cached) as tokens_cached,
        turnpike.added(q.tokens_output) as tokens_output, turnpike.added(q.cost_credit_micros) as cost_credit_micros,
        turnpike.added(q.billed_credit_micros) as billed_credit_micros
      from usage_queue q where q.ended_at >= p_from and q.ended_at < p_to group by q.space_id
    ), leaders as materialized (
      -- below: what those that are not among them were billed at most.
      select e.day, l.* from generate_series(p_from at time zone 'UTC', p_to at time zone 'UTC' - interval '1 day', interval '1 day') e(day)
        cross join lateral (
          select f.*, case when count(*) over () = p_most then min(f.billed) over () else 0 end as below from (
            select d.space_id, d.billed_credit_micros as billed from space_days d
            where d.day = e.day::date order by d.billed_credit_micros desc limit p_most) f) l
      union all
      select null, f.*, case when count(*) over () = p_most then min(f.billed) over () else 0 end from (
        select q.space_id, q.billed_credit_micros as billed from queued q order by q.billed_credit_micros desc limit p_most) f
    ), bound as materialized (
      select coalesce(turnpike.added(n.below), 0) as billed from (select min(l.below) as below from leaders l group by l.day) n
    ), known as materialized (
      -- What each was billed at least, and by how much that is more than what anybody may be where it is not among the first.
      select l.space_id, turnpike.added(l.billed) as billed, turnpike.added(l.billed - l.below) as above from leaders l group by l.space_id
    ), last as materialized (
      select k.billed from known k order by 1 desc offset p_limit - 1 limit 1
    ), near as materialized (
      select k.space_id from known k, last l, bound b where l.billed > b.billed and b.billed + k.above >= l.billed
    )
    select u.space_id, turnpike.added(u.turns), turnpike.added(u.calls), turnpike.added(u.tokens_input), turnpike.added(u.tokens_cached),
      turnpike.added(u.tokens_output), turnpike.added(u.cost_credit_micros), turnpike.added(u.billed_credit_micros) from (
      select r.* from turnpike.rolled_of_spaces(p_from, p_to, array(select n.space_id from near n)) r
      union all
      select q.* from queued q where q.space_id in (select n.space_id from near n)
    ) u group by u.space_id order by 8 desc, 1 limit p_limit;
end $$;

-- The same by summing all of them.
create function turnpike.all_spaces(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table (space_id bigint, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint, tokens_output bigint,
  cost_credit_micros bigint, billed_credit_micros bigint) language plpgsql stable rows 100
set jit = off set enable_sort = off set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  p record;
begin
  p := turnpike.range_parts(p_from, p_to, 'space_sums', 'space_days');
  return query
    with queued as materialized (
      select q.space_id, turnpike.added(q.turns) as turns, turnpike.added(q.calls) as calls,
        turnpike.added(q.tokens_input) as tokens_input, turnpike.added(q.tokens_cached) as tokens_cached,
        turnpike.added(q.tokens_output) as tokens_output, turnpike.added(q.cost_credit_micros) as cost_credit_micros,
        turnpike.added(q.billed_credit_micros) as billed_credit_micros
      from usage_queue q where q.ended_at >= p_from and q.ended_at < p_to group by q.space_id
    ), beside as materialized (
      -- What is in no sum. acts: above 0 where there is anything.
      select m.space_id, turnpike.added(m.billed) as billed, turnpike.added(m.acts) as acts from (
        select d.space_id, p.first_sign * d.billed_credit_micros as billed, p.first_sign * (d.turns + d.calls) as acts
        from space_days d where d.day >= p.first_from and d.day < p.first_to
        union all
        select d.space_id, p.last_sign * d.billed_credit_micros, p.last_sign * (d.turns + d.calls)
        from space_days d where d.day >= p.last_from and d.day < p.last_to
        union all
        select q.space_id, q.billed_credit_micros, 1 from queued q
      ) m group by m.space_id
    ), before as (
      select s.space_id, s.billed_credit_micros - coalesce(b.billed_credit_micros, 0) as billed,
        s.turns + s.calls - coalesce(b.turns + b.calls, 0) as acts
      from space_sums s left join space_sums b on b.until = p.minus and b.space_id = s.space_id
      where s.until = p.plus
    ), top as materialized (
      select coalesce(k.space_id, m.space_id) as space_id
      from before k full join beside m on m.space_id = k.space_id
      where coalesce(k.acts, 0) + coalesce(m.acts, 0) > 0
      order by coalesce(k.billed, 0) + coalesce(m.billed, 0) desc, 1 limit p_limit
    )
    select u.space_id, turnpike.added(u.turns), turnpike.added(u.calls), turnpike.added(u.tokens_input), turnpike.added(u.tokens_cached),
      turnpike.added(u.tokens_output), turnpike.added(u.cost_credit_micros), turnpike.added(u.billed_credit_micros) from (
      select r.* from turnpike.rolled_of_spaces(p_from, p_to, array(select t.space_id from top t)) r
      union all
      select q.* from queued q where q.space_id in (select t.space_id from top t)
    ) u group by u.space_id order by 8 desc, 1;
end $$;

-- What is rolled up of these spaces on the whole days of a range, in no order, in up to two rows for each.
create function turnpike.rolled_of_spaces(p_from timestamptz, p_to timestamptz, p_space_ids bigint[])
returns table (space_id bigint, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint, tokens_output bigint,
  cost_credit_micros bigint, billed_credit_micros bigint) language plpgsql stable rows 100 set jit = off as $$
#variable_conflict use_column
declare
  p record;
begin
  if cardinality(p_space_ids) = 0 then
    return;
  end if;
  p := turnpike.range_parts(p_from, p_to, null, null);
  return query
    select s.space_id, s.turns - coalesce(b.turns, 0), s.calls - coalesce(b.calls, 0), s.tokens_input - coalesce(b.tokens_input, 0),
      s.tokens_cached - coalesce(b.tokens_cached, 0), s.tokens_output - coalesce(b.tokens_output, 0),
      s.cost_credit_micros - coalesce(b.cost_credit_micros, 0), s.billed_credit_micros - coalesce(b.billed_credit_micros, 0)
    from unnest(p_space_ids) k(space_id)
      cross join lateral (select n.* from space_sums n where n.until = p.plus and n.space_id = k.space_id offset 0) s
      left join lateral (select n.* from space_sums n where n.until = p.minus and n.space_id = k.space_id offset 0) b on true
    union all
    select k.space_id, d.turns, d.calls, d.tokens_input, d.tokens_cached, d.tokens_output, d.cost_credit_micros, d.billed_credit_micros
    from unnest(p_space_ids) k(space_id) cross join lateral (
      select turnpike.added(e.sign * n.turns) as turns, turnpike.added(e.sign * n.calls) as calls,
        turnpike.added(e.sign * n.tokens_input) as tokens_input, turnpike.added(e.sign * n.tokens_cached) as tokens_cached,
        turnpike.added(e.sign * n.tokens_output) as tokens_output, turnpike.added(e.sign * n.cost_credit_micros) as cost_credit_micros,
        turnpike.added(e.sign * n.billed_credit_micros) as billed_credit_micros
      from (values (p.first_from, p.first_to, p.first_sign), (p.last_from, p.last_to, p.last_sign)) e(since, until, sign)
        join space_days n on n.space_id = k.space_id and n.day >= e.since and n.day < e.until) d
    where d.turns is not null;
end $$;
