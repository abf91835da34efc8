-- The part of an id that encodes its creation time in milliseconds (src/base/ids.ts).
create function turnpike.id_time(p_moment timestamptz) returns text language plpgsql immutable as $$
begin
  return (select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
      1 + ((floor(extract(epoch from p_moment) * 1000)::bigint >> (45 - 5 * digit)) & 31)::integer, 1), '' order by digit)
    from generate_series(0, 9) as digit);
end $$;
