-- Where a round of comparisons continues: on a day, after an account, or in it.
create type turnpike.comparison_place as (
  day date,
  user_id bigint,
  kind text, -- null: after the account
  after text -- null: after the account
);

-- Begins a round of comparisons, or continues the one that is not over. place: where; null if no round is due.
-- A round begins p_every seconds after the last one began, with the day that was p_closed seconds ago at that time,
-- but at most p_days days ago.
create function turnpike.begin_comparison(p_moment timestamptz, p_every integer, p_closed integer, p_days integer,
  out place turnpike.comparison_place)
language plpgsql as $$
declare
  today constant date := (p_moment at time zone 'UTC')::date;
  closed constant interval := make_interval(secs => p_closed);
  continues jsonb;
begin
  -- After an outage, turns are rolled up first.
  if exists (select from (select e.ended_at from turn_ends e limit 1) q where q.ended_at < p_moment - closed) then
    return;
  end if;
  insert into anomaly_rounds as r (begun_at, place)
    values (p_moment, jsonb_build_object('day', ((p_moment - closed) at time zone 'UTC')::date, 'user_id', 0))
    on conflict (one) do update set begun_at = case when r.place is null then p_moment else r.begun_at end,
      place = coalesce(r.place, jsonb_build_object(
        'day', greatest(((r.begun_at - closed) at time zone 'UTC')::date, today - p_days), 'user_id', 0))
      where r.place is not null or r.begun_at <= p_moment - make_interval(secs => p_every)
    returning r.place into continues;
  place := jsonb_populate_record(null::turnpike.comparison_place, continues);
end $$;

-- Stores where the next sweep continues; null: the round is over. Deletes up to p_limit anomalies that ended before
-- p_forget.
create function turnpike.end_comparison(p_place jsonb, p_forget date, p_limit integer) returns boolean
language plpgsql set enable_seqscan = off as $$
begin
  update anomaly_rounds r set place = p_place;
  delete from anomalies a
    where a.anomaly_id = any (array(select o.anomaly_id from anomalies o
      where o.last_day < p_forget
      order by o.last_day limit p_limit));
  return true;
end $$;

-- Returns the next account after p_after, by id, with a spend above p_floor on a day. Looks at up to p_limit accounts.
-- account: null if none of these has. last: the last of them; null if there are no more.
create function turnpike.next_spending_account(p_day date, p_after bigint, p_floor bigint, p_limit integer,
  out account bigint, out last bigint)
language plpgsql stable set enable_seqscan = off as $$
begin
  select min(d.user_id) filter (where d.billed_credit_micros > p_floor),
    case when count(*) = p_limit then max(d.user_id) end
    into account, last
    from (select u.user_id, u.billed_credit_micros
      from user_days u
      where u.day = p_day and u.user_id > p_after
      order by u.user_id limit p_limit) d;
end $$;

-- An end user, a key or a space whose spend on a day may be far above its pattern, with its spend of the days before.
create type turnpike.high_spender as (
  subject text,
  spent bigint,
  before turnpike.spent_day[]
);

-- Looks at a page of the end users, keys or spaces of an account. Returns those that may have spent far above their
-- pattern on a day: more than p_floor, and more than p_times their least day since p_from.
-- p_kind: 'end_user', 'key' or 'space'. p_after: the last subject of the page before, or ''.
-- last: the last subject of this page. It is null after the last page.
create function turnpike.high_spenders(p_user_id bigint, p_kind text, p_from date, p_day date, p_after text,
  p_limit integer, p_floor bigint, p_times integer, out spenders turnpike.high_spender[], out last text)
language plpgsql stable set enable_seqscan = off set jit = off as $$
declare
  subjects text[];
begin
  if p_kind = 'end_user' then
    subjects := array(select d.end_user_ref from end_user_days d
      where d.user_id = p_user_id and not d.test and d.day = p_day and d.end_user_ref > p_after
      order by d.end_user_ref limit p_limit);
  elsif p_kind = 'key' then
    -- Web chats have no key: '' is not after ''.
    subjects := array(select d.key_id from key_days d
      where d.day = p_day and d.user_id = p_user_id and d.key_id > p_after
      order by d.key_id limit p_limit);
  else
    subjects := array(select s.slug from spaces s
      where s.user_id = p_user_id and not s.test and s.slug collate "C" > p_after collate "C"
      order by s.slug collate "C" limit p_limit);
  end if;
  last := case when cardinality(subjects) = p_limit then subjects[p_limit] end;
  spenders := array(
    select row(x.subject, x.spent, x.before)::turnpike.high_spender
    from (
      select n.subject, t.amount as spent,
        array(select b from turnpike.subject_days(p_user_id, p_kind, n.subject, p_from, p_day - 1) b) as before
      from unnest(subjects) n(subject),
        turnpike.subject_days(p_user_id, p_kind, n.subject, p_day, p_day) t
      where t.amount > p_floor) x
    where x.spent > p_times * (select min(b.amount) from unnest(x.before) b where b.amount > 0));
end $$;

-- The billed amounts of an end user, a key or a space by day, of turns that are rolled up.
create function turnpike.subject_days(p_user_id bigint, p_kind text, p_subject text, p_from date, p_until date)
returns setof turnpike.spent_day language plpgsql stable set enable_seqscan = off as $$
begin
  if p_kind = 'end_user' then
    -- One look-up for each day, since the index begins with the day.
    return query select d.day, d.billed_credit_micros
      from generate_series(0, p_until - p_from) n,
        lateral (select r.day, r.billed_credit_micros from end_user_days r where r.user_id = p_user_id and not r.test
          and r.day = p_from + n and r.end_user_ref = p_subject) d;
  elsif p_kind = 'key' then
    return query select d.day, d.billed_credit_micros
      from generate_series(0, p_until - p_from) n,
        lateral (select r.day, r.billed_credit_micros from key_days r where r.day = p_from + n
          and r.user_id = p_user_id and r.key_id = p_subject) d;
  else
    return query select d.day, d.billed_credit_micros
      from space_days d
      where d.space_id = (select s.space_id from spaces s where s.slug = p_subject) and d.day between p_from
        and p_until;
  end if;
end $$;
