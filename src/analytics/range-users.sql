-- The p_limit accounts whose turns that ended in a range were billed most, as range_spaces finds spaces.
create function turnpike.range_users(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table (user_id bigint, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint, tokens_output bigint,
  cost_credit_micros bigint, billed_credit_micros bigint) language plpgsql stable rows 100
set jit = off set work_mem = '32MB' set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  -- With more to sum one by one, summing all takes less.
  most integer := 10 * p_limit + 1000;
  near bigint[];
  summed user_sums[];
  least_billed bigint;
begin
  -- Parts of days are read from raw records, which is better done once.
  if p_limit * turnpike.history_in(p_from, p_to) <= most and date_trunc('day', p_from, 'UTC') = p_from
    and date_trunc('day', p_to, 'UTC') = p_to
  then
    near := array(select s.user_id from user_sums s where s.until = 'infinity'
      order by s.billed_credit_micros desc, s.user_id limit p_limit + p_limit / 8);
    select array_agg(row(null, u.*)::user_sums) into summed from turnpike.usage_of_users(p_from, p_to, near) u;
    select u.billed_credit_micros into least_billed from unnest(summed) u order by 1 desc offset p_limit - 1 limit 1;
  end if;
  if least_billed > 0 then
    -- Who was billed as much in all has nine tenths of it in the sums, or a tenth in the queue.
    near := array(
      select s.user_id from user_sums s
        where s.until = 'infinity' and s.billed_credit_micros >= least_billed - least_billed / 10 and s.user_id not in (select unnest(near))
      union
      select q.user_id from usage_queue q where q.ended_at >= p_from and q.ended_at < p_to and q.user_id not in (select unnest(near))
        group by q.user_id having sum(q.billed_credit_micros) >= least_billed / 10
      limit most);
    if cardinality(near) < most then
      return query
        select u.user_id, u.turns, u.calls, u.tokens_input, u.tokens_cached, u.tokens_output, u.cost_credit_micros,
          u.billed_credit_micros from unnest(summed) u
        union all
        select u.* from turnpike.usage_of_users(p_from, p_to, near) u where cardinality(near) > 0
        order by billed_credit_micros desc, user_id limit p_limit;
      return;
    end if;
  end if;
  near := array(select r.user_id from turnpike.rank_users(p_from, p_to, p_limit) r);
  return query
    select u.* from turnpike.usage_of_users(p_from, p_to, near) u order by u.billed_credit_micros desc, u.user_id;
end $$;

-- The same by summing all of them: who they are, and what they were billed.
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
      select m.user_id, sum(m.billed)::bigint as billed, sum(m.acts)::bigint as acts from (
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
  p record;
begin
  p := turnpike.range_parts(p_from, p_to, null, null);
  return query
    select u.user_id, sum(u.turns)::bigint, sum(u.calls)::bigint, sum(u.tokens_input)::bigint, sum(u.tokens_cached)::bigint,
      sum(u.tokens_output)::bigint, sum(u.cost_credit_micros)::bigint, sum(u.billed_credit_micros)::bigint from (
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
      union all
      select q.user_id, q.turns, q.calls, q.tokens_input, q.tokens_cached, q.tokens_output, q.cost_credit_micros, q.billed_credit_micros
      from usage_queue q where q.ended_at >= p.head_until and q.ended_at < p.tail_from and q.user_id in (select unnest(p_user_ids))
      union all
      select w.user_id, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros, w.billed_credit_micros
      from turnpike.raw_usage(p_from, p.head_until) w where p_from < p.head_until and w.user_id = any (p_user_ids)
      union all
      select w.user_id, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros, w.billed_credit_micros
      from turnpike.raw_usage(p.tail_from, p_to) w where p.tail_from < p_to and w.user_id = any (p_user_ids)
    ) u group by u.user_id having sum(u.turns + u.calls) > 0;
end $$;
