-- Adds rows of ended live turns to the rollups of analytics, which src/analytics/rollups.ts declares.
create function turnpike.add_usage(p_taken turn_ends[]) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
begin
  with taken as materialized (
    select t.*, date_trunc('hour', t.ended_at, 'UTC') as hour, (t.ended_at at time zone 'UTC')::date as day,
      o.brand
      from unnest(p_taken) t
        left join account_brands o on o.user_id = t.user_id
  ), before as materialized (
    -- Late rows also belong to the sums of all later marks.
    select t.*, m.until
      from taken t join (select u.until from usage_marks u union all select 'infinity') m on m.until > t.day
  ), {{rollups.upserts}};
end $$;
