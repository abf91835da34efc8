-- Checks the rollups of past days: rollup and queue together must equal the raw records.
-- p_scope: 'all' checks p_size days after p_position. 'recent' checks the last day and a random earlier day.
-- There is one finding for each number that differs, by the key of its rollup.
create function turnpike.rollups_slice(p_position text, p_size integer, p_scope text, p_moment timestamptz)
returns turnpike.books_slice
language plpgsql stable set plan_cache_mode = force_custom_plan set jit = off as $$
declare
  last_day date := (p_moment at time zone 'UTC')::date - 1;
  first_day date;
  looked date;
  slice turnpike.books_slice;
begin
  select least((select (c.settled_at at time zone 'UTC')::date from model_calls c where c.settled_at is not null
    order by c.turn_id limit 1),
    (select (h.hour at time zone 'UTC')::date from usage_hours h order by h.hour limit 1),
    (select (l.created_at at time zone 'UTC')::date from ledger l order by l.ledger_id limit 1)) into first_day;
  slice.rows := 0;
  slice.last := p_position;
  slice.findings := '{}';
  if p_scope = 'recent' then
    if first_day <= last_day then
      looked := first_day + floor(random() * (last_day - first_day))::integer;
      slice.findings := turnpike.day_findings(last_day, false, false) || case when looked < last_day
        then turnpike.day_findings(looked, true, false) else '{}' end;
    end if;
    return slice;
  end if;
  for looked in
    select g.day::date
      from generate_series(greatest(first_day, nullif(p_position, '')::date + 1)::timestamp, last_day::timestamp,
      interval '1 day') g(day) limit p_size
  loop
    slice.rows := slice.rows + 1;
    slice.last := looked::text;
    slice.findings := slice.findings || turnpike.day_findings(looked, looked = last_day
      or exists (select from usage_marks m where m.until = looked + 1), looked = last_day);
  end loop;
  return slice;
end $$;

-- Returns the findings of one day. p_sums: also checks the sums before the marks on both sides of the day, and the
-- month of the day for each end user. p_totals: also checks the sums of end users.
-- If the calls of a turn do not add up to the turn, differences of usage on its day are not reported.
-- The check of that turn reports it, and the rollup may be right.
create function turnpike.day_findings(p_day date, p_sums boolean, p_totals boolean) returns turnpike.finding[]
language plpgsql stable
set plan_cache_mode = force_custom_plan set jit = off set work_mem = '64MB' as $$
declare
  differs boolean := exists (select from turnpike.usage_differences(p_day));
  is_told boolean;
begin
  -- Usually nothing differs, so turns need not be read.
  is_told := differs and not exists (
    select from (
      select r.turn_id, jsonb_build_array(sum(r.calls), sum(r.tokens_input), sum(r.tokens_cached), sum(r.tokens_output),
        sum(r.cost_credit_micros), sum(r.billed_credit_micros)) as said
      from turnpike.raw_usage(p_day::timestamp at time zone 'UTC', (p_day + 1)::timestamp at time zone 'UTC') r
      where r.refunded_credit_micros = 0
      group by r.turn_id) r
    join turns t on t.turn_id = r.turn_id
    where r.said <> jsonb_build_array(t.model_calls, t.tokens_input, t.tokens_cached, t.tokens_output,
      t.cost_credit_micros, t.billed_credit_micros));
  return array(
    select row('rollup', null, null, null,
      jsonb_build_object('kind', 'rollup', 'period', d.period, 'starts_at', d.starts_at,
        'subject', concat_ws(' ', d.family, d.key, n.name)), (d.said ->> n.name)::bigint,
          (d.kept ->> n.name)::bigint)::turnpike.finding
    from (select * from turnpike.usage_differences(p_day) where is_told union all select *
      from turnpike.ledger_differences(p_day)
      union all select * from turnpike.error_differences(p_day) union all select * from turnpike.sum_differences(p_day)
        where p_sums
      union all select * from turnpike.customer_differences(p_day)
      union all select * from turnpike.customer_month_differences(p_day) where p_sums
      union all select * from turnpike.customer_sum_differences(p_day) where p_totals) d,
      lateral (select distinct k.name
        from (select jsonb_object_keys(d.said) union select jsonb_object_keys(d.kept)) k(name)) n
    where d.said -> n.name is distinct from d.kept -> n.name
    order by d.family, d.key, d.starts_at, n.name);
end $$;

-- Returns the keys of usage rollups that differ from the raw records of a day.
-- said: the sums of the raw records. kept: the sums of rollup and queue.
-- Both map names to sums, and are null if there are no rows.
create function turnpike.usage_differences(p_day date)
returns table (family text, key text, period text, starts_at timestamptz,
  said jsonb, kept jsonb) language sql stable as $$
  with span as materialized (
    select p_day::timestamp at time zone 'UTC' as begins, (p_day + 1)::timestamp at time zone 'UTC' as ends
  ), raw as materialized (
    select r.* from span s, lateral turnpike.raw_usage(s.begins, s.ends) r
  ), queued as materialized (
    select q.* from span s, usage_queue q where q.ended_at >= s.begins and q.ended_at < s.ends
  ), sides as materialized (
    select true as is_raw, r.ended_at, r.user_id, r.space_id, r.key_id, r.pooled, r.provider_key, r.role, r.model,
      (select o.brand from account_brands o where o.user_id = r.user_id) as brand, {{rollups.numbers r}}
    from raw r
    union all select false, q.ended_at, q.user_id, q.space_id, q.key_id, q.pooled, q.provider_key, q.role, q.model,
      (select o.brand from account_brands o where o.user_id = q.user_id), {{rollups.numbers q}}
    from queued q
  ), rows as (
    {{rollups.bothSides}}
  ), summed as (
    select w.family, w.key, w.period, w.starts_at, bool_or(w.is_raw) as is_said, bool_or(not w.is_raw) as is_kept,
      array[{{rollups.sums w.is_raw}}] as said, array[{{rollups.sums not w.is_raw}}] as kept
    from rows w
    group by w.family, w.key, w.period, w.starts_at
  )
  select u.family, u.key, u.period, u.starts_at, case when u.is_said then turnpike.named_sums(u.said) end,
    case when u.is_kept then turnpike.named_sums(u.kept) end
  from summed u
  where u.said is distinct from u.kept or u.is_said is distinct from u.is_kept
$$;

-- Maps names to the sums of a key. Sums that its family does not have are omitted.
create function turnpike.named_sums(p_sums bigint[]) returns jsonb language sql immutable as $$
  select jsonb_strip_nulls(jsonb_object_agg(n.name, n.sum))
    from unnest(array[{{rollups.names}}],
    p_sums) n(name, sum)
$$;

-- Returns the same for rollups of the ledger.
create function turnpike.ledger_differences(p_day date)
returns table (family text, key text, period text, starts_at timestamptz,
  said jsonb, kept jsonb) language sql stable as $$
  with span as materialized (
    select p_day::timestamp at time zone 'UTC' as begins, (p_day + 1)::timestamp at time zone 'UTC' as ends
  ), raw as materialized (
    select l.ledger_id, l.user_id, reported_reason(l.reason, l.turn_id) as reason, l.amount_credit_micros as amount,
      l.balance_after_credit_micros as balance
    from span s, ledger l
    where l.created_at >= s.begins and l.created_at < s.ends
  ), queued as materialized (
    select q.ledger_id, q.user_id, q.reason, q.amount_credit_micros as amount, q.balance_after_credit_micros as balance
    from span s, ledger_queue q
    where q.created_at >= s.begins and q.created_at < s.ends
  ), reasons as (
    select true as is_raw,
      concat_ws(' ', r.reason, (select o.brand from account_brands o where o.user_id = r.user_id)) as key, 1 as entries,
      greatest(r.amount, 0) as given, least(r.amount, 0) as taken
    from raw r
    union all select false,
      concat_ws(' ', q.reason, (select o.brand from account_brands o where o.user_id = q.user_id)), 1,
      greatest(q.amount, 0), least(q.amount, 0)
    from queued q
    union all select false, concat_ws(' ', d.reason, d.brand), d.entries, d.given_credit_micros, d.taken_credit_micros
    from ledger_days d
    where d.day = p_day
  ), people as (
    select true as is_raw, r.user_id, r.ledger_id, r.balance, (r.reason in ('usage', 'space_usage'))::integer as debits
    from raw r
    union all select false, q.user_id, q.ledger_id, q.balance, (q.reason in ('usage', 'space_usage'))::integer
    from queued q
    union all select false, d.user_id, d.ledger_id, d.balance_after_credit_micros, d.debits
    from ledger_user_days d
      where d.day = p_day and d.user_id in (select r.user_id from raw r
        union select a.user_id from ledger_user_days a where a.day = p_day and a.debits > 0)
  ), summed as (
    select 'ledger_days' as family, r.key, r.is_raw,
      jsonb_build_object('entries', sum(r.entries), 'given_credit_micros',
      coalesce(sum(r.given), 0), 'taken_credit_micros', coalesce(sum(r.taken), 0)) as sums
    from reasons r
    group by r.key, r.is_raw
    union all
    select 'ledger_user_days', p.user_id::text, p.is_raw,
      jsonb_build_object('ledger_id', max(p.ledger_id), 'debits', sum(p.debits),
      'balance_after_credit_micros', (array_agg(p.balance order by p.ledger_id desc))[1])
    from people p
    group by p.user_id, p.is_raw
  )
  select coalesce(a.family, b.family), coalesce(a.key, b.key), 'day', s.begins, a.sums, b.sums
  from span s, (select * from summed where is_raw) a
    full join (select * from summed where not is_raw) b
    on b.family = a.family and b.key = a.key
  where a.sums is distinct from b.sums
$$;

-- Returns the same for the counted failures.
create function turnpike.error_differences(p_day date)
returns table (family text, key text, period text, starts_at timestamptz,
  said jsonb, kept jsonb) language sql stable as $$
  with span as materialized (
    select p_day::timestamp at time zone 'UTC' as begins, (p_day + 1)::timestamp at time zone 'UTC' as ends
  ), said as (
    select concat_ws(' ', x.kind, nullif(x.brand, '')) as key, count(*) as failures
    from span s, infrastructure_errors x
    where x.created_at >= s.begins and x.created_at < s.ends
    group by 1
  ), kept as (
    select concat_ws(' ', d.kind, nullif(d.brand, '')) as key, d.failures
    from error_days d
    where d.day = p_day and d.failures <> 0
  )
  select 'error_days', coalesce(a.key, b.key), 'day', s.begins, jsonb_build_object('failures', a.failures),
    jsonb_build_object('failures', b.failures)
  from span s, said a
    full join kept b on b.key = a.key
  where a.failures is distinct from b.failures
$$;

-- Checks that the sums before the next mark equal the sums before the previous mark plus the days between them.
-- Returns the keys with a difference. kept: the difference. said: 0 for each name.
create function turnpike.sum_differences(p_day date)
returns table (family text, key text, period text, starts_at timestamptz, said jsonb,
  kept jsonb) language sql stable as $$
  with marks as materialized (
    select (select coalesce(min(m.until), 'infinity') from usage_marks m where m.until > p_day) as later,
      (select coalesce(max(m.until), '-infinity') from usage_marks m where m.until <= p_day) as earlier
  ), rows as (
    {{rollups.betweenMarks}}
  ), summed as (
    select r.family, r.key, jsonb_build_object({{rollups.namedMeasures r}}) as sums
    from rows r
    group by r.family, r.key
    having {{rollups.isNotZero r}}
  )
  select u.family, u.key, 'day', p_day::timestamp at time zone 'UTC',
    (select jsonb_object_agg(e.key, 0) from jsonb_each(u.sums) e), u.sums
  from summed u
$$;
