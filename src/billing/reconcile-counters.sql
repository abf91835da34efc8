-- Returns whether a period of a cap is still in use: the current month or window, today, or yesterday.
-- Yesterday counts because its turns may still add spend.
create function turnpike.is_current_period(p_period text, p_starts_at timestamptz, p_window_seconds integer,
  p_moment timestamptz)
returns boolean language sql stable as $$
  select coalesce(case p_period when 'day' then p_starts_at >= date_trunc('day', p_moment, 'UTC') - interval '24 hours'
    when 'month' then p_starts_at >= date_trunc('month', p_moment, 'UTC')
    else p_starts_at + make_interval(secs => p_window_seconds) > p_moment end, false)
$$;

-- Reads p_size counters after p_position and checks each counter of a current period.
-- The spent amount must equal the bills of the counter's turns, the reserved amount the holds of its open turns.
create function turnpike.counters_slice(p_position text, p_size integer, p_moment timestamptz)
returns turnpike.books_slice
language plpgsql stable set plan_cache_mode = force_custom_plan set jit = off as $$
declare
  behind jsonb := coalesce(nullif(p_position, ''), '["0", "", "", "", "-infinity"]');
  slice turnpike.books_slice;
begin
  with part as materialized (
    select c.*, row_number() over (order by c.user_id, c.kind, c.subject, c.period, c.starts_at) as position
    from spend_counters c
    where (c.user_id, c.kind, c.subject, c.period, c.starts_at)
      > ((behind ->> 0)::bigint, behind ->> 1, behind ->> 2, behind ->> 3, (behind ->> 4)::timestamptz)
    order by c.user_id, c.kind, c.subject, c.period, c.starts_at limit p_size
  ), looked as materialized (
    select p.user_id, p.kind, p.subject, p.period, p.starts_at, n.spent as spent_credit_micros,
      n.reserved as reserved_credit_micros
    from part p
      left join api_keys k on p.kind = 'key' and k.key_id = p.subject
      left join spend_counted g on g.user_id = p.user_id and g.kind = p.kind
        and g.subject = case p.kind when 'key' then p.subject else '' end,
      lateral turnpike.counter_now(p.user_id, p.kind, p.subject, p.period, p.starts_at) n
    -- Counters of test turns are no part of the books.
    where p.kind <> 'test_end_user' and turnpike.is_current_period(p.period, p.starts_at, k.window_seconds, p_moment)
      and (p.counted or turnpike.is_counted_from(g.since, p.starts_at))
  ), first as materialized (
    -- The id is computed once per period, because most counters share their period.
    select s.period, s.starts_at, turnpike.first_counted_id(s.starts_at) as id
    from (select distinct k.period, k.starts_at from looked k) s
  ), subjects as materialized (
    select k.user_id, k.kind, k.subject, min(f.id) as first_id
    from looked k
      join first f on f.period = k.period and f.starts_at = k.starts_at
    group by k.user_id, k.kind, k.subject
  ), scanned as materialized (
    select s.user_id, s.kind, s.subject, t.*
      from subjects s, lateral turnpike.subject_spend(s.user_id, s.kind, s.subject, s.first_id) t
  ), compared as (
    select k.user_id, k.kind, k.subject, k.period, k.starts_at, k.spent_credit_micros, k.reserved_credit_micros,
      coalesce(sum(s.spent), 0)::bigint as spent, coalesce(sum(s.reserved), 0)::bigint as reserved
    from looked k
      left join scanned s on s.user_id = k.user_id and s.kind = k.kind and s.subject = k.subject
      and turnpike.counts_in(k.period, k.starts_at, s.day, s.window_started_at)
    group by k.user_id, k.kind, k.subject, k.period, k.starts_at, k.spent_credit_micros, k.reserved_credit_micros
  )
  select (select count(*) from part),
    (select jsonb_build_array(p.user_id::text, p.kind, p.subject, p.period, p.starts_at::text)::text from part p
      where p.position = (select max(n.position) from part n)),
    array(select row(f.kind, c.user_id, null, null,
        jsonb_build_object('kind', c.kind, 'subject', c.subject, 'period', c.period, 'starts_at', c.starts_at),
        f.expected, f.found)::turnpike.finding
      from compared c, lateral (values ('counter_spent', c.spent, c.spent_credit_micros),
        ('counter_reserved', c.reserved, c.reserved_credit_micros)) f (kind, expected, found)
      where f.expected <> f.found), null
  into slice;
  return slice;
end $$;
