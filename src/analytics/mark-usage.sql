-- Makes the sums before the first day of a month: the month of p_moment, or else the latest one without sums.
-- Returns false if there is nothing to do, or if another run is rolling up.
create function turnpike.mark_usage(p_moment timestamptz) returns boolean language plpgsql as $$
declare
  first_day date;
  day date := date_trunc('month', p_moment at time zone 'UTC');
begin
  if not pg_try_advisory_xact_lock(hashtext('roll_turns'), 0) then
    return false;
  end if;
  select (h.hour at time zone 'UTC')::date into first_day from usage_hours h order by h.hour limit 1;
  while exists (select from usage_marks m where m.until = day) loop
    day := day - interval '1 month';
  end loop;
  if first_day is null or day <= first_day then
    return false;
  end if;
  perform turnpike.sum_before(day,
    coalesce((select m.until from usage_marks m where m.until > day order by m.until limit 1), 'infinity'));
  insert into usage_marks (until) values (day);
  return true;
end $$;

-- Inserts the sums before p_until: the sums before the next mark p_later, minus the days between the two.
-- Rows are inserted in the order of their keys, because ranges read them in this order.
create function turnpike.sum_before(p_until date, p_later date) returns void language plpgsql as $$
begin
  insert into space_sums (
      until, space_id, turns, calls, tokens_input, tokens_cached, tokens_output,
      cost_credit_micros, billed_credit_micros, refunded_credit_micros)
    select
      p_until, s.space_id, sum(s.turns), sum(s.calls), sum(s.tokens_input), sum(s.tokens_cached), sum(s.tokens_output),
      sum(s.cost_credit_micros), sum(s.billed_credit_micros), sum(s.refunded_credit_micros)
    from (select space_id, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
      billed_credit_micros, refunded_credit_micros
        from space_sums where until = p_later
      union all select d.space_id, -d.turns, -d.calls, -d.tokens_input, -d.tokens_cached, -d.tokens_output,
        -d.cost_credit_micros, -d.billed_credit_micros, -d.refunded_credit_micros
      from space_days d where d.day >= p_until and d.day < p_later) s
    group by 2
    having sum(s.turns) <> 0 or sum(s.calls) <> 0 or sum(s.refunded_credit_micros) <> 0
    order by 2;
  insert into user_sums (
      until, user_id, turns, calls, tokens_input, tokens_cached, tokens_output,
      cost_credit_micros, billed_credit_micros, refunded_credit_micros)
    select
      p_until, s.user_id, sum(s.turns), sum(s.calls), sum(s.tokens_input), sum(s.tokens_cached), sum(s.tokens_output),
      sum(s.cost_credit_micros), sum(s.billed_credit_micros), sum(s.refunded_credit_micros)
    from (select user_id, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
      billed_credit_micros, refunded_credit_micros
        from user_sums where until = p_later
      union all select d.user_id, -d.turns, -d.calls, -d.tokens_input, -d.tokens_cached, -d.tokens_output,
        -d.cost_credit_micros, -d.billed_credit_micros, -d.refunded_credit_micros
      from user_days d where d.day >= p_until and d.day < p_later) s
    group by 2
    having sum(s.turns) <> 0 or sum(s.calls) <> 0 or sum(s.refunded_credit_micros) <> 0
    order by 2;
  insert into provider_space_sums (
      until, provider_key, space_id, turns, calls, tokens_input, tokens_cached,
      tokens_output, cost_credit_micros, billed_credit_micros, refunded_credit_micros)
    select
      p_until, s.provider_key, s.space_id, sum(s.turns), sum(s.calls), sum(s.tokens_input), sum(s.tokens_cached),
      sum(s.tokens_output), sum(s.cost_credit_micros), sum(s.billed_credit_micros), sum(s.refunded_credit_micros)
    from (select provider_key, space_id, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
        billed_credit_micros, refunded_credit_micros from provider_space_sums where until = p_later
      union all select d.provider_key, d.space_id, -d.turns, -d.calls, -d.tokens_input, -d.tokens_cached,
        -d.tokens_output, -d.cost_credit_micros, -d.billed_credit_micros, -d.refunded_credit_micros
      from provider_space_days d where d.day >= p_until and d.day < p_later) s
    group by 2, 3
    having sum(s.turns) <> 0 or sum(s.calls) <> 0 or sum(s.refunded_credit_micros) <> 0
    order by 2, 3;
end $$;
