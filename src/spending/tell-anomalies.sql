-- An anomaly that was just found.
create type turnpike.found_anomaly as (
  anomaly_id text,
  subject text,
  spent bigint,
  usual bigint
);

-- Stores anomalies of a day and tells each with an event anomaly.found, unless an anomaly of a day next to it
-- continues. An account gets at most p_most anomalies that begin on one day. p_found: a list of
-- found_anomaly. told: those that were not known before.
create function turnpike.tell_anomalies(p_user_id bigint, p_kind text, p_day date, p_found jsonb,
  p_most integer, p_moment timestamptz, out told turnpike.found_anomaly[], out account turnpike.told_account)
language plpgsql as $$
declare
  one turnpike.found_anomaly;
begin
  told := '{}';
  -- Two sweeps of one account run one after another.
  perform pg_advisory_xact_lock(hashtext('anomalies'), hashtext(p_user_id::text));
  for one in select f.* from jsonb_populate_recordset(null::turnpike.found_anomaly, p_found) f loop
    update anomalies a set first_day = least(a.first_day, p_day), last_day = greatest(a.last_day, p_day),
      usual_credit_micros = case when one.spent > a.spent_credit_micros then one.usual else a.usual_credit_micros end,
      spent_credit_micros = greatest(a.spent_credit_micros, one.spent)
      where a.user_id = p_user_id and a.kind = p_kind and a.subject = one.subject
        and p_day between a.first_day - 1 and a.last_day + 1;
    continue when found or (select count(*) from anomalies a
      where a.user_id = p_user_id and a.first_day = p_day) >= p_most;
    insert into anomalies (
        anomaly_id, user_id, kind, subject, first_day, last_day, spent_credit_micros, usual_credit_micros,
        found_at)
    values (
        one.anomaly_id, p_user_id, p_kind, one.subject, p_day, p_day, one.spent, one.usual,
        p_moment);
    told := told || one;
    perform turnpike.tell_notice(p_user_id, 'anomaly.found', jsonb_build_object('anomaly_id', one.anomaly_id,
      'end_user_ref', case p_kind when 'end_user' then one.subject end,
      'key_id', case p_kind when 'key' then one.subject end,
      'space', case p_kind when 'space' then one.subject end,
      'day', p_day, 'spent_usd', turnpike.usd_decimal(one.spent)::numeric,
      'usual_usd', turnpike.usd_decimal(one.usual)::numeric), p_moment);
  end loop;
  select turnpike.owner_email(u.user_id), u.brand into account
    from users u
    where u.user_id = p_user_id;
end $$;
