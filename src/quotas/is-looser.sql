-- True if a cap allows more than before. Null means no cap.
create function turnpike.is_looser(p_was bigint, p_wanted bigint) returns boolean language sql immutable as $$
  select p_was is not null and coalesce(p_wanted > p_was, true)
$$;

-- True if a rate allows more than before. Null means no rate.
create function turnpike.is_looser_rate(p_was jsonb, p_wanted jsonb) returns boolean language sql immutable as $$
  select p_was is not null and (
    turnpike.is_looser((p_was -> 'requests_per_minute')::bigint, (p_wanted -> 'requests_per_minute')::bigint)
    or turnpike.is_looser((p_was -> 'input_tokens_per_minute')::bigint, (p_wanted -> 'input_tokens_per_minute')::bigint)
    or turnpike.is_looser((p_was -> 'concurrent_turns')::bigint, (p_wanted -> 'concurrent_turns')::bigint)
    or (p_was ->> 'fail' is not distinct from 'closed' and p_wanted ->> 'fail' is distinct from 'closed'))
$$;
