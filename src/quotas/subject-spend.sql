-- Returns a lower bound for the ids of turns that count in a period. An id is made before its turn is accepted:
-- the acceptance may wait or be repeated, and the worker's clock may be slow.
create function turnpike.first_counted_id(p_starts_at timestamptz) returns text language sql stable as $$
  select 'turn_' || turnpike.id_time(p_starts_at - interval '1 hour')
$$;

-- Returns true if the counter of a period includes a row of subject_spend with this day and window.
create function turnpike.counts_in(p_period text, p_starts_at timestamptz, p_day timestamptz, p_window timestamptz)
returns boolean language sql stable as $$
  select case p_period when 'day' then p_day is not distinct from p_starts_at
    when 'month' then date_trunc('month', p_day, 'UTC') is not distinct from p_starts_at
    else p_window is not distinct from p_starts_at end
$$;

-- Returns what turns with several periods spent and hold in each of them, as subject_spend does for other turns.
create function turnpike.part_spend(p_user_id bigint, p_kind text, p_subject text, p_first_id text)
returns table (day timestamptz, window_started_at timestamptz, spent bigint, reserved bigint) language sql stable as $$
  select date_trunc('day', p.counted_at, 'UTC'), case when p_kind = 'key' then p.window_started_at end,
      sum(case when t.finished_at is null then coalesce(p.spent_credit_micros, 0) when t.billed_credit_micros = 0 then 0
        else coalesce(p.spent_credit_micros, t.billed_credit_micros - t.past_credit_micros) end)::bigint,
      coalesce(sum(t.hold_credit_micros - t.past_credit_micros) filter (where t.finished_at is null
        and p.spent_credit_micros is null), 0)::bigint
    from turn_parts p
      join turns t on t.turn_id = p.turn_id
    where p.user_id = p_user_id and 'turn_' || turnpike.id_time(p.counted_at) >= p_first_id
      and case p_kind when 'key' then p.key_id = p_subject when 'end_user' then p.end_user_ref = p_subject
        and p.key_id is not null
        when 'account' then true else p.member_id is not null and p.space_id::text = p_subject end
    group by 1, 2
$$;

-- Returns what the turns of a key, an end user, an account or the members of a space were billed and still hold.
-- Only turns from p_first_id on count. One scan serves all counters of the subject:
-- the sums are by day of acceptance, for a key also by window.
create function turnpike.subject_spend(p_user_id bigint, p_kind text, p_subject text, p_first_id text)
returns table (day timestamptz, window_started_at timestamptz, spent bigint, reserved bigint) language sql stable as $$
  -- `is not distinct from` keeps the planner from the owner's index: it must read only the index of the key.
  select date_trunc('day', t.created_at, 'UTC'), t.window_started_at, sum(t.billed_credit_micros)::bigint,
      coalesce(sum(t.hold_credit_micros) filter (where t.finished_at is null), 0)::bigint
    from turns t
    where p_kind = 'key' and t.key_id = p_subject and t.user_id is not distinct from p_user_id
      and t.turn_id collate "C" >= p_first_id and t.counted_at is null
    group by 1, 2
  union all
  select date_trunc('day', t.created_at, 'UTC'), null, sum(t.billed_credit_micros)::bigint,
      coalesce(sum(t.hold_credit_micros) filter (where t.finished_at is null), 0)::bigint
    from turns t
    where p_kind = 'end_user' and t.user_id = p_user_id and t.end_user_ref = p_subject and t.key_id is not null
      and t.turn_id collate "C" >= p_first_id and t.counted_at is null
    group by 1
  union all
  -- Includes the web chat, but not test turns.
  select date_trunc('day', t.created_at, 'UTC'), null, sum(t.billed_credit_micros)::bigint,
      coalesce(sum(t.hold_credit_micros) filter (where t.finished_at is null), 0)::bigint
    from turns t
    where p_kind = 'account' and t.user_id = p_user_id and not t.test and t.turn_id collate "C" >= p_first_id
      and t.counted_at is null
    group by 1
  union all
  select date_trunc('day', t.created_at, 'UTC'), null, sum(t.billed_credit_micros)::bigint,
      coalesce(sum(t.hold_credit_micros) filter (where t.finished_at is null), 0)::bigint
    from turns t
    where p_kind = 'members' and t.user_id = p_user_id and not t.test and t.member_id is not null
      and t.space_id::text = p_subject and t.turn_id collate "C" >= p_first_id and t.counted_at is null
    group by 1
  union all
  select *
    from turnpike.part_spend(p_user_id, p_kind, p_subject, p_first_id)
$$;
