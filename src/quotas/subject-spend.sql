-- No turn that a counter counts has a smaller id. The id is from before the acceptance, which may wait or be asked again, and its worker's
-- clock may be behind.
create function turnpike.first_counted_id(p_starts_at timestamptz) returns text language sql stable as $$
  select 'turn_' || turnpike.id_time(p_starts_at - interval '1 hour')
$$;

-- Whether a counter counts the turns of a day and a window (subject_spend).
create function turnpike.counts_in(p_period text, p_starts_at timestamptz, p_day timestamptz, p_window timestamptz)
returns boolean language sql stable as $$
  select case p_period when 'day' then p_day is not distinct from p_starts_at
    when 'month' then date_trunc('month', p_day, 'UTC') is not distinct from p_starts_at
    else p_window is not distinct from p_starts_at end
$$;

-- What the turns of a key, an end user, an account or the members of a space were billed and hold, from p_first_id on, by the day of their acceptance and, of a key's, their
-- window: one scan for all of the subject's counters.
create function turnpike.subject_spend(p_user_id bigint, p_kind text, p_subject text, p_first_id text)
returns table (day timestamptz, window_started_at timestamptz, spent bigint, reserved bigint) language sql stable as $$
  -- The owner is no condition that an index could serve: only the key's own is to be read.
  select date_trunc('day', t.created_at, 'UTC'), t.window_started_at, sum(t.billed_credit_micros)::bigint,
      coalesce(sum(t.hold_credit_micros) filter (where t.finished_at is null), 0)::bigint
    from turns t where p_kind = 'key' and t.key_id = p_subject and t.user_id is not distinct from p_user_id
      and t.turn_id collate "C" >= p_first_id
    group by 1, 2
  union all
  select date_trunc('day', t.created_at, 'UTC'), null, sum(t.billed_credit_micros)::bigint,
      coalesce(sum(t.hold_credit_micros) filter (where t.finished_at is null), 0)::bigint
    from turns t where p_kind = 'end_user' and t.user_id = p_user_id and t.end_user_ref = p_subject and t.key_id is not null
      and t.turn_id collate "C" >= p_first_id
    group by 1
  union all
  -- With its web chat, and without its test turns.
  select date_trunc('day', t.created_at, 'UTC'), null, sum(t.billed_credit_micros)::bigint,
      coalesce(sum(t.hold_credit_micros) filter (where t.finished_at is null), 0)::bigint
    from turns t where p_kind = 'account' and t.user_id = p_user_id and not t.test and t.turn_id collate "C" >= p_first_id
    group by 1
  union all
  select date_trunc('day', t.created_at, 'UTC'), null, sum(t.billed_credit_micros)::bigint,
      coalesce(sum(t.hold_credit_micros) filter (where t.finished_at is null), 0)::bigint
    from turns t where p_kind = 'members' and t.user_id = p_user_id and not t.test and t.member_id is not null
      and t.space_id::text = p_subject and t.turn_id collate "C" >= p_first_id
    group by 1
$$;
