-- Returns the p_limit models that were billed most, then by name, for turns that ended in a range.
-- A call counts for its own model, a turn for the model of its first call.
create function turnpike.range_models(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table (model text, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint, tokens_output bigint,
  cost_credit_micros bigint, billed_credit_micros bigint) language plpgsql stable rows 100
set jit = off as $$
#variable_conflict use_column
declare
  p record := turnpike.whole_days(p_from, p_to);
  c record := turnpike.cut_hours(p_from, p_to);
begin
  return query
    select u.model, sum(u.turns)::bigint, sum(u.calls)::bigint, sum(u.tokens_input)::bigint, sum(u.tokens_cached)::bigint,
      sum(u.tokens_output)::bigint, sum(u.cost_credit_micros)::bigint, sum(u.billed_credit_micros)::bigint from (
      select d.model, d.turns, d.calls, d.tokens_input, d.tokens_cached, d.tokens_output, d.cost_credit_micros, d.billed_credit_micros
      from model_days d where d.day >= p.from_day and d.day < p.to_day
      union all
      select h.model, h.turns, h.calls, h.tokens_input, h.tokens_cached, h.tokens_output, h.cost_credit_micros, h.billed_credit_micros
      from (values (c.first_hour, c.head_until), (c.tail_from, c.last_hour)) e(since, until)
        cross join lateral (select n.* from model_hours n where n.hour >= e.since and n.hour < e.until offset 0) h
      union all
      select q.model, q.turns, q.calls, q.tokens_input, q.tokens_cached, q.tokens_output, q.cost_credit_micros, q.billed_credit_micros
      from usage_queue q where q.ended_at >= c.first_hour and q.ended_at < c.last_hour
      union all
      select w.model, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros, w.billed_credit_micros
      from unnest(c.raw_from, c.raw_to) e(since, until) cross join lateral turnpike.raw_usage(e.since, e.until) w
    ) u group by u.model order by sum(u.billed_credit_micros) desc, u.model collate "C" limit p_limit;
end $$;

-- Returns the same for providers, by provider_key (docs/contract.md).
create function turnpike.range_providers(p_from timestamptz, p_to timestamptz, p_limit integer)
returns table (provider_key text, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint, tokens_output bigint,
  cost_credit_micros bigint, billed_credit_micros bigint) language plpgsql stable rows 100
set jit = off as $$
#variable_conflict use_column
declare
  p record := turnpike.whole_days(p_from, p_to);
  c record := turnpike.cut_hours(p_from, p_to);
begin
  return query
    select u.provider_key, sum(u.turns)::bigint, sum(u.calls)::bigint, sum(u.tokens_input)::bigint, sum(u.tokens_cached)::bigint,
      sum(u.tokens_output)::bigint, sum(u.cost_credit_micros)::bigint, sum(u.billed_credit_micros)::bigint from (
      select d.provider_key, d.turns, d.calls, d.tokens_input, d.tokens_cached, d.tokens_output, d.cost_credit_micros,
        d.billed_credit_micros
      from provider_days d where d.day >= p.from_day and d.day < p.to_day
      union all
      select h.provider_key, h.turns, h.calls, h.tokens_input, h.tokens_cached, h.tokens_output, h.cost_credit_micros, h.billed_credit_micros
      from (values (c.first_hour, c.head_until), (c.tail_from, c.last_hour)) e(since, until)
        cross join lateral (select n.* from provider_hours n where n.hour >= e.since and n.hour < e.until offset 0) h
      union all
      select q.provider_key, q.turns, q.calls, q.tokens_input, q.tokens_cached, q.tokens_output, q.cost_credit_micros, q.billed_credit_micros
      from usage_queue q where q.ended_at >= c.first_hour and q.ended_at < c.last_hour
      union all
      select w.provider_key, w.turns, w.calls, w.tokens_input, w.tokens_cached, w.tokens_output, w.cost_credit_micros, w.billed_credit_micros
      from unnest(c.raw_from, c.raw_to) e(since, until) cross join lateral turnpike.raw_usage(e.since, e.until) w
    ) u group by u.provider_key order by sum(u.billed_credit_micros) desc, u.provider_key collate "C" limit p_limit;
end $$;
