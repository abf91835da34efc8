-- Returns when each sweep has work next, by the sweep's name. A sweep without a row has none at a known moment.
-- A moment in the past means now. The worker then knows until when the cron may sleep (docs/architecture/sleep.md).
-- The arguments are times in seconds. After p_erasure_check an erasure is searched again. p_upload_limit is the age of
-- an abandoned upload. After p_shards_idle an account gives its shards back. p_books_every is the time between
-- reconciliations. After p_poll_late a poll or a refresh counts as lost. An exported hour closes
-- p_export_closes after its end. Spans are given up after p_traces_kept. No
-- transaction takes p_longest.
create function turnpike.due_work(p_erasure_check integer, p_upload_limit integer, p_shards_idle integer,
  p_books_every integer, p_poll_late integer, p_export_closes integer, p_traces_kept integer, p_longest integer)
returns table (sweep text, at timestamptz)
language plpgsql stable set enable_seqscan = off set jit = off as $$
declare
  second constant interval := interval '1 second';
begin
  return query
  -- The end of its lease, its pause or its queue limit is at most an hour away, so an open turn is due now. Turns that
  -- wait for a limit or a person are not: what they wait for is a request, or a moment.
  select 'turns',
    (select o.created_at from open_turns o where o.wake_at < 'infinity' and o.state in ('queued', 'running') limit 1)
  union all select 'waits',
    least((select min(w.expires_at) from waiting_turns w), (select min(a.due_at) from waiting_accounts a),
    (select min(o.expires_at) from open_turns o where o.state = 'blocked'))
  -- A key, an account or a space whose turns must end is done some minutes later.
  union all select 'keys', (select k.created_at from api_keys k where k.ending_turns limit 1)
  union all select 'disabled_users', (select u.created_at from users u where u.ending_turns limit 1)
  union all select 'spaces', (select s.created_at from spaces s where s.ending_turns limit 1)
  union all select 'erasures',
    (select min(coalesce(e.erased_at + p_erasure_check * second, e.tried_at)) from erasures e
      where e.checked_at is null)
  -- Before the URL of an endpoint is verified, only its ping is sent.
  union all select 'webhooks', (select min(case when w.verified_at is null
      then (select d.next_attempt_at from webhook_deliveries d where d.delivery_id = w.ping_id and d.state = 'pending')
      else (select d.next_attempt_at from webhook_deliveries d where d.webhook_id = w.webhook_id and d.state = 'pending'
        order by d.next_attempt_at limit 1) end)
    from webhook_endpoints w where w.deleted_at is null and w.disabled_at is null)
  union all select 'stopped_webhooks', (select w.updated_at from webhook_endpoints w where w.stopping limit 1)
  union all select 'activity', (select a.created_at from activity_queue q join audit_log a on a.audit_id = q.audit_id
    limit 1)
  union all select 'files', least(
    (select min(f.updated_at) from files f where f.state = 'deleted' and f.object_removed_at is null),
    (select min(f.created_at) + p_upload_limit * second from files f where f.state = 'uploading'))
  union all select 'postings', least((select min(q.created_at) from postings q),
    (select min((select l.created_at from ledger l where l.user_id = w.user_id order by l.ledger_id desc limit 1))
      + p_shards_idle * second
      from wallets w where w.shards > 0))
  union all select 'ledger_exports', least(
    (select min(l.created_at) from ledger_exports x, lateral (select n.created_at from ledger n
      where n.user_id = x.user_id and n.ledger_id > x.ledger_id order by n.ledger_id limit 1) l where x.enabled),
    (select min(h.hour) + interval '1 hour' + p_export_closes * second from export_hours h where h.closed_at is null))
  union all select 'budgets', (select min(l.created_at) from budgets b, lateral (select n.created_at from ledger n
    where n.user_id = b.user_id and n.ledger_id > b.ledger_id order by n.ledger_id limit 1) l
    where b.amount_credit_micros is not null)
  union all select 'statements', (select min(s.created_at) from statements s where s.closed_at is null)
  union all select 'report_files', least(
    (select min(f.updated_at) from report_files f where f.expires_at is null),
    (select min(f.expires_at) from report_files f where f.expires_at is not null))
  -- Sums of months and balances of days may wait: readers compute what is not there yet.
  union all select 'analytics',
    least((select t.ended_at from turn_ends t limit 1), (select q.created_at from ledger_queue q limit 1))
  -- A subscription that was tried in vain is tried again whenever the cron is awake.
  union all select 'plans',
    (select min((s.starts_at at time zone 'UTC') + make_interval(months => s.credited_periods)) filter (
      where (s.credit_tried_at at time zone 'UTC' >= (s.starts_at at time zone 'UTC')
        + make_interval(months => s.credited_periods)) is not true)
    from subscriptions s where s.crediting) at time zone 'UTC'
  -- A pass that has begun, or the next one if anything was booked or ended that the last one may not have seen.
  union all select 'books', (select case when r.finished_at is null then r.started_at
      when exists (select from ledger l where l.ledger_id > r.ledger_mark
        and l.created_at >= r.started_at - p_longest * second)
        or exists (select from turns t where t.turn_id > r.turn_mark
          and coalesce(t.finished_at, t.created_at) >= r.started_at - p_longest * second)
        then r.started_at + p_books_every * second end
    from reconciliations r order by r.started_at desc limit 1)
  -- The operator's endpoint may be gone, so its retries wait until the cron is awake.
  union all select 'traces', (select min(x.next_at) from trace_exports x
    where x.user_id is not null and turnpike.has_ended_after(x, 'infinity', x.next_at - p_traces_kept * second))
  union all select 'provider_logins', least(
    (select min(least(l.expires_at, case l.pool when 'alt-pool' then l.due_at + p_poll_late * second end))
      from provider_logins l where l.state = 'polling'),
    (select min(c.refreshing_until) + p_poll_late * second from provider_credentials c
      where c.refreshing_until is not null));
end $$;
