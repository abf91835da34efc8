-- A day that a worker compares, with the way to its reports.
create type turnpike.taken_book as (
  provider_id text,
  day date,
  takes integer,
  format text,
  base_url text, -- null: the format's own
  scope_id text, -- null: the whole organisation
  sealed text,
  shared boolean
);

-- Claims a day until p_lease. Null if its account has no reports, or another worker compares it.
create function turnpike.claim_book(p_provider_id text, p_day date, p_lease timestamptz) returns turnpike.taken_book
language plpgsql as $$
declare
  taken turnpike.taken_book;
begin
  update provider_book_days d set next_at = p_lease, takes = d.takes + 1
    from provider_reports r
    where r.provider_id = d.provider_id and d.provider_id = p_provider_id and d.day = p_day
    returning d.provider_id, d.day, d.takes, r.format, r.base_url, r.scope_id, r.sealed, r.shared
  into taken;
  if not found then
    return null;
  end if;
  return taken;
end $$;

-- Claims the day whose comparison has been due for the longest time, for the sweep. Null if no day is due.
-- Adds days up to p_last, and deletes days from before p_oldest.
create function turnpike.take_due_book(p_oldest date, p_last date, p_lease timestamptz, p_moment timestamptz)
returns turnpike.taken_book language plpgsql as $$
declare
  due provider_book_days;
begin
  delete from provider_book_days d where d.day < p_oldest;
  insert into provider_book_days (
      provider_id, day, next_at)
    select
      r.provider_id, s::date, p_moment
    from provider_reports r, generate_series(greatest(r.first_day, p_oldest), p_last, interval '1 day') s
    where not exists (select from provider_book_days d where d.provider_id = r.provider_id and d.day = s::date)
    order by r.provider_id, s
    on conflict do nothing;
  select d.* into due
    from provider_book_days d
    where d.next_at <= p_moment and exists (select from provider_reports r where r.provider_id = d.provider_id)
    order by d.next_at, d.day, d.provider_id limit 1 for update skip locked;
  if due.provider_id is null then
    return null;
  end if;
  return turnpike.claim_book(due.provider_id, due.day, p_lease);
end $$;

-- Claims a day that is compared now, also one from before the account's first day. Null if the account has no reports,
-- or the day has not ended or is from before p_oldest.
create function turnpike.claim_past_book(p_provider_id text, p_day date, p_oldest date, p_lease timestamptz,
  p_moment timestamptz)
returns turnpike.taken_book language plpgsql as $$
begin
  insert into provider_book_days (
      provider_id, day)
    select
      r.provider_id, p_day
    from provider_reports r
    where r.provider_id = p_provider_id and p_day >= p_oldest and p_day < (p_moment at time zone 'UTC')::date
    on conflict do nothing;
  return turnpike.claim_book(p_provider_id, p_day, p_lease);
end $$;

-- Claims a past day for an admin. refused: admin, not_found (claim_past_book has claimed none).
create function turnpike.take_book(p_request turnpike.request,
  p_provider_id text, p_day date, p_oldest date, p_lease timestamptz)
returns table (actor turnpike.caller, refused text, taken turnpike.taken_book) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
begin
  {{admin.opens row}}
  taken := turnpike.claim_past_book(p_provider_id, p_day, p_oldest, p_lease, p_request.moment);
  if taken.provider_id is null then
    refused := 'not_found';
  else
    perform turnpike.note_change((admin.caller).user_id, 'provider.compare', 'provider', p_provider_id, null,
      jsonb_build_object('day', p_day), p_request.request_id, p_request.address, p_request.moment);
  end if;
  {{admin.closes row}}
end $$;

-- Stores the result of a comparison, if p_taken is still the last claim of its day. A finding that was known keeps its
-- time, and a new one makes the day unseen. Returns the new findings.
-- p_result: {figures, lines, findings: [{kind, model, response_id, turn_id, units, calls, credit_micros}]}
-- p_next_at: null if the day is settled.
create function turnpike.note_book(p_taken turnpike.taken_book, p_result jsonb, p_next_at timestamptz,
  p_moment timestamptz)
returns setof provider_book_findings language plpgsql as $$
declare
  one provider_book_findings;
  made provider_book_findings;
begin
  update provider_book_days d set compared_at = p_moment, next_at = p_next_at, failure = null, failing_since = null,
    settled_at = case when p_next_at is null then coalesce(d.settled_at, p_moment) end,
    figures = p_result -> 'figures', lines = p_result -> 'lines'
    where d.provider_id = p_taken.provider_id and d.day = p_taken.day and d.takes = p_taken.takes;
  if not found then
    return;
  end if;
  delete from provider_book_findings f
    where f.provider_id = p_taken.provider_id and f.day = p_taken.day
      and not exists (select from jsonb_populate_recordset(null::provider_book_findings, p_result -> 'findings') n
        where n.kind = f.kind and n.model = f.model and n.response_id is not distinct from f.response_id);
  for one in select n.* from jsonb_populate_recordset(null::provider_book_findings, p_result -> 'findings') n loop
    update provider_book_findings f set turn_id = one.turn_id, units = one.units, calls = one.calls,
      credit_micros = one.credit_micros
      where f.provider_id = p_taken.provider_id and f.day = p_taken.day and f.kind = one.kind and f.model = one.model
        and f.response_id is not distinct from one.response_id;
    continue when found;
    insert into provider_book_findings (
        provider_id, day, kind, model, response_id, turn_id, units, calls,
        credit_micros, found_at)
    values (
        p_taken.provider_id, p_taken.day, one.kind, one.model, one.response_id, one.turn_id, one.units, one.calls,
        one.credit_micros, p_moment)
    returning * into made;
    update provider_book_days d set seen_at = null, seen_by = null
      where d.provider_id = p_taken.provider_id and d.day = p_taken.day and d.seen_at is not null;
    return next made;
  end loop;
end $$;

-- Stores that a comparison failed. The day is compared again at p_next_at.
create function turnpike.note_book_failure(p_taken turnpike.taken_book, p_failure text, p_next_at timestamptz,
  p_moment timestamptz)
returns boolean language plpgsql as $$
begin
  update provider_book_days d set failure = p_failure, failing_since = coalesce(d.failing_since, p_moment),
    next_at = p_next_at
    where d.provider_id = p_taken.provider_id and d.day = p_taken.day and d.takes = p_taken.takes;
  return found;
end $$;

-- Notes that the findings of a day were seen, so that they are no alert any more. p_by: null on the command line.
-- Returns false if the day is not compared.
create function turnpike.mark_book_seen(p_provider_id text, p_day date, p_by bigint, p_moment timestamptz)
returns boolean language plpgsql as $$
begin
  update provider_book_days d set seen_at = coalesce(d.seen_at, p_moment),
    seen_by = case when d.seen_at is null then p_by else d.seen_by end
    where d.provider_id = p_provider_id and d.day = p_day;
  return found;
end $$;

-- Notes that an admin has seen the findings of a day. refused: admin, not_found.
create function turnpike.note_book_seen(p_request turnpike.request, p_provider_id text, p_day date)
returns table (actor turnpike.caller, refused text) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
begin
  {{admin.opens row}}
  if not turnpike.mark_book_seen(p_provider_id, p_day, (admin.caller).user_id, p_request.moment) then
    refused := 'not_found';
  else
    perform turnpike.note_change((admin.caller).user_id, 'provider.findings_seen', 'provider', p_provider_id, null,
      jsonb_build_object('day', p_day), p_request.request_id, p_request.address, p_request.moment);
  end if;
  {{admin.closes row}}
end $$;
