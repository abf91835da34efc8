-- The p_limit spaces whose turns that ended in a range were billed most, then by id, with all that they used; spaces without any are left
-- out. A space was billed no more in a range than in all, rolled or queued. So in a long range it is enough to sum those that were billed
-- in all what the last one shown was billed in the range; in a short one that may be most of them.
create function turnpike.range_spaces(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table (space_id bigint, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint, tokens_output bigint,
  cost_credit_micros bigint, billed_credit_micros bigint) language plpgsql stable rows 100
set jit = off set work_mem = '32MB' set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  -- With more to sum one by one, summing all takes less.
  most integer := 10 * p_limit + 1000;
  near bigint[];
  summed space_sums[];
  least_billed bigint;
begin
  -- Parts of days are read from raw records, which is better done once.
  if p_limit * turnpike.history_in(p_from, p_to) <= most and date_trunc('day', p_from, 'UTC') = p_from
    and date_trunc('day', p_to, 'UTC') = p_to
  then
    near := array(select s.space_id from space_sums s where s.until = 'infinity'
      order by s.billed_credit_micros desc, s.space_id limit p_limit + p_limit / 8);
    select array_agg(row(null, u.*)::space_sums) into summed from turnpike.usage_of_spaces(p_from, p_to, near) u;
    select u.billed_credit_micros into least_billed from unnest(summed) u order by 1 desc offset p_limit - 1 limit 1;
  end if;
  if least_billed > 0 then
    -- Who was billed as much in all has nine tenths of it in the sums, or a tenth in the queue.
    near := array(
      select s.space_id from space_sums s
        where s.until = 'infinity' and s.billed_credit_micros >= least_billed - least_billed / 10 and s.space_id not in (select unnest(near))
      union
      select q.space_id from usage_queue q where q.ended_at >= p_from and q.ended_at < p_to and q.space_id not in (select unnest(near))
        group by q.space_id having sum(q.billed_credit_micros) >= least_billed / 10
      limit most);
    if cardinality(near) < most then
      return query
        select u.space_id, u.turns, u.calls, u.tokens_input, u.tokens_cached, u.tokens_output, u.cost_credit_micros,
          u.billed_credit_micros from unnest(summed) u
        union all
        select u.* from turnpike.usage_of_spaces(p_from, p_to, near) u where cardinality(near) > 0
        order by billed_credit_micros desc, space_id limit p_limit;
      return;
    end if;
  end if;
  near := array(select r.space_id from turnpike.rank_spaces(p_from, p_to, p_limit) r);
  return query
    select u.* from turnpike.usage_of_spaces(p_from, p_to, near) u order by u.billed_credit_micros desc, u.space_id;
end $$;

-- The same by summing all of them: who they are, and what they were billed.
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
      select m.space_id, sum(m.billed)::bigint as billed, sum(m.acts)::bigint as acts from (
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
  p record;
begin
  p := turnpike.range_parts(p_from, p_to, null, null);
  return query
    select u.space_id, sum(u.turns)::bigint, sum(u.calls)::bigint, sum(u.tokens_input)::bigint, sum(u.tokens_cached)::bigint,
      sum(u.tokens_output)::bigint, sum(u.cost_credit_micros)::bigint, sum(u.billed_credit_micros)::bigint from (
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
      union all
      select q.space_id, q.turns, q.calls, q.tokens_input, q.tokens_cached, q.tokens_output, q.cost_credit_micros, q.billed_credit_micros
      from usage_queue q where q.ended_at >= p.head_until and q.ended_at < p.tail_from and q.space_id in (select unnest(p_space_ids))
      union all
      select w.space_id, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros, w.billed_credit_micros
      from turnpike.raw_usage(p_from, p.head_until) w where p_from < p.head_until and w.space_id = any (p_space_ids)
      union all
      select w.space_id, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros, w.billed_credit_micros
      from turnpike.raw_usage(p.tail_from, p_to) w where p.tail_from < p_to and w.space_id = any (p_space_ids)
    ) u group by u.space_id having sum(u.turns + u.calls) > 0;
end $$;
