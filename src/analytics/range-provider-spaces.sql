-- The same of spaces at each provider_key; p_provider_key: of that one only, or null.
create function turnpike.range_provider_spaces(p_from timestamptz, p_to timestamptz, p_provider_key text, p_limit integer)
returns table (provider_key text, space_id bigint, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint,
  tokens_output bigint, cost_credit_micros bigint, billed_credit_micros bigint) language plpgsql stable rows 100
set jit = off set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  p record;
  top_provider_key text[];
  top_space_id bigint[];
begin
  p := turnpike.range_parts(p_from, p_to, 'provider_space_sums', 'provider_space_days');
  select array_agg(r.provider_key), array_agg(r.space_id) into top_provider_key, top_space_id from (
    select u.provider_key, u.space_id from (
      select s.provider_key, s.space_id, s.billed_credit_micros as billed, s.turns + s.calls as acts
      from provider_space_sums s where s.until = p.plus and (p_provider_key is null or s.provider_key = p_provider_key)
      union all
      select s.provider_key, s.space_id, -s.billed_credit_micros, -(s.turns + s.calls)
      from provider_space_sums s where s.until = p.minus and (p_provider_key is null or s.provider_key = p_provider_key)
      union all
      select d.provider_key, d.space_id, p.first_sign * d.billed_credit_micros, p.first_sign * (d.turns + d.calls)
      from provider_space_days d where d.day >= p.first_from and d.day < p.first_to and (p_provider_key is null or d.provider_key = p_provider_key)
      union all
      select d.provider_key, d.space_id, p.last_sign * d.billed_credit_micros, p.last_sign * (d.turns + d.calls)
      from provider_space_days d where d.day >= p.last_from and d.day < p.last_to and (p_provider_key is null or d.provider_key = p_provider_key)
      union all
      select q.provider_key, q.space_id, q.billed_credit_micros, (q.turns + q.calls)
      from usage_queue q where q.ended_at >= p.head_until and q.ended_at < p.tail_from and (p_provider_key is null or q.provider_key = p_provider_key)
      union all
      select w.provider_key, w.space_id, w.billed_credit_micros, (w.turns + w.calls)
      from turnpike.raw_usage(p_from, p.head_until) w where (p_provider_key is null or w.provider_key = p_provider_key)
      union all
      select w.provider_key, w.space_id, w.billed_credit_micros, (w.turns + w.calls)
      from turnpike.raw_usage(p.tail_from, p_to) w where (p_provider_key is null or w.provider_key = p_provider_key)
    ) u group by u.provider_key, u.space_id having sum(u.acts) > 0 order by sum(u.billed) desc, u.provider_key collate "C", u.space_id limit p_limit) r;
  return query
    select u.provider_key, u.space_id, sum(u.turns)::bigint, sum(u.calls)::bigint, sum(u.tokens_input)::bigint,
      sum(u.tokens_cached)::bigint, sum(u.tokens_output)::bigint, sum(u.cost_credit_micros)::bigint, sum(u.billed_credit_micros)::bigint from (
      select s.provider_key, s.space_id, s.turns, s.calls, s.tokens_input, s.tokens_cached, s.tokens_output, s.cost_credit_micros,
        s.billed_credit_micros
      from provider_space_sums s where s.until = p.plus and s.space_id = any (top_space_id) and (s.provider_key, s.space_id) in (select * from unnest(top_provider_key, top_space_id)) and (p_provider_key is null or s.provider_key = p_provider_key)
      union all
      select s.provider_key, s.space_id, -s.turns, -s.calls, -s.tokens_input, -s.tokens_cached, -s.tokens_output, -s.cost_credit_micros,
        -s.billed_credit_micros
      from provider_space_sums s where s.until = p.minus and s.space_id = any (top_space_id) and (s.provider_key, s.space_id) in (select * from unnest(top_provider_key, top_space_id)) and (p_provider_key is null or s.provider_key = p_provider_key)
      union all
      select d.provider_key, d.space_id, p.first_sign * d.turns, p.first_sign * d.calls, p.first_sign * d.tokens_input,
        p.first_sign * d.tokens_cached, p.first_sign * d.tokens_output, p.first_sign * d.cost_credit_micros,
        p.first_sign * d.billed_credit_micros
      from provider_space_days d where d.day >= p.first_from and d.day < p.first_to and d.space_id = any (top_space_id) and (d.provider_key, d.space_id) in (select * from unnest(top_provider_key, top_space_id)) and (p_provider_key is null or d.provider_key = p_provider_key)
      union all
      select d.provider_key, d.space_id, p.last_sign * d.turns, p.last_sign * d.calls, p.last_sign * d.tokens_input,
        p.last_sign * d.tokens_cached, p.last_sign * d.tokens_output, p.last_sign * d.cost_credit_micros,
        p.last_sign * d.billed_credit_micros
      from provider_space_days d where d.day >= p.last_from and d.day < p.last_to and d.space_id = any (top_space_id) and (d.provider_key, d.space_id) in (select * from unnest(top_provider_key, top_space_id)) and (p_provider_key is null or d.provider_key = p_provider_key)
      union all
      select q.provider_key, q.space_id, q.turns, q.calls, q.tokens_input, q.tokens_cached, q.tokens_output, q.cost_credit_micros,
        q.billed_credit_micros
      from usage_queue q where q.ended_at >= p.head_until and q.ended_at < p.tail_from and q.space_id = any (top_space_id) and (q.provider_key, q.space_id) in (select * from unnest(top_provider_key, top_space_id)) and (p_provider_key is null or q.provider_key = p_provider_key)
      union all
      select w.provider_key, w.space_id, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros,
        w.billed_credit_micros
      from turnpike.raw_usage(p_from, p.head_until) w where w.space_id = any (top_space_id) and (w.provider_key, w.space_id) in (select * from unnest(top_provider_key, top_space_id)) and (p_provider_key is null or w.provider_key = p_provider_key)
      union all
      select w.provider_key, w.space_id, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros,
        w.billed_credit_micros
      from turnpike.raw_usage(p.tail_from, p_to) w where w.space_id = any (top_space_id) and (w.provider_key, w.space_id) in (select * from unnest(top_provider_key, top_space_id)) and (p_provider_key is null or w.provider_key = p_provider_key)
    ) u group by u.provider_key, u.space_id order by sum(u.billed_credit_micros) desc, u.provider_key collate "C", u.space_id;
end $$;
