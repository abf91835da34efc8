-- A file of a report in answers to the operator who asked for it.
create type turnpike.report_file_answer as (
  file_id text,
  report text,
  state text,
  written integer,
  total integer,
  rows bigint,
  bytes bigint,
  created_at timestamptz,
  expires_at timestamptz -- null: while it is made
);

create function turnpike.report_file_answer_of(p_file report_files) returns turnpike.report_file_answer
language sql immutable as $$
  select (p_file.file_id, p_file.report, p_file.state, p_file.written, p_file.total, p_file.rows, p_file.bytes,
    p_file.created_at, p_file.expires_at)::turnpike.report_file_answer
$$;

-- Starts a file of a report for an admin. If the admin has the same file being made, it returns that one.
-- p_entries: the keys of the report's entries. p_query: the filters, for the audit log.
-- refused: admin, many (the admin has p_most files that have not expired).
create function turnpike.start_report_file(p_request turnpike.request, p_file_id text, p_report text, p_asked jsonb,
  p_query jsonb, p_entries text[], p_most integer)
returns table (actor turnpike.caller, refused text, entity turnpike.report_file_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  made report_files;
begin
  {{admin.opens row}}
  -- The later of two requests finds the file of the first, and counts it.
  perform pg_advisory_xact_lock(hashtext('report_file'), (admin.caller).user_id::integer);
  select f.* into made
    from report_files f
    where f.user_id = (admin.caller).user_id and f.report = p_report and f.asked = p_asked and f.state = 'making';
  if made.file_id is not null then
    entity := turnpike.report_file_answer_of(made);
  elsif (p_most > (select count(*) from report_files f
    where f.user_id = (admin.caller).user_id and coalesce(f.expires_at > p_request.moment, true))) is not true then
    refused := 'many';
  else
    insert into report_files as f (
        file_id, user_id, report, asked, entries, total, created_at,
        updated_at)
    values (
        p_file_id, (admin.caller).user_id, p_report, p_asked, p_entries, cardinality(p_entries), p_request.moment,
        p_request.moment)
      returning f.* into made;
    entity := turnpike.report_file_answer_of(made);
    perform turnpike.note_change((admin.caller).user_id, 'export', 'export', p_report, null,
      jsonb_build_object('user_id', (admin.caller).user_id, 'key_id', null, 'test', false, 'query', p_query),
      p_request.request_id, p_request.address, p_request.moment);
  end if;
  {{admin.closes row}}
end $$;

-- Claims a file until p_until, so that no other worker writes it.
-- claim: null if the file has ended, or another worker has it. A file fails if its operator is no longer an admin, or
-- after p_tries claims that stored no part. It is then kept until p_expires_at.
create function turnpike.claim_report_file(p_file_id text, p_until timestamptz, p_tries integer,
  p_expires_at timestamptz, p_moment timestamptz, out claim report_files) language plpgsql as $$
declare
  made report_files;
begin
  select f.* into made from report_files f where f.file_id = p_file_id and f.state = 'making' for no key update;
  if made.file_id is null or (made.leased_until > p_moment) is true then
    return;
  end if;
  if (made.tries < p_tries) is not true
    or not exists (select from users u where u.user_id = made.user_id and u.role = 'admin'
    and u.disabled_at is null) then
    update report_files f set state = 'failed', entries = '{}', leased_until = null, expires_at = p_expires_at,
      updated_at = p_moment
      where f.file_id = p_file_id;
    return;
  end if;
  update report_files f set epoch = f.epoch + 1, tries = f.tries + 1, leased_until = p_until, updated_at = p_moment
    where f.file_id = p_file_id
    returning f.* into claim;
  -- The worker reads them part by part.
  claim.entries := '{}';
end $$;

-- A part of a file that a worker has written. entries: the number of the report's entries in it.
create type turnpike.report_part as (
  key text,
  entries integer,
  rows bigint,
  bytes bigint
);

-- Adds a part to a claimed file and extends the claim until p_until. With the last one the file is ready and is kept
-- until p_expires_at. A file without entries has one part, its header.
-- Returns the state; null if another worker has claimed the file or it has ended.
create function turnpike.keep_report_part(p_file_id text, p_epoch integer, p_part turnpike.report_part,
  p_until timestamptz, p_expires_at timestamptz, p_moment timestamptz) returns text language plpgsql as $$
declare
  made report_files;
begin
  update report_files f set written = f.written + p_part.entries, rows = f.rows + p_part.rows,
    bytes = f.bytes + p_part.bytes, parts = f.parts || p_part.key, tries = 0, leased_until = p_until,
    updated_at = p_moment
    where f.file_id = p_file_id and f.epoch = p_epoch and f.state = 'making'
    returning f.* into made;
  if made.written = made.total then
    update report_files f set state = 'ready', entries = '{}', leased_until = null, expires_at = p_expires_at
      where f.file_id = p_file_id
      returning f.* into made;
  end if;
  return made.state;
end $$;

-- Releases a claim, so that the next worker need not wait for its end. Returns false if it was claimed again or has
-- ended.
create function turnpike.release_report_file(p_file_id text, p_epoch integer, p_moment timestamptz) returns boolean
language plpgsql as $$
begin
  update report_files f set leased_until = null, updated_at = p_moment
    where f.file_id = p_file_id and f.epoch = p_epoch and f.state = 'making';
  return found;
end $$;

-- Returns up to p_most files whose message was lost: they are being made, and no worker has claimed them since p_lost.
-- Also up to p_most files that have expired. Both come after the others the next time.
create function turnpike.take_report_files(p_lost timestamptz, p_most integer, p_moment timestamptz, out lost text[],
  out expired text[]) language plpgsql set enable_seqscan = off as $$
begin
  with due as (
    select f.file_id
      from report_files f
      where f.expires_at is null and f.updated_at <= p_lost and coalesce(f.leased_until <= p_moment, true)
      order by f.updated_at limit p_most for no key update skip locked),
  taken as (
    update report_files f set updated_at = p_moment
      from due d
      where f.file_id = d.file_id
      returning f.file_id)
  select array_agg(t.file_id) into lost
  from taken t;
  with due as (
    select f.file_id
      from report_files f
      where f.expires_at <= p_moment
      order by f.updated_at limit p_most for no key update skip locked),
  taken as (
    update report_files f set updated_at = p_moment
      from due d
      where f.file_id = d.file_id
      returning f.file_id)
  select array_agg(t.file_id) into expired
  from taken t;
  lost := coalesce(lost, '{}');
  expired := coalesce(expired, '{}');
end $$;

-- Deletes an expired file whose objects are removed.
create function turnpike.forget_report_file(p_file_id text, p_moment timestamptz) returns boolean language plpgsql as $$
begin
  delete from report_files f where f.file_id = p_file_id and f.expires_at <= p_moment;
  return found;
end $$;
