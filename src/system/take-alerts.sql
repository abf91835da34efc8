-- An alert that a worker tells an operator now.
create type turnpike.taken_alert as (
  name text,
  message text,
  since timestamptz,
  ended_at timestamptz -- null: it still fails
);

-- Stores which checks fail, and returns the alerts to tell: failures that have lasted since p_since, and ends of
-- failures that were told. Other workers leave them alone until p_until.
-- p_checks: a list of {name, ok, message}. A check whose state is unknown (ok is null) changes nothing.
create function turnpike.take_alerts(p_checks jsonb, p_since timestamptz, p_until timestamptz, p_moment timestamptz)
returns turnpike.taken_alert[] language plpgsql as $$
declare
  taken turnpike.taken_alert[];
begin
  insert into alerts as a (
      name, message, since)
  select
      c.name, c.message, p_moment
  from jsonb_to_recordset(p_checks) as c(name text, ok boolean, message text)
  where c.ok = false
  -- Concurrent runs lock the rows in the same order, so they cannot deadlock.
  order by c.name
  on conflict (name) do update set message = excluded.message, ended_at = null,
    -- A failure whose end was not told yet continues.
    since = case when a.ended_at is null or a.told_at is not null then a.since else excluded.since end;
  update alerts a set ended_at = p_moment, message = c.message
    from jsonb_to_recordset(p_checks) as c(name text, ok boolean, message text)
    where c.name = a.name and c.ok and a.ended_at is null;
  delete from alerts a
    where a.ended_at is not null and a.told_at is null and (a.telling_until > p_moment) is not true;
  with due as (
    update alerts a set telling_until = p_until
      where (a.telling_until > p_moment) is not true
        and (a.ended_at is not null or (a.told_at is null and a.since <= p_since))
      returning a.name, a.message, a.since, a.ended_at
  )
  select array_agg(row(d.name, d.message, d.since, d.ended_at)::turnpike.taken_alert order by d.since,
    d.name) into taken
  from due d;
  return coalesce(taken, '{}');
end $$;

-- Records that an operator was told of an alert, or of its end (p_ended).
create function turnpike.note_alert_told(p_name text, p_ended boolean, p_moment timestamptz) returns boolean
language plpgsql as $$
begin
  if p_ended then
    delete from alerts a where a.name = p_name and a.ended_at is not null;
  else
    update alerts a set told_at = p_moment, telling_until = null where a.name = p_name and a.told_at is null;
  end if;
  return found;
end $$;
