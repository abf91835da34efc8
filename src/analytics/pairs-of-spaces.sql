-- Returns the usage of these spaces at each provider_key in a range, in any order. Pairs without usage are omitted.
create function turnpike.pairs_of_spaces(p_from timestamptz, p_to timestamptz, p_space_ids bigint[])
returns table (provider_key text, space_id bigint, {{rollups.columns}}) language plpgsql stable rows 100
set jit = off set enable_sort = off set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  p record;
begin
  p := turnpike.range_parts(p_from, p_to, null, null);
  return query
    select u.provider_key, u.space_id, {{rollups.totals u}}
      from (
      select s.provider_key, s.space_id, {{rollups.namedTimes s}}
      from unnest(p_space_ids) k(space_id)
        cross join (values (p.plus, 1), (p.minus, -1)) e(until, sign)
        cross join lateral (
        select n.* from provider_space_sums n where n.until = e.until and n.space_id = k.space_id offset 0) s
      union all
      select d.provider_key, d.space_id, {{rollups.times d}}
      from unnest(p_space_ids) k(space_id)
        cross join (values (p.first_from, p.first_to, p.first_sign), (p.last_from, p.last_to, p.last_sign)) e(since,
          until, sign)
        cross join lateral (select n.* from provider_space_days n
          where n.space_id = k.space_id and n.day >= e.since and n.day < e.until offset 0) d
      where e.since < e.until
      union all
      select q.provider_key, q.space_id, {{rollups.measures q}}
      from usage_queue q
      where q.ended_at >= p.head_until and q.ended_at < p.tail_from and q.space_id in (select unnest(p_space_ids))
      union all
      select w.provider_key, w.space_id, {{rollups.measures w}}
      from turnpike.raw_usage(p_from, p.head_until) w
      where p_from < p.head_until and w.space_id = any (p_space_ids)
      union all
      select w.provider_key, w.space_id, {{rollups.measures w}}
      from turnpike.raw_usage(p.tail_from, p_to) w
      where p.tail_from < p_to and w.space_id = any (p_space_ids)
    ) u
      group by u.provider_key, u.space_id
      having turnpike.added(u.turns + u.calls + u.refunded_credit_micros) > 0;
end $$;
