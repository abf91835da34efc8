-- The accounts that were billed most on all days that a range touches which begins or ends within a day, and what the last of them was
-- billed there, if there may be more: nobody was billed more in the range. Null where that is too small a part of its days.
create function turnpike.near_users(p_from timestamptz, p_to timestamptz, p_limit integer, out user_ids bigint[], out bound bigint)
language plpgsql stable set jit = off as $$
declare
  outer_from timestamptz := date_trunc('day', p_from, 'UTC');
  outer_to timestamptz := date_trunc('day', p_to + interval '24 hours' - interval '1 microsecond', 'UTC');
  times double precision := extract(epoch from outer_to - outer_from) / extract(epoch from p_to - p_from);
  looked integer := 4 + ceil(1.5 * p_limit * least(times, 3));
begin
  if times < 3 then
    select coalesce(array_agg(s.user_id), '{}'), case when count(*) = looked then min(s.billed_credit_micros) end into user_ids, bound
      from turnpike.range_users(outer_from, outer_to, looked) s;
  end if;
end $$;

-- Who was billed most in such a range, by summing all, with what raw records say of parts of days.
create function turnpike.rank_users(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table (user_id bigint, billed bigint) language plpgsql stable rows 100
set jit = off set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  p record;
begin
  p := turnpike.range_parts(p_from, p_to, 'user_sums', 'user_days');
  return query
    with beside as materialized (
      -- What is in no sum. acts: above 0 where there is anything.
      select m.user_id, turnpike.added(m.billed) as billed, turnpike.added(m.acts) as acts from (
        select d.user_id, p.first_sign * d.billed_credit_micros as billed, p.first_sign * (d.turns + d.calls) as acts
        from user_days d where d.day >= p.first_from and d.day < p.first_to
        union all
        select d.user_id, p.last_sign * d.billed_credit_micros, p.last_sign * (d.turns + d.calls)
        from user_days d where d.day >= p.last_from and d.day < p.last_to
        union all
        select q.user_id, q.billed_credit_micros, 1
        from usage_queue q where q.ended_at >= p.head_until and q.ended_at < p.tail_from
        union all
        select w.user_id, w.billed_credit_micros, 1
        from turnpike.raw_usage(p_from, p.head_until) w where p_from < p.head_until
        union all
        select w.user_id, w.billed_credit_micros, 1
        from turnpike.raw_usage(p.tail_from, p_to) w where p.tail_from < p_to
      ) m group by m.user_id
    ), summed as (
      select s.user_id, s.billed_credit_micros - coalesce(b.billed_credit_micros, 0) as billed,
        s.turns + s.calls - coalesce(b.turns + b.calls, 0) as acts
      from user_sums s left join user_sums b on b.until = p.minus and b.user_id = s.user_id
      where s.until = p.plus
    )
    select coalesce(k.user_id, m.user_id), coalesce(k.billed, 0) + coalesce(m.billed, 0)
    from summed k full join beside m on m.user_id = k.user_id
    where coalesce(k.acts, 0) + coalesce(m.acts, 0) > 0
    order by 2 desc, 1 limit p_limit;
end $$;

-- What these accounts used in a range, in no order; those without any are left out.
create function turnpike.usage_of_users(p_from timestamptz, p_to timestamptz, p_user_ids bigint[])
returns table (user_id bigint, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint, tokens_output bigint,
  cost_credit_micros bigint, billed_credit_micros bigint) language plpgsql stable rows 100 set jit = off as $$
#variable_conflict use_column
declare
  p record := turnpike.range_parts(p_from, p_to, null, null);
  c record := turnpike.cut_hours(p_from, p_to);
begin
  return query
    select u.user_id, turnpike.added(u.turns), turnpike.added(u.calls), turnpike.added(u.tokens_input), turnpike.added(u.tokens_cached),
      turnpike.added(u.tokens_output), turnpike.added(u.cost_credit_micros), turnpike.added(u.billed_credit_micros) from (
      select s.user_id, e.sign * s.turns as turns, e.sign * s.calls as calls, e.sign * s.tokens_input as tokens_input,
        e.sign * s.tokens_cached as tokens_cached, e.sign * s.tokens_output as tokens_output,
        e.sign * s.cost_credit_micros as cost_credit_micros, e.sign * s.billed_credit_micros as billed_credit_micros
      from unnest(p_user_ids) k(user_id) cross join (values (p.plus, 1), (p.minus, -1)) e(until, sign) cross join lateral (
        select n.* from user_sums n where n.until = e.until and n.user_id = k.user_id offset 0) s
      union all
      select d.user_id, e.sign * d.turns, e.sign * d.calls, e.sign * d.tokens_input, e.sign * d.tokens_cached, e.sign * d.tokens_output,
        e.sign * d.cost_credit_micros, e.sign * d.billed_credit_micros
      from unnest(p_user_ids) k(user_id)
        cross join (values (p.first_from, p.first_to, p.first_sign), (p.last_from, p.last_to, p.last_sign)) e(since, until, sign)
        cross join lateral (select n.* from user_days n
          where n.user_id = k.user_id and n.day >= e.since and n.day < e.until offset 0) d
      where e.since < e.until
      union all
      select h.user_id, h.turns, h.calls, h.tokens_input, h.tokens_cached, h.tokens_output, h.cost_credit_micros, h.billed_credit_micros
      from unnest(p_user_ids) k(user_id)
        cross join (values (c.first_hour, c.head_until), (c.tail_from, c.last_hour)) e(since, until)
        cross join lateral (select n.* from user_hours n
          where n.user_id = k.user_id and n.hour >= e.since and n.hour < e.until offset 0) h
      where e.since < e.until
      union all
      select q.user_id, q.turns, q.calls, q.tokens_input, q.tokens_cached, q.tokens_output, q.cost_credit_micros, q.billed_credit_micros
      from usage_queue q where q.ended_at >= c.first_hour and q.ended_at < c.last_hour and q.user_id in (select unnest(p_user_ids))
      union all
      select w.user_id, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros, w.billed_credit_micros
      from unnest(c.raw_from, c.raw_to) e(since, until) cross join lateral turnpike.raw_usage(e.since, e.until) w
      where w.user_id = any (p_user_ids)
    ) u group by u.user_id having turnpike.added(u.turns + u.calls) > 0;
end $$;
