-- Returns where a report on the ledger begins (from_at) and what each of its buckets covers (unit).
-- p_from: null for all time. Then it begins with the day (UTC) of the earliest ledger row or unposted charge.
-- A range of all time has at least the last day before p_to.
-- unit: a day in ranges of up to p_daily days, a week in ranges of up to p_weekly days, otherwise a month.
create function turnpike.ledger_range(p_from timestamptz, p_to timestamptz, p_daily integer, p_weekly integer,
  out from_at timestamptz, out unit text) language plpgsql stable as $$
declare
  rolled timestamptz;
  queued timestamptz;
  posted timestamptz;
begin
  from_at := p_from;
  if p_from is null then
    select d.day::timestamp at time zone 'UTC' into rolled from ledger_days d order by d.day limit 1;
    select min(q.created_at) into queued from ledger_queue q;
    select p.created_at into posted from postings p order by p.created_at limit 1;
    from_at := date_trunc('day', least(rolled, queued, posted, p_to - interval '1 microsecond'), 'UTC');
  end if;
  unit := case when p_to - from_at <= make_interval(hours => 24 * p_daily) then 'day'
    when p_to - from_at <= make_interval(hours => 24 * p_weekly) then 'week' else 'month' end;
end $$;

-- Returns what was booked in a range, by reported_reason() and by the day, week or month (UTC) of the booking.
-- given_credit_micros: the sum of positive amounts. taken_credit_micros: the sum of negative amounts.
-- Whole days are read from the rollup and its queue, cut days from the ledger. Unposted charges count too.
-- A bucket and reason may have several rows. p_brand: null for the accounts of all brands.
create function turnpike.ledger_sums(p_from timestamptz, p_to timestamptz, p_unit text, p_brand text)
returns table (bucket text, reason text,
  given_credit_micros bigint, taken_credit_micros bigint) language plpgsql stable set jit = off as $$
declare
  w record;
begin
  w := turnpike.whole_days(p_from, p_to);
  return query
    select date_trunc(p_unit, s.day::timestamp)::date::text, s.reason, sum(s.given)::bigint, sum(s.taken)::bigint
      from (
      select d.day, d.reason, d.given_credit_micros as given, d.taken_credit_micros as taken
        from ledger_days d
        where d.day >= w.from_day and d.day < w.to_day and (p_brand is null or d.brand = p_brand)
      union all
      select (q.created_at at time zone 'UTC')::date, q.reason, greatest(q.amount_credit_micros, 0),
        least(q.amount_credit_micros, 0)
        from ledger_queue q
        where q.created_at >= w.head_until and q.created_at < w.tail_from and {{rollups.ofBrand q.user_id}}
      union all
      select (p.created_at at time zone 'UTC')::date, p.reason, greatest(p.amount_credit_micros, 0),
        least(p.amount_credit_micros, 0)
        from postings p
        where p.created_at >= p_from and p.created_at < p_to and {{rollups.ofBrand p.user_id}}
    ) s
      group by 1, 2;
  if p_from < w.head_until then
    return query select l.* from turnpike.raw_ledger_sums(p_from, w.head_until, p_unit, p_brand) l;
  end if;
  if w.tail_from < p_to then
    return query select l.* from turnpike.raw_ledger_sums(w.tail_from, p_to, p_unit, p_brand) l;
  end if;
end $$;

-- Returns the same from ledger rows alone. It is for short spans only.
create function turnpike.raw_ledger_sums(p_from timestamptz, p_to timestamptz, p_unit text, p_brand text)
returns table (bucket text, reason text,
  given_credit_micros bigint, taken_credit_micros bigint) language sql stable as $$
  select date_trunc(p_unit, l.created_at at time zone 'UTC')::date::text, reported_reason(l.reason, l.turn_id),
    sum(greatest(l.amount_credit_micros, 0))::bigint, sum(least(l.amount_credit_micros, 0))::bigint
  from ledger l
  where l.created_at >= p_from and l.created_at < p_to and {{rollups.ofBrand l.user_id}}
  group by 1, 2
$$;
