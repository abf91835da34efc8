-- How the reports of an account are read, in answers to operators, without the key.
create type turnpike.report_answer as (
  provider_id text,
  format text,
  base_url text, -- null: the format's own
  scope_id text, -- null: the whole organisation
  shared boolean,
  first_day date,
  version integer,
  created_at timestamptz,
  updated_at timestamptz,
  updated_by bigint, -- null: the command line
  updated_by_name text -- null
);

-- Returns null if the account has no reports.
create function turnpike.report_answer_of(p_provider_id text) returns turnpike.report_answer language sql stable as $$
  select (r.provider_id, r.format, r.base_url, r.scope_id, r.shared, r.first_day, r.version, r.created_at,
    r.updated_at, r.updated_by, u.name)::turnpike.report_answer
    from provider_reports r
      left join users u on u.user_id = r.updated_by
    where r.provider_id = p_provider_id
$$;

-- Sets how the reports of an account are read, for an admin. The audit entry never contains the key.
-- p_report: {format, base_url, scope_id, shared, first_day}. p_sealed: null keeps the key.
-- refused: admin, not_found, stale, no_key (a new setting needs one).
create function turnpike.put_provider_report(p_request turnpike.request,
  p_provider_id text, p_report jsonb, p_sealed text, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.report_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was provider_reports;
  given provider_reports := jsonb_populate_record(null::provider_reports, p_report);
begin
  {{admin.opens row}}
  perform from provider_accounts a where a.provider_id = p_provider_id for no key update;
  if not found then
    refused := 'not_found';
  else
    select r.* into was from provider_reports r where r.provider_id = p_provider_id;
    if turnpike.is_stale(p_if_version, coalesce(was.version, 0)) then
      -- An edit of a setting that was removed has no current row.
      refused := case when was.provider_id is null then 'not_found' else 'stale' end;
    elsif p_sealed is null and was.provider_id is null then
      refused := 'no_key';
    else
      insert into provider_reports as r (
          provider_id, format, base_url, scope_id, sealed, shared,
          first_day, created_at, updated_at, updated_by)
      values (
          p_provider_id, given.format, given.base_url, given.scope_id, coalesce(p_sealed, was.sealed), given.shared,
          given.first_day, p_request.moment, p_request.moment, (admin.caller).user_id)
      on conflict (provider_id) do update set format = excluded.format, base_url = excluded.base_url,
        scope_id = excluded.scope_id, sealed = excluded.sealed, shared = excluded.shared,
        first_day = least(r.first_day, excluded.first_day), version = r.version + 1,
        updated_at = excluded.updated_at, updated_by = excluded.updated_by;
      perform turnpike.note_change((admin.caller).user_id, 'provider.report', 'provider', p_provider_id,
        case when was.provider_id is not null then to_jsonb(was) - 'sealed' end,
        (select to_jsonb(r) - 'sealed' from provider_reports r where r.provider_id = p_provider_id),
        p_request.request_id, p_request.address, p_request.moment);
    end if;
  end if;
  entity := turnpike.report_answer_of(p_provider_id);
  {{admin.closes row}}
end $$;

-- Ends the comparison of an account with its reports, for an admin, and forgets the key. Compared days stay.
-- refused: admin, not_found, stale.
create function turnpike.remove_provider_report(p_request turnpike.request, p_provider_id text, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.report_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
begin
  {{admin.opens row}}
  perform from provider_reports r where r.provider_id = p_provider_id for update;
  entity := turnpike.report_answer_of(p_provider_id);
  if entity.provider_id is null then
    refused := 'not_found';
  elsif turnpike.is_stale(p_if_version, entity.version) then
    refused := 'stale';
  else
    delete from provider_reports r where r.provider_id = p_provider_id;
    update provider_book_days d set next_at = null where d.provider_id = p_provider_id and d.next_at is not null;
    perform turnpike.note_change((admin.caller).user_id, 'provider.report_remove', 'provider', p_provider_id,
      to_jsonb(entity), null, p_request.request_id, p_request.address, p_request.moment);
  end if;
  {{admin.closes row}}
end $$;
