-- The usage of containers and storage of an account that was not billed yet, and its cost in credit micros.
-- The cost is not rounded. For an account without a bill, the usage since its beginning counts.
create type turnpike.infra_usage as (
  starts_at timestamptz,
  milliseconds bigint,
  byte_seconds numeric,
  cost numeric,
  -- The amount that earlier bills could not charge.
  due bigint
);

-- Returns the cost of usage in credit micros.
-- p_second: the price of a second of a container. p_gib_hour: the price of a GiB that is stored for an hour.
create function turnpike.infra_cost(p_milliseconds bigint, p_byte_seconds numeric, p_second double precision,
  p_gib_hour double precision)
returns numeric language sql immutable as $$
  select p_milliseconds / 1000.0 * p_second::numeric
    + p_byte_seconds / (1073741824 * 3600::numeric) * p_gib_hour::numeric
$$;

-- Returns the bytes of an account's live files, each multiplied
-- by the seconds that it was stored between two moments.
-- Deleted files count until their deletion. Test files do not count.
create function turnpike.stored_byte_seconds(p_user_id bigint, p_from timestamptz, p_until timestamptz) returns numeric
language plpgsql stable as $$
begin
  return coalesce((select sum(f.bytes * extract(epoch from p_until - greatest(f.created_at, p_from)))
      from files f where f.user_id = p_user_id and f.state in ('pending', 'ready') and not f.test
        and f.created_at < p_until), 0)
    + coalesce((select sum(f.bytes * extract(epoch from least(f.deleted_at, p_until) - greatest(f.created_at, p_from)))
      from files f where f.user_id = p_user_id and f.deleted_at > p_from and f.deleted_at is not null and not f.test
        and f.created_at < least(f.deleted_at, p_until)), 0);
end $$;

-- Returns the unbilled usage of an account up to p_until, at the given prices.
create function turnpike.infra_usage_of(p_user_id bigint, p_until timestamptz, p_second double precision,
  p_gib_hour double precision)
returns turnpike.infra_usage language plpgsql stable as $$
declare
  used turnpike.infra_usage;
begin
  select a.billed_until, a.due_credit_micros into used.starts_at, used.due
    from infra_accounts a
    where a.user_id = p_user_id;
  used.due := coalesce(used.due, 0);
  used.byte_seconds := case when used.starts_at >= p_until then 0
    else turnpike.stored_byte_seconds(p_user_id, coalesce(used.starts_at, '-infinity'), p_until) end;
  select coalesce(sum(c.milliseconds), 0) into used.milliseconds
    from container_calls c
    where c.user_id = p_user_id and c.billed_at is null;
  used.cost := turnpike.infra_cost(used.milliseconds, used.byte_seconds, p_second, p_gib_hour);
  return used;
end $$;

-- Returns the first account after p_after that may have something to bill: files, container calls or an amount due.
-- Each subquery reads one entry of an index. Returns null if no account is left.
create function turnpike.next_infra_account(p_after bigint) returns bigint language plpgsql stable as $$
begin
  return least(
    (select f.user_id from files f where f.user_id > p_after and f.state in ('pending', 'ready') and not f.test
      order by f.user_id limit 1),
    (select f.user_id from files f where f.user_id > p_after and f.deleted_at is not null and not f.test
      order by f.user_id limit 1),
    (select c.user_id from container_calls c where c.user_id > p_after and c.billed_at is null
      order by c.user_id limit 1),
    (select a.user_id from infra_accounts a where a.user_id > p_after and a.due_credit_micros > 0
      order by a.user_id limit 1));
end $$;
