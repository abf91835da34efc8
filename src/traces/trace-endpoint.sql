-- An account's endpoint in answers to its owner, without the values of its headers.
create type turnpike.trace_endpoint as (
  url text,
  header_names jsonb,
  with_text boolean,
  spans_sent bigint,
  exported_until timestamptz,
  last_sent_at timestamptz, -- null: no span was sent
  last_failed_at timestamptz, -- null: nothing has failed
  last_error text, -- null: nothing has failed
  retry_at timestamptz, -- null: the last request has not failed
  created_at timestamptz,
  updated_at timestamptz
);

create function turnpike.trace_endpoint_of(p_user_id bigint) returns turnpike.trace_endpoint language sql stable as $$
  select (x.url, x.header_names, x.with_text, x.spans_sent, x.ended_at, x.last_sent_at, x.last_failed_at, x.last_error,
      case when x.failures > 0 then x.next_at end, x.created_at, x.updated_at)::turnpike.trace_endpoint
    from trace_exports x
    where x.destination = 'account:' || p_user_id
$$;

-- The fields of an endpoint that the audit log records.
create function turnpike.trace_facts(endpoint trace_exports) returns jsonb language sql immutable as $$
  select jsonb_build_object('url', turnpike.shown_url(endpoint.url), 'header_names', endpoint.header_names, 'with_text',
    endpoint.with_text)
$$;

-- Creates or replaces the endpoint that gets the spans of the account. A new one gets the turns that end from now on.
-- p_headers: the headers, sealed for p_headers_id. p_header_names: their names.
-- p_keeps_headers: ignores these and keeps the stored ones.
-- refused: other_server (stored headers would be sent to a server for which they were not set).
create function turnpike.put_trace_endpoint(p_request turnpike.request, p_url text, p_with_text boolean,
  p_keeps_headers boolean, p_headers text, p_headers_id text, p_header_names jsonb, out actor turnpike.caller,
  out refused text, out endpoint turnpike.trace_endpoint)
language plpgsql as $$
declare
  caller turnpike.caller;
  was trace_exports;
  put trace_exports;
begin
  {{caller.opens}}
  -- An advisory lock, because a new endpoint has no row to lock.
  perform pg_advisory_xact_lock(hashtext('trace_endpoint'), caller.user_id::integer);
  select x.* into was from trace_exports x where x.destination = 'account:' || caller.user_id for no key update;
  if p_keeps_headers and was.headers is not null and not turnpike.is_same_server(was.url, p_url) then
    refused := 'other_server';
  else
    insert into trace_exports as x (
        destination, user_id, url,
        headers,
        headers_id,
        header_names, with_text,
        ended_at, next_at, created_at, updated_at)
      values (
        'account:' || caller.user_id, caller.user_id, p_url,
        case when p_keeps_headers then was.headers else p_headers end,
        case when p_keeps_headers then was.headers_id else p_headers_id end,
        case when p_keeps_headers then coalesce(was.header_names, '[]') else p_header_names end, p_with_text,
        p_request.moment, p_request.moment, p_request.moment, p_request.moment)
      on conflict (destination) do update set url = excluded.url, headers = excluded.headers,
        headers_id = excluded.headers_id, header_names = excluded.header_names, with_text = excluded.with_text,
        updated_at = excluded.updated_at, next_at = excluded.next_at, failures = 0, last_error = null,
        last_failed_at = null, lease_until = null, epoch = x.epoch + 1
      returning x.* into put;
    perform turnpike.note_own_change(p_request, caller, 'trace_endpoint.put', 'user', caller.user_id::text,
      case when was.url is not null then turnpike.trace_facts(was) end, turnpike.trace_facts(put));
  end if;
  endpoint := turnpike.trace_endpoint_of(caller.user_id);
  {{caller.closes}}
end $$;

-- Removes the account's endpoint. Its spans stay where they were sent. refused: not_found.
create function turnpike.remove_trace_endpoint(p_request turnpike.request, out actor turnpike.caller, out refused text)
language plpgsql as $$
declare
  caller turnpike.caller;
  was trace_exports;
begin
  {{caller.opens}}
  delete from trace_exports x where x.destination = 'account:' || caller.user_id returning x.* into was;
  if was.url is null then
    refused := 'not_found';
  else
    perform turnpike.note_own_change(p_request, caller, 'trace_endpoint.remove', 'user', caller.user_id::text,
      turnpike.trace_facts(was), null);
  end if;
  {{caller.closes}}
end $$;

create function turnpike.get_trace_endpoint(p_request turnpike.request, out actor turnpike.caller,
  out endpoint turnpike.trace_endpoint)
language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  endpoint := turnpike.trace_endpoint_of(caller.user_id);
  {{caller.closes}}
end $$;
