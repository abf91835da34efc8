-- The part of an id that encodes its creation time in milliseconds (src/base/ids.ts).
create function turnpike.id_time(p_moment timestamptz) returns text language plpgsql immutable as $$
begin
  return (select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
      1 + ((floor(extract(epoch from p_moment) * 1000)::bigint >> (45 - 5 * digit)) & 31)::integer, 1),
        '' order by digit)
    from generate_series(0, 9) as digit);
end $$;

-- The creation time in an id.
create function turnpike.time_of_id(p_id text) returns timestamptz language plpgsql immutable as $$
begin
  return (select to_timestamp(sum((strpos('0123456789abcdefghjkmnpqrstvwxyz',
    substr(p_id, strpos(p_id, '_') + 1 + digit, 1)) - 1)::bigint
      << (45 - 5 * digit)) / 1000.0) from generate_series(0, 9) as digit);
end $$;
