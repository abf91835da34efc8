-- Returns the p_limit models that were billed most, then by name, for turns that ended in a range.
-- A call counts for its own model, a turn for the model of its first call.
-- p_brand: null for the accounts of all brands.
create function turnpike.range_models(p_from timestamptz, p_to timestamptz, p_limit integer, p_brand text)
returns table (model text, {{rollups.columns}}) language plpgsql stable rows 100
set jit = off as $$
#variable_conflict use_column
declare
  p record := turnpike.whole_days(p_from, p_to);
  c record := turnpike.cut_hours(p_from, p_to);
begin
  return query
    select u.model, sum(u.turns)::bigint, sum(u.calls)::bigint, sum(u.tokens_input)::bigint,
      sum(u.tokens_cached)::bigint, sum(u.tokens_output)::bigint, sum(u.cost_credit_micros)::bigint,
      sum(u.billed_credit_micros)::bigint, sum(u.refunded_credit_micros)::bigint
      from (
      select d.model, {{rollups.measures d}}
      from model_days d
      where d.day >= p.from_day and d.day < p.to_day and (p_brand is null or d.brand = p_brand)
      union all
      select h.model, {{rollups.measures h}}
      from (values (c.first_hour, c.head_until), (c.tail_from, c.last_hour)) e(since, until)
        cross join lateral (select n.* from model_hours n where n.hour >= e.since and n.hour < e.until offset 0) h
      where p_brand is null or h.brand = p_brand
      union all
      select q.model, {{rollups.measures q}}
      from usage_queue q
      where q.ended_at >= c.first_hour and q.ended_at < c.last_hour and {{rollups.ofBrand q.user_id}}
      union all
      select w.model, {{rollups.measures w}}
      from unnest(c.raw_from, c.raw_to) e(since, until)
        cross join lateral turnpike.raw_usage(e.since, e.until) w
      where {{rollups.ofBrand w.user_id}}
    ) u
      group by u.model
      order by sum(u.billed_credit_micros) desc, u.model collate "C" limit p_limit;
end $$;

-- Returns the same for providers, by provider_key (docs/contract.md).
create function turnpike.range_providers(p_from timestamptz, p_to timestamptz, p_limit integer, p_brand text)
returns table (provider_key text, {{rollups.columns}}) language plpgsql stable rows 100
set jit = off as $$
#variable_conflict use_column
declare
  p record := turnpike.whole_days(p_from, p_to);
  c record := turnpike.cut_hours(p_from, p_to);
begin
  return query
    select u.provider_key, sum(u.turns)::bigint, sum(u.calls)::bigint, sum(u.tokens_input)::bigint,
      sum(u.tokens_cached)::bigint, sum(u.tokens_output)::bigint, sum(u.cost_credit_micros)::bigint,
      sum(u.billed_credit_micros)::bigint, sum(u.refunded_credit_micros)::bigint
      from (
      select d.provider_key, {{rollups.measures d}}
      from provider_days d
      where d.day >= p.from_day and d.day < p.to_day and (p_brand is null or d.brand = p_brand)
      union all
      select h.provider_key, {{rollups.measures h}}
      from (values (c.first_hour, c.head_until), (c.tail_from, c.last_hour)) e(since, until)
        cross join lateral (select n.* from provider_hours n where n.hour >= e.since and n.hour < e.until offset 0) h
      where p_brand is null or h.brand = p_brand
      union all
      select q.provider_key, {{rollups.measures q}}
      from usage_queue q
      where q.ended_at >= c.first_hour and q.ended_at < c.last_hour and {{rollups.ofBrand q.user_id}}
      union all
      select w.provider_key, {{rollups.measures w}}
      from unnest(c.raw_from, c.raw_to) e(since, until)
        cross join lateral turnpike.raw_usage(e.since, e.until) w
      where {{rollups.ofBrand w.user_id}}
    ) u
      group by u.provider_key
      order by sum(u.billed_credit_micros) desc, u.provider_key collate "C" limit p_limit;
end $$;
