-- expand entity: space, user

-- Returns the same as range_{{entity}}s for the {{entity}}s of one brand, by the first brand of their account.
-- p_brand: null for all brands. Usually the first {{entity}}s of all brands include enough of this brand.
-- Otherwise all {{entity}}s are summed.
create function turnpike.range_{{entity}}s_of(p_from timestamptz, p_to timestamptz, p_limit integer, p_brand text)
returns table ({{entity}}_id bigint, {{rollups.columns}}) language plpgsql stable rows 100 set jit = off as $$
#variable_conflict use_column
declare
  looked integer := 4 * p_limit;
  seen bigint;
  ids bigint[];
begin
  if p_brand is null then
    return query select r.* from turnpike.range_{{entity}}s(p_from, p_to, p_limit) r;
    return;
  end if;
  select count(*), array_agg(r.{{entity}}_id order by r.billed_credit_micros desc, r.{{entity}}_id)
    filter (where turnpike.is_{{entity}}_of(r.{{entity}}_id, p_brand)) into seen, ids
    from turnpike.range_{{entity}}s(p_from, p_to, looked) r;
  if seen = looked and coalesce(cardinality(ids), 0) < p_limit then
    ids := array(
      select r.{{entity}}_id
      from turnpike.rank_{{entity}}s(p_from, p_to, null) r
        join {{entity}}s e on e.{{entity}}_id = r.{{entity}}_id
        join account_brands o on o.user_id = e.user_id
      where o.brand = p_brand
      order by r.billed desc, r.{{entity}}_id limit p_limit);
  end if;
  return query
    select u.*
    from turnpike.usage_of_{{entity}}s(p_from, p_to, ids[:p_limit]) u
    order by u.billed_credit_micros desc, u.{{entity}}_id;
end $$;

-- True if the account of a {{entity}} has this first brand.
create function turnpike.is_{{entity}}_of(p_{{entity}}_id bigint, p_brand text) returns boolean
language sql stable as $$
  select exists (
    select from {{entity}}s e
      join account_brands o on o.user_id = e.user_id
    where e.{{entity}}_id = p_{{entity}}_id and o.brand = p_brand)
$$;
