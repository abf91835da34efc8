-- Claims exports that are due and have turns to export, those that waited longest first.
-- p_operator_text: whether the operator's endpoint gets texts; null: the operator has none. Its export starts with the
-- turns that end from now on.
-- p_until: turns that ended later are not exported yet. p_oldest: turns that ended earlier are given up.
create function turnpike.take_trace_exports(p_operator_text boolean, p_most integer, p_until timestamptz,
  p_oldest timestamptz, p_lease_until timestamptz, p_moment timestamptz) returns setof trace_exports
language plpgsql as $$
declare
  due trace_exports;
begin
  if p_operator_text is not null then
    insert into trace_exports (
        destination, ended_at, next_at, created_at,
        updated_at)
      select
        'operator', p_moment, p_moment, p_moment,
        p_moment where not exists (select from trace_exports x where x.destination = 'operator') on conflict do nothing;
  end if;
  for due in select x.*
    from trace_exports x
    where x.next_at <= p_moment and (x.lease_until is null or x.lease_until <= p_moment)
      and (x.user_id is not null or p_operator_text is not null) and turnpike.has_ended_after(x, p_until, p_oldest)
    order by x.next_at, x.destination limit p_most
    for no key update skip locked
  loop
    update trace_exports x set lease_until = p_lease_until, epoch = x.epoch + 1,
      ended_at = greatest(x.ended_at, p_oldest), turn_id = case when x.ended_at < p_oldest then '' else x.turn_id end,
      with_text = case when x.user_id is null then p_operator_text else x.with_text end
      where x.destination = due.destination
      returning x.* into due;
    return next due;
  end loop;
end $$;

-- Returns whether a turn of the export's account, or of any account for the operator, ended after its place.
create function turnpike.has_ended_after(export trace_exports, p_until timestamptz, p_oldest timestamptz)
returns boolean
language plpgsql stable set enable_seqscan = off as $$
declare
  since timestamptz := greatest(export.ended_at, p_oldest);
begin
  if export.user_id is null then
    return exists (select from ended_turns e where e.finished_at >= since and e.finished_at <= p_until
      and (e.finished_at, e.turn_id collate "C") > (since, export.turn_id));
  end if;
  return exists (select from unnest(array[false, true]) mode (test), ended_turns e
    where e.user_id = export.user_id and e.test = mode.test and e.finished_at >= since and e.finished_at <= p_until
      and (e.finished_at, e.turn_id collate "C") > (since, export.turn_id));
end $$;

-- An ended turn with everything that its spans are made of.
create type turnpike.ended_trace as (
  turn turns,
  slug text,
  title text,
  -- The turn's log without pieces of text: [{seq, type, data, created_at}].
  events jsonb,
  -- Failed calls of models, containers and sub-agents: [{kind, code, created_at}].
  attempts jsonb,
  -- The counts and prices of model calls that no event has: [{step, tokens_cache_written, billed_credit_micros}].
  costs jsonb,
  -- Webhook deliveries: [{delivery_id, webhook_id, type, state, attempts, status, started_at, ended_at}].
  deliveries jsonb,
  -- The steps with their texts: [{step, text, content, results}].
  steps jsonb -- null: without texts
);

-- The most that one reading returns: turns and their bytes, of each turn these rows, and of each text these characters.
create type turnpike.trace_limits as (
  turns integer,
  bytes integer,
  text integer,
  events integer,
  attempts integer,
  deliveries integer,
  -- The operator's export reads the turns of this many seconds at once.
  window_seconds integer
);

-- Returns the next ended turns of an export.
-- ended_at, last_turn: the place of the export after these turns. more: turns may be left up to p_until.
create function turnpike.read_ended_traces(p_destination text, p_until timestamptz, p_limits turnpike.trace_limits,
  out traces turnpike.ended_trace[], out ended_at timestamptz, out last_turn text, out more boolean)
language plpgsql stable set enable_seqscan = off set jit = off as $$
declare
  export trace_exports;
  until timestamptz := p_until;
  listed record;
  one turnpike.ended_trace;
  bytes bigint := 0;
  count integer := 0;
begin
  traces := '{}';
  more := false;
  select x.* into export from trace_exports x where x.destination = p_destination;
  if export.user_id is null then
    -- The index by end sorts nothing, so a reading covers a short time, but one with turns.
    until := export.ended_at;
    loop
      until := least(p_until, until + make_interval(secs => p_limits.window_seconds));
      exit when until = p_until
        or exists (select from ended_turns e where e.finished_at >= export.ended_at and e.finished_at <= until
          and (e.finished_at, e.turn_id collate "C") > (export.ended_at, export.turn_id));
    end loop;
  end if;
  for listed in select l.* from turnpike.list_ended(export, until, p_limits.turns) l loop
    one := turnpike.ended_trace_of(listed.turn_id, export.with_text, p_limits);
    bytes := bytes + octet_length(to_json(one)::text);
    more := count > 0 and bytes > p_limits.bytes;
    exit when more;
    count := count + 1;
    traces := traces || one;
    ended_at := listed.finished_at;
    last_turn := listed.turn_id;
  end loop;
  more := more or count = p_limits.turns;
  if not more then
    ended_at := until;
    -- Every turn's id sorts before it.
    last_turn := '~';
    more := until < p_until;
  end if;
end $$;

-- The next ended turns after the place of an export, in the order of their ends.
create function turnpike.list_ended(p_export trace_exports, p_until timestamptz, p_limit integer)
returns table (finished_at timestamptz, turn_id text)
language plpgsql stable set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
begin
  if p_export.user_id is null then
    return query select e.finished_at, e.turn_id
      from ended_turns e
      where e.finished_at >= p_export.ended_at and e.finished_at <= p_until
        and (e.finished_at, e.turn_id collate "C") > (p_export.ended_at, p_export.turn_id)
      order by e.finished_at, e.turn_id collate "C" limit p_limit;
  else
    -- One range of the index for each mode.
    return query select m.finished_at, m.turn_id
      from unnest(array[false, true]) mode (test), lateral (
        select e.finished_at, e.turn_id
        from ended_turns e
        where e.user_id = p_export.user_id and e.test = mode.test and e.finished_at >= p_export.ended_at
          and e.finished_at <= p_until
          and (e.finished_at, e.turn_id collate "C") > (p_export.ended_at, p_export.turn_id)
        order by e.finished_at, e.turn_id collate "C" limit p_limit) m
      order by m.finished_at, m.turn_id collate "C" limit p_limit;
  end if;
end $$;

create function turnpike.ended_trace_of(p_turn_id text, p_with_text boolean, p_limits turnpike.trace_limits)
returns turnpike.ended_trace language plpgsql stable set enable_seqscan = off set jit = off as $$
declare
  one turnpike.ended_trace;
  mine turns;
begin
  select t.* into mine from turns t where t.turn_id = p_turn_id;
  select s.slug, s.title into one.slug, one.title from spaces s where s.space_id = mine.space_id;
  one.events := (select coalesce(jsonb_agg(jsonb_build_object('seq', e.seq, 'type', e.type, 'data', e.data,
    'created_at', e.created_at)
      order by e.seq), '[]')
    from (select n.* from turn_log n where n.turn_id = p_turn_id and n.type <> 'text.delta'
      order by n.seq limit p_limits.events) e);
  one.attempts := (select coalesce(jsonb_agg(to_jsonb(a) order by a.created_at), '[]')
    from (select x.kind, x.code, null as details, x.created_at from infrastructure_errors x
      where x.turn_id = p_turn_id
      order by x.created_at limit p_limits.attempts) a);
  one.costs := (select coalesce(jsonb_agg(to_jsonb(m) order by m.step), '[]')
    from (select c.step, c.tokens_cache_written, c.billed_credit_micros from model_calls c
      where c.turn_id = p_turn_id and c.call is null
      order by c.step limit p_limits.events) m);
  one.deliveries := (select coalesce(jsonb_agg(to_jsonb(d) order by d.started_at), '[]')
    from (select d.delivery_id, d.webhook_id, e.type, d.state, d.attempts, last.status, first.created_at as started_at,
          last.created_at + make_interval(secs => last.duration_ms / 1000.0) as ended_at
        from webhook_deliveries d join events e on e.turn_id = d.turn_id and e.seq = d.seq
        join webhook_attempts first on first.delivery_id = d.delivery_id and first.attempt = 1
        join webhook_attempts last on last.delivery_id = d.delivery_id and last.attempt = d.attempts
      where d.turn_id = p_turn_id order by d.delivery_id limit p_limits.deliveries) d);
  if p_with_text then
    one.steps := (select coalesce(jsonb_agg(jsonb_build_object('step', p.step, 'text', left(p.text, p_limits.text),
        'content', p.content, 'results', p.results) order by p.step), '[]')
      from turn_steps p where p.turn_id = p_turn_id
        and octet_length(p.content::text) + octet_length(p.results::text) < p_limits.bytes / 8);
  end if;
  mine.text := case when p_with_text then left(mine.text, p_limits.text) else '' end;
  mine.result := case when p_with_text then left(mine.result, p_limits.text) end;
  mine.error_message := case when p_with_text then mine.error_message end;
  mine.error_details := case when p_with_text then mine.error_details end;
  one.turn := mine;
  return one;
end $$;

-- Records a request of an export, unless the export was edited or claimed again since.
-- p_ended_at, p_turn_id: the place after its turns; null if they must be sent again.
-- p_spans: the spans that the endpoint took. p_error: what failed; null: nothing.
-- p_failures: the failures in a row. p_ends: the claim ends.
create function turnpike.note_trace_export(p_destination text, p_epoch integer, p_ended_at timestamptz, p_turn_id text,
  p_spans integer, p_error text, p_failures integer, p_next_at timestamptz, p_ends boolean, p_moment timestamptz)
returns boolean
language plpgsql as $$
begin
  update trace_exports x
    set ended_at = coalesce(p_ended_at, x.ended_at),
    turn_id = case when p_ended_at is null then x.turn_id else p_turn_id end, spans_sent = x.spans_sent + p_spans,
    last_sent_at = case when p_spans > 0 then p_moment else x.last_sent_at end, failures = p_failures,
    last_error = coalesce(p_error, x.last_error),
    last_failed_at = case when p_error is not null then p_moment else x.last_failed_at end, next_at = p_next_at,
    lease_until = case when not p_ends then x.lease_until end
    where x.destination = p_destination and x.epoch = p_epoch;
  return found;
end $$;

-- Replaces p_old with the same headers, sealed with a newer key. Returns false, and changes nothing, if the headers are
-- no longer p_old.
create function turnpike.reseal_trace_headers(p_headers_id text, p_old text, p_sealed text) returns boolean
language plpgsql as $$
begin
  update trace_exports x set headers = p_sealed where x.headers_id = p_headers_id and x.headers = p_old;
  return found;
end $$;
