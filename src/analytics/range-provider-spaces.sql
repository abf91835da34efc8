-- The same of spaces at each provider_key; p_provider_key: of that one only, or null.
create function turnpike.range_provider_spaces(p_from timestamptz, p_to timestamptz, p_provider_key text, p_limit integer)
returns table (provider_key text, space_id bigint, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint,
  tokens_output bigint, cost_credit_micros bigint, billed_credit_micros bigint) language plpgsql stable rows 100
set jit = off set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  p record;
  looked integer := p_limit + p_limit / 2 + 1;
  near bigint[];
  bound bigint;
  top_provider_key text[];
  top_space_id bigint[];
begin
  if p_provider_key is not null then
    select array_agg(t.provider_key), array_agg(t.space_id) into top_provider_key, top_space_id
      from turnpike.top_pairs_of(p_from, p_to, p_provider_key, p_limit) t;
  else
    -- No pair is billed more than its space, and no other space more than the last of these.
    select array_agg(t.space_id), case when count(*) = looked then min(t.billed) end into near, bound
      from turnpike.top_spaces(p_from, p_to, looked) t;
    return query select t.* from turnpike.top_pairs_in(p_from, p_to, near, p_limit, bound) t;
    if found or bound is null then
      return;
    end if;
    select array_agg(t.provider_key), array_agg(t.space_id) into top_provider_key, top_space_id
      from turnpike.top_pairs(p_from, p_to, p_limit) t;
  end if;
  p := turnpike.range_parts(p_from, p_to, null, null);
  return query
    with top as materialized (
      select * from unnest(top_provider_key, top_space_id) k(provider_key, space_id)
    )
    select u.provider_key, u.space_id, sum(u.turns)::bigint, sum(u.calls)::bigint, sum(u.tokens_input)::bigint,
      sum(u.tokens_cached)::bigint, sum(u.tokens_output)::bigint, sum(u.cost_credit_micros)::bigint, sum(u.billed_credit_micros)::bigint from (
      select k.provider_key, k.space_id, e.sign * s.turns as turns, e.sign * s.calls as calls, e.sign * s.tokens_input as tokens_input,
        e.sign * s.tokens_cached as tokens_cached, e.sign * s.tokens_output as tokens_output,
        e.sign * s.cost_credit_micros as cost_credit_micros, e.sign * s.billed_credit_micros as billed_credit_micros
      from top k cross join (values (p.plus, 1), (p.minus, -1)) e(until, sign) cross join lateral (
        select n.* from provider_space_sums n
        where n.until = e.until and n.provider_key = k.provider_key and n.space_id = k.space_id offset 0) s
      union all
      select k.provider_key, k.space_id, e.sign * d.turns, e.sign * d.calls, e.sign * d.tokens_input, e.sign * d.tokens_cached,
        e.sign * d.tokens_output, e.sign * d.cost_credit_micros, e.sign * d.billed_credit_micros
      from top k cross join (values (p.first_from, p.first_to, p.first_sign), (p.last_from, p.last_to, p.last_sign)) e(since, until, sign)
        cross join lateral (select n.* from provider_space_days n where n.space_id = k.space_id and n.day >= e.since and n.day < e.until
          and n.provider_key = k.provider_key offset 0) d
      where e.since < e.until
      union all
      select q.provider_key, q.space_id, q.turns, q.calls, q.tokens_input, q.tokens_cached, q.tokens_output, q.cost_credit_micros,
        q.billed_credit_micros
      from usage_queue q join top k on k.provider_key = q.provider_key and k.space_id = q.space_id
      where q.ended_at >= p.head_until and q.ended_at < p.tail_from
      union all
      select w.provider_key, w.space_id, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros,
        w.billed_credit_micros
      from turnpike.raw_usage(p_from, p.head_until) w join top k on k.provider_key = w.provider_key and k.space_id = w.space_id
      where p_from < p.head_until
      union all
      select w.provider_key, w.space_id, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros,
        w.billed_credit_micros
      from turnpike.raw_usage(p.tail_from, p_to) w join top k on k.provider_key = w.provider_key and k.space_id = w.space_id
      where p.tail_from < p_to
    ) u group by u.provider_key, u.space_id order by sum(u.billed_credit_micros) desc, u.provider_key collate "C", u.space_id;
end $$;

-- The p_limit pairs of these spaces that were billed most, then by name and id; none, if there are fewer or the last one was not billed
-- more than p_bound.
create function turnpike.top_pairs_in(p_from timestamptz, p_to timestamptz, p_space_ids bigint[], p_limit integer, p_bound bigint)
returns table (provider_key text, space_id bigint, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint,
  tokens_output bigint, cost_credit_micros bigint, billed_credit_micros bigint) language plpgsql stable rows 100
set jit = off set enable_sort = off set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  p record;
begin
  p := turnpike.range_parts(p_from, p_to, null, null);
  return query
    with pairs as materialized (
      select u.provider_key, u.space_id, turnpike.added(u.turns) as turns, turnpike.added(u.calls) as calls,
        turnpike.added(u.tokens_input) as tokens_input, turnpike.added(u.tokens_cached) as tokens_cached,
        turnpike.added(u.tokens_output) as tokens_output, turnpike.added(u.cost_credit_micros) as cost_credit_micros,
        turnpike.added(u.billed_credit_micros) as billed_credit_micros from (
        select s.provider_key, s.space_id, e.sign * s.turns as turns, e.sign * s.calls as calls, e.sign * s.tokens_input as tokens_input,
          e.sign * s.tokens_cached as tokens_cached, e.sign * s.tokens_output as tokens_output,
          e.sign * s.cost_credit_micros as cost_credit_micros, e.sign * s.billed_credit_micros as billed_credit_micros
        from unnest(p_space_ids) k(space_id) cross join (values (p.plus, 1), (p.minus, -1)) e(until, sign) cross join lateral (
          select n.* from provider_space_sums n where n.until = e.until and n.space_id = k.space_id offset 0) s
        union all
        select d.provider_key, d.space_id, e.sign * d.turns, e.sign * d.calls, e.sign * d.tokens_input, e.sign * d.tokens_cached,
          e.sign * d.tokens_output, e.sign * d.cost_credit_micros, e.sign * d.billed_credit_micros
        from unnest(p_space_ids) k(space_id)
          cross join (values (p.first_from, p.first_to, p.first_sign), (p.last_from, p.last_to, p.last_sign)) e(since, until, sign)
          cross join lateral (select n.* from provider_space_days n
            where n.space_id = k.space_id and n.day >= e.since and n.day < e.until offset 0) d
        where e.since < e.until
        union all
        select q.provider_key, q.space_id, q.turns, q.calls, q.tokens_input, q.tokens_cached, q.tokens_output, q.cost_credit_micros,
          q.billed_credit_micros
        from usage_queue q where q.ended_at >= p.head_until and q.ended_at < p.tail_from and q.space_id in (select unnest(p_space_ids))
        union all
        select w.provider_key, w.space_id, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros,
          w.billed_credit_micros
        from turnpike.raw_usage(p_from, p.head_until) w where p_from < p.head_until and w.space_id = any (p_space_ids)
        union all
        select w.provider_key, w.space_id, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros,
          w.billed_credit_micros
        from turnpike.raw_usage(p.tail_from, p_to) w where p.tail_from < p_to and w.space_id = any (p_space_ids)
      ) u group by u.provider_key, u.space_id having turnpike.added(u.turns + u.calls) > 0
    ), top as materialized (
      select r.* from pairs r order by r.billed_credit_micros desc, r.provider_key collate "C", r.space_id limit p_limit
    )
    select t.* from top t
    where p_bound is null or (select count(*) = p_limit and min(n.billed_credit_micros) > p_bound from top n)
    order by t.billed_credit_micros desc, t.provider_key collate "C", t.space_id;
end $$;

-- The same of all spaces.
create function turnpike.top_pairs(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table (provider_key text, space_id bigint, billed bigint) language plpgsql stable rows 100
set jit = off set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  p record;
begin
  p := turnpike.range_parts(p_from, p_to, 'provider_space_sums', 'provider_space_days');
  return query
    with beside as materialized (
      select m.provider_key, m.space_id, sum(m.billed)::bigint as billed, sum(m.acts)::bigint as acts from (
        select d.provider_key, d.space_id, p.first_sign * d.billed_credit_micros as billed, p.first_sign * (d.turns + d.calls) as acts
        from provider_space_days d where d.day >= p.first_from and d.day < p.first_to
        union all
        select d.provider_key, d.space_id, p.last_sign * d.billed_credit_micros, p.last_sign * (d.turns + d.calls)
        from provider_space_days d where d.day >= p.last_from and d.day < p.last_to
        union all
        select q.provider_key, q.space_id, q.billed_credit_micros, 1
        from usage_queue q where q.ended_at >= p.head_until and q.ended_at < p.tail_from
        union all
        select w.provider_key, w.space_id, w.billed_credit_micros, 1
        from turnpike.raw_usage(p_from, p.head_until) w where p_from < p.head_until
        union all
        select w.provider_key, w.space_id, w.billed_credit_micros, 1
        from turnpike.raw_usage(p.tail_from, p_to) w where p.tail_from < p_to
      ) m group by m.provider_key, m.space_id
    ), summed as (
      select s.provider_key, s.space_id, s.billed_credit_micros - coalesce(b.billed_credit_micros, 0) as billed,
        s.turns + s.calls - coalesce(b.turns + b.calls, 0) as acts
      from provider_space_sums s left join provider_space_sums b
        on b.until = p.minus and b.provider_key = s.provider_key and b.space_id = s.space_id
      where s.until = p.plus
    ), pairs as (
      select coalesce(k.provider_key, m.provider_key) as provider_key, coalesce(k.space_id, m.space_id) as space_id,
        coalesce(k.billed, 0) + coalesce(m.billed, 0) as billed
      from summed k full join beside m on m.provider_key = k.provider_key and m.space_id = k.space_id
      where coalesce(k.acts, 0) + coalesce(m.acts, 0) > 0
    )
    select r.provider_key, r.space_id, r.billed from pairs r
    order by r.billed desc, r.provider_key collate "C", r.space_id limit p_limit;
end $$;

-- The same of all spaces at one provider_key.
create function turnpike.top_pairs_of(p_from timestamptz, p_to timestamptz, p_provider_key text, p_limit integer)
returns table (provider_key text, space_id bigint, billed bigint) language plpgsql stable rows 100
set jit = off set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  p record;
begin
  p := turnpike.range_parts(p_from, p_to, 'provider_space_sums', 'provider_space_days');
  return query
    with beside as materialized (
      select m.provider_key, m.space_id, sum(m.billed)::bigint as billed, sum(m.acts)::bigint as acts from (
        select d.provider_key, d.space_id, p.first_sign * d.billed_credit_micros as billed, p.first_sign * (d.turns + d.calls) as acts
        from provider_space_days d where d.day >= p.first_from and d.day < p.first_to and d.provider_key = p_provider_key
        union all
        select d.provider_key, d.space_id, p.last_sign * d.billed_credit_micros, p.last_sign * (d.turns + d.calls)
        from provider_space_days d where d.day >= p.last_from and d.day < p.last_to and d.provider_key = p_provider_key
        union all
        select q.provider_key, q.space_id, q.billed_credit_micros, 1
        from usage_queue q where q.ended_at >= p.head_until and q.ended_at < p.tail_from and q.provider_key = p_provider_key
        union all
        select w.provider_key, w.space_id, w.billed_credit_micros, 1
        from turnpike.raw_usage(p_from, p.head_until) w where p_from < p.head_until and w.provider_key = p_provider_key
        union all
        select w.provider_key, w.space_id, w.billed_credit_micros, 1
        from turnpike.raw_usage(p.tail_from, p_to) w where p.tail_from < p_to and w.provider_key = p_provider_key
      ) m group by m.provider_key, m.space_id
    ), summed as (
      select s.provider_key, s.space_id, s.billed_credit_micros - coalesce(b.billed_credit_micros, 0) as billed,
        s.turns + s.calls - coalesce(b.turns + b.calls, 0) as acts
      from provider_space_sums s left join provider_space_sums b
        on b.until = p.minus and b.provider_key = s.provider_key and b.space_id = s.space_id and b.provider_key = p_provider_key
      where s.until = p.plus and s.provider_key = p_provider_key
    ), pairs as (
      select coalesce(k.provider_key, m.provider_key) as provider_key, coalesce(k.space_id, m.space_id) as space_id,
        coalesce(k.billed, 0) + coalesce(m.billed, 0) as billed
      from summed k full join beside m on m.provider_key = k.provider_key and m.space_id = k.space_id
      where coalesce(k.acts, 0) + coalesce(m.acts, 0) > 0
    )
    select r.provider_key, r.space_id, r.billed from pairs r
    order by r.billed desc, r.provider_key collate "C", r.space_id limit p_limit;
end $$;
