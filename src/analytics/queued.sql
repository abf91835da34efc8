-- Returns the billed amount of queued usage in each hour of a range. p_brand: null for the accounts of all brands.
-- Each of these spaces has its own rows. All other spaces together have rows with a null space_id.
-- Sorting is off: there are few groups, but the planner has no statistics on their keys and would sort.
create function turnpike.queued_hours(p_from timestamptz, p_to timestamptz, p_space_ids bigint[], p_brand text)
returns table (hour timestamptz, space_id bigint, billed bigint) language plpgsql stable
set jit = off set enable_sort = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
    select date_bin('1 hour', q.ended_at, '2000-01-01 00:00+00'),
      case when q.space_id in (select unnest(p_space_ids)) then q.space_id end, turnpike.added(q.billed_credit_micros)
    from usage_queue q
    where q.ended_at >= p_from and q.ended_at < p_to and {{rollups.ofBrand q.user_id}}
    group by 1, 2;
end $$;
