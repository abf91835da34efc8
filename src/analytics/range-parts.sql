-- How a range is read: the days from from_day to to_day from rollups and the queue, what is left at both ends from raw records. The days
-- are the sums before `plus` less those before `minus`, with the days of two spans, each added or taken away; `plus` is null where the
-- days alone are the shorter way.
create function turnpike.range_parts(p_from timestamptz, p_to timestamptz, out from_day date, out to_day date, out head_until timestamptz,
  out tail_from timestamptz, out plus date, out minus date, out first_from date, out first_to date, out first_sign integer,
  out last_from date, out last_to date, out last_sign integer) language plpgsql stable as $$
declare
  -- Reading a sum of all is as much as reading so many days.
  days_of_sum constant integer := 9;
  oldest date;
  newest date;
  near date;
  away integer;
  also integer;
begin
  from_day := (p_from at time zone 'UTC')::date;
  if from_day::timestamp < p_from at time zone 'UTC' then
    from_day := from_day + 1;
  end if;
  to_day := (p_to at time zone 'UTC')::date;
  head_until := least(p_to, from_day::timestamp at time zone 'UTC');
  tail_from := greatest(head_until, to_day::timestamp at time zone 'UTC');
  select (h.hour at time zone 'UTC')::date into oldest from usage_hours h order by h.hour limit 1;
  select (h.hour at time zone 'UTC')::date + 1 into newest from usage_hours h order by h.hour desc limit 1;
  first_from := greatest(from_day, oldest);
  first_to := least(to_day, newest);
  first_sign := 1;
  if oldest is null or first_from >= first_to then
    return;
  end if;
  select m.until, abs(greatest(m.until, oldest) - first_from) into near, away
    from (select u.until from usage_marks u union all select '-infinity') m order by 2 limit 1;
  select m.until, abs(least(m.until, newest) - first_to) into plus, also
    from (select u.until from usage_marks u union all select 'infinity') m order by 2 limit 1;
  if first_to - first_from <= away + also + 2 * days_of_sum or near >= plus then
    plus := null;
    return;
  end if;
  minus := near;
  last_from := least(first_to, plus);
  last_to := greatest(first_to, plus);
  last_sign := case when plus < first_to then 1 else -1 end;
  first_to := greatest(first_from, minus);
  first_sign := case when minus > first_from then 1 else -1 end;
  first_from := least(first_from, minus);
end $$;

-- What was used by turns that ended in a span, from raw records: rows as those of usage_queue, one for each call. Short spans only.
create function turnpike.raw_usage(p_from timestamptz, p_to timestamptz) returns table (ended_at timestamptz, user_id bigint,
  space_id bigint, tokens_input bigint, tokens_cached bigint, tokens_output bigint, tokens_input_most bigint, cost_credit_micros bigint,
  billed_credit_micros bigint, duration_us bigint, calls integer, keyed_calls integer, turns integer, pooled boolean, provider_key text,
  role text, model text, turn_id text) language sql stable as $$
  select u.settled_at, u.user_id, u.space_id, u.tokens_input, u.tokens_cached, u.tokens_output, u.tokens_input, u.cost_credit_micros,
    u.billed_credit_micros, (u.duration_sec * 1e6)::bigint, 1, 1,
    (row_number() over (partition by u.turn_id order by u.step, u.role) = 1)::integer, coalesce(u.subscription_id !~ '^[0-9]+$', false),
    case when u.subscription_id !~ '^[0-9]+$' then u.subscription_id else u.provider end, u.role, u.model, u.turn_id
  from usage u where u.settled_at >= p_from and u.settled_at < p_to
    and not coalesce(u.test, (select t.test from turns t where t.turn_id = u.turn_id), false)
  union all
  select c.settled_at, c.user_id, c.space_id, c.tokens_input, c.tokens_cached, c.tokens_output, (c.tokens_input + c.calls - 1) / c.calls,
    c.cost_credit_micros, c.billed_credit_micros, 0, c.calls, 0,
    (row_number() over (partition by c.turn_id order by c.step, c.role) = 1)::integer, coalesce(c.subscription_id !~ '^[0-9]+$', false),
    case when c.subscription_id !~ '^[0-9]+$' then c.subscription_id else c.provider end, c.role, c.model, c.turn_id
  from chat_calls c where c.settled_at >= p_from and c.settled_at < p_to and not c.test
  union all
  select t.finished_at, t.user_id, t.space_id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, false, split_part(t.model, '/', 1), 'orchestrator', t.model,
    t.turn_id
  from turns t where t.finished_at >= p_from and t.finished_at < p_to and t.model_calls = 0 and not t.test
$$;
