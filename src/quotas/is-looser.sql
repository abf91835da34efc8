-- True if a cap allows more than before. Null means no cap.
create function turnpike.is_looser(p_was bigint, p_wanted bigint) returns boolean language sql immutable as $$
  select p_was is not null and coalesce(p_wanted > p_was, true)
$$;
