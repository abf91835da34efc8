-- Adds rows of ended turns to the totals of end users, by day, by month and over all time.
create function turnpike.add_end_users(p_taken turn_ends[]) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
begin
  with taken as materialized (
    select t.user_id, t.test, t.end_user_ref, t.ended_at, (t.ended_at at time zone 'UTC')::date as day,
      t.turns::bigint as turns, case when t.state = 'done' then t.turns else 0 end as done,
      case when t.state = 'failed' then t.turns else 0 end as failed, t.billed_credit_micros,
      t.refunded_credit_micros, t.took_us
    from unnest(p_taken) t
    where t.end_user_ref <> ''
  ), days as (
    insert into end_user_days as r (
        user_id, test, day, end_user_ref, turns, done, failed,
        billed_credit_micros, refunded_credit_micros, took_us)
    select
        t.user_id, t.test, t.day, t.end_user_ref, sum(t.turns), sum(t.done), sum(t.failed),
        sum(t.billed_credit_micros), sum(t.refunded_credit_micros), sum(t.took_us)
    from taken t
    group by 1, 2, 3, 4
    on conflict (user_id, test, day, end_user_ref) do update set turns = r.turns + excluded.turns,
      done = r.done + excluded.done, failed = r.failed + excluded.failed,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros,
      refunded_credit_micros = r.refunded_credit_micros + excluded.refunded_credit_micros,
      took_us = r.took_us + excluded.took_us
  ), months as (
    insert into end_user_months as r (
        user_id, test, month, end_user_ref, turns, done, failed,
        billed_credit_micros, refunded_credit_micros, took_us)
    select
        t.user_id, t.test, date_trunc('month', t.day)::date, t.end_user_ref, sum(t.turns), sum(t.done), sum(t.failed),
        sum(t.billed_credit_micros), sum(t.refunded_credit_micros), sum(t.took_us)
    from taken t
    group by 1, 2, 3, 4
    on conflict (user_id, test, month, end_user_ref) do update set turns = r.turns + excluded.turns,
      done = r.done + excluded.done, failed = r.failed + excluded.failed,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros,
      refunded_credit_micros = r.refunded_credit_micros + excluded.refunded_credit_micros,
      took_us = r.took_us + excluded.took_us
  )
  insert into end_user_sums as r (user_id, test, end_user_ref, turns, done, failed, billed_credit_micros,
    refunded_credit_micros, took_us, last_ended_at)
  select t.user_id, t.test, t.end_user_ref, sum(t.turns), sum(t.done), sum(t.failed), sum(t.billed_credit_micros),
    sum(t.refunded_credit_micros), sum(t.took_us),
    -- A refund can come before its turn.
    coalesce(max(t.ended_at) filter (where t.refunded_credit_micros = 0), '-infinity')
  from taken t
  group by 1, 2, 3
  on conflict (user_id, test, end_user_ref) do update set turns = r.turns + excluded.turns,
    done = r.done + excluded.done, failed = r.failed + excluded.failed,
    billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros,
    refunded_credit_micros = r.refunded_credit_micros + excluded.refunded_credit_micros,
    took_us = r.took_us + excluded.took_us, last_ended_at = greatest(r.last_ended_at, excluded.last_ended_at);
end $$;
