-- The same of accounts.
create function turnpike.range_users(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table (user_id bigint, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint, tokens_output bigint,
  cost_credit_micros bigint, billed_credit_micros bigint) language plpgsql stable rows 100
set jit = off set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  p record;
  top_user_id bigint[];
begin
  p := turnpike.range_parts(p_from, p_to, 'user_sums', 'user_days');
  select array_agg(r.user_id) into top_user_id from (
    select u.user_id from (
      select s.user_id, s.billed_credit_micros as billed, s.turns + s.calls as acts
      from user_sums s where s.until = p.plus
      union all
      select s.user_id, -s.billed_credit_micros, -(s.turns + s.calls)
      from user_sums s where s.until = p.minus
      union all
      select d.user_id, p.first_sign * d.billed_credit_micros, p.first_sign * (d.turns + d.calls)
      from user_days d where d.day >= p.first_from and d.day < p.first_to
      union all
      select d.user_id, p.last_sign * d.billed_credit_micros, p.last_sign * (d.turns + d.calls)
      from user_days d where d.day >= p.last_from and d.day < p.last_to
      union all
      select q.user_id, q.billed_credit_micros, (q.turns + q.calls)
      from usage_queue q where q.ended_at >= p.head_until and q.ended_at < p.tail_from
      union all
      select w.user_id, w.billed_credit_micros, (w.turns + w.calls)
      from turnpike.raw_usage(p_from, p.head_until) w
      union all
      select w.user_id, w.billed_credit_micros, (w.turns + w.calls)
      from turnpike.raw_usage(p.tail_from, p_to) w
    ) u group by u.user_id having sum(u.acts) > 0 order by sum(u.billed) desc, u.user_id limit p_limit) r;
  return query
    select u.user_id, sum(u.turns)::bigint, sum(u.calls)::bigint, sum(u.tokens_input)::bigint, sum(u.tokens_cached)::bigint,
      sum(u.tokens_output)::bigint, sum(u.cost_credit_micros)::bigint, sum(u.billed_credit_micros)::bigint from (
      select s.user_id, s.turns, s.calls, s.tokens_input, s.tokens_cached, s.tokens_output, s.cost_credit_micros, s.billed_credit_micros
      from user_sums s where s.until = p.plus and s.user_id = any (top_user_id)
      union all
      select s.user_id, -s.turns, -s.calls, -s.tokens_input, -s.tokens_cached, -s.tokens_output, -s.cost_credit_micros,
        -s.billed_credit_micros
      from user_sums s where s.until = p.minus and s.user_id = any (top_user_id)
      union all
      select d.user_id, p.first_sign * d.turns, p.first_sign * d.calls, p.first_sign * d.tokens_input, p.first_sign * d.tokens_cached,
        p.first_sign * d.tokens_output, p.first_sign * d.cost_credit_micros, p.first_sign * d.billed_credit_micros
      from user_days d where d.day >= p.first_from and d.day < p.first_to and d.user_id = any (top_user_id)
      union all
      select d.user_id, p.last_sign * d.turns, p.last_sign * d.calls, p.last_sign * d.tokens_input, p.last_sign * d.tokens_cached,
        p.last_sign * d.tokens_output, p.last_sign * d.cost_credit_micros, p.last_sign * d.billed_credit_micros
      from user_days d where d.day >= p.last_from and d.day < p.last_to and d.user_id = any (top_user_id)
      union all
      select q.user_id, q.turns, q.calls, q.tokens_input, q.tokens_cached, q.tokens_output, q.cost_credit_micros, q.billed_credit_micros
      from usage_queue q where q.ended_at >= p.head_until and q.ended_at < p.tail_from and q.user_id = any (top_user_id)
      union all
      select w.user_id, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros, w.billed_credit_micros
      from turnpike.raw_usage(p_from, p.head_until) w where w.user_id = any (top_user_id)
      union all
      select w.user_id, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros, w.billed_credit_micros
      from turnpike.raw_usage(p.tail_from, p_to) w where w.user_id = any (top_user_id)
    ) u group by u.user_id order by sum(u.billed_credit_micros) desc, u.user_id;
end $$;
