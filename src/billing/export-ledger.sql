-- The export of an account's ledger as events: usage.posted for each row that is a charge or the refund of a turn,
-- and hour.closed for each hour with rows. An account that has not asked for it has no row in ledger_exports.

-- A ledger row with the space, key and end user of its turn.
create type turnpike.exported_row as (
  entry ledger,
  slug text, -- null: no turn
  key_id text, -- null: no turn, or a web chat
  end_user_ref text, -- null: no turn, or a web chat
  charge bigint, -- null: the end user is not charged
  price jsonb -- null: no price
);

-- Credit micros as exact USD, as usdDecimal() writes them (src/base/money.ts).
create function turnpike.usd_decimal(p_micros bigint) returns text language sql immutable as $$
  select round(p_micros / 10000000.0, 7)::text
$$;

-- True if the caller may see the money of its whole account.
create function turnpike.sees_account(caller turnpike.caller) returns boolean language plpgsql as $$
begin
  return (caller.scope = 'all' and not (caller.kind = 'key' and caller.test)) is true;
end $$;

-- Starts the export of an account, unless it runs. Only rows that are booked from now on are exported.
create function turnpike.start_export(p_user_id bigint, p_moment timestamptz) returns void language plpgsql as $$
begin
  insert into ledger_exports as x (user_id, enabled, started_at, ledger_id, closed_until)
    values (p_user_id, true, p_moment, turnpike.last_ledger_id(p_user_id), date_trunc('hour', p_moment, 'UTC'))
    on conflict (user_id) do update set enabled = true, started_at = excluded.started_at,
      ledger_id = excluded.ledger_id, closed_until = greatest(x.closed_until, excluded.closed_until)
    where not x.enabled;
end $$;

-- The id of the last ledger row of an account. Its rows get their ids under the lock of its wallet, so in their order.
create function turnpike.last_ledger_id(p_user_id bigint) returns bigint language plpgsql stable as $$
begin
  return coalesce((select l.ledger_id from ledger l where l.user_id = p_user_id order by l.ledger_id desc limit 1), 0);
end $$;

-- Starts the export if a new endpoint names one of its events. An endpoint for all types does not start it.
create function turnpike.start_export_for(caller turnpike.caller, p_events jsonb, p_moment timestamptz) returns void
language plpgsql as $$
begin
  if not caller.test and caller.scope = 'all' and coalesce(p_events ?| array['usage.posted', 'hour.closed'], false) then
    perform turnpike.start_export(caller.user_id, p_moment);
  end if;
end $$;

-- Returns the export of the caller's account; enabled is false if it was never started.
-- p_enabled: starts or stops it; null to read it. Stopping exports the rows up to now and closes the open hours.
-- refused: scope (a test key, or a key that does not see the whole account).
create function turnpike.put_export(p_request turnpike.request, p_enabled boolean,
  out actor turnpike.caller, out refused text, out export ledger_exports, out has_subscriber boolean)
language plpgsql as $$
declare
  caller turnpike.caller;
  part record;
begin
  has_subscriber := false;
  {{caller.opens}}
  refused := case when turnpike.sees_account(caller) is not true then 'scope' end;
  if refused is null then
    if p_enabled then
      perform turnpike.start_export(caller.user_id, p_request.moment);
    elsif not p_enabled then
      -- Charges of the account's shards, which wait to be posted, belong to the export too.
      has_subscriber := turnpike.post_all(caller.user_id, p_request.moment) is true;
      select x.* into export
        from ledger_exports x
        where x.user_id = caller.user_id and x.enabled for no key update;
      if export.user_id is not null then
        loop
          select e.* into part
            from turnpike.export_ledger(caller.user_id, 1000, '-infinity', p_request.moment) e;
          has_subscriber := has_subscriber or part.has_subscriber;
          exit when not part.is_more;
        end loop;
        select x.* into export from ledger_exports x where x.user_id = caller.user_id;
        select c.* into part from turnpike.close_hours(export, 'infinity', p_request.moment) c;
        has_subscriber := has_subscriber or part.has_subscriber;
        update ledger_exports x set enabled = false where x.user_id = caller.user_id;
      end if;
    end if;
    select x.* into export from ledger_exports x where x.user_id = caller.user_id;
  end if;
  {{caller.closes}}
end $$;

-- Lists accounts after p_after whose export has work: new ledger rows, or an hour that ended before p_ended_before.
create function turnpike.exports_due(p_ended_before timestamptz, p_after bigint, p_limit integer)
returns table (user_id bigint)
language plpgsql stable set enable_seqscan = off as $$
begin
  return query select x.user_id
    from ledger_exports x
    where x.enabled and x.user_id > p_after and (turnpike.last_ledger_id(x.user_id) > x.ledger_id
      or exists (select from export_hours h where h.user_id = x.user_id and h.closed_at is null
        and date_trunc('hour', h.hour, 'UTC') <= p_ended_before - interval '1 hour'))
    order by 1 limit p_limit;
end $$;

-- Exports up to p_limit ledger rows of an account after the last one, and closes hours that ended before p_ended_before
-- if all rows are exported. Rows, position and events are one transaction under the lock of the export, so each row is
-- exported once. A row comes into the hour of its time, or, if that hour is closed, into the first hour that is not.
-- exported: the number of rows that were read. closed: the number of closed hours.
create function turnpike.export_ledger(p_user_id bigint, p_limit integer, p_ended_before timestamptz,
  p_moment timestamptz, out exported integer, out closed integer, out is_more boolean, out has_subscriber boolean)
language plpgsql as $$
declare
  export ledger_exports;
  oldest_posting timestamptz;
  one turnpike.exported_row;
  done record;
begin
  exported := 0;
  closed := 0;
  is_more := false;
  has_subscriber := false;
  select x.* into export
    from ledger_exports x
    where x.user_id = p_user_id and x.enabled for no key update skip locked;
  if export.user_id is null then
    return;
  end if;
  -- Before the ledger is read: a charge that is posted after this look is in the ledger then.
  oldest_posting := (select q.created_at from postings q where q.user_id = p_user_id order by q.posting_id limit 1);
  for one in select l, s.slug, t.key_id, case when t.key_id is not null then t.end_user_ref end,
      case when l.reason = 'usage' then t.end_user_charge_credit_micros end, t.end_user_price
    from (
      select n.ledger_id
        from ledger n
        where n.user_id = p_user_id and n.ledger_id > export.ledger_id
        order by n.ledger_id limit p_limit) p
    join ledger l on l.ledger_id = p.ledger_id
      left join turns t on t.turn_id = l.turn_id
      left join spaces s on s.space_id = t.space_id
    order by l.ledger_id
  loop
    exported := exported + 1;
    export.ledger_id := (one.entry).ledger_id;
    if (one.entry).reason in ('usage', 'space_usage')
      or ((one.entry).reason = 'admin_action' and (one.entry).turn_id is not null) then
      if turnpike.export_row(export, one, p_moment) then
        has_subscriber := true;
      end if;
    end if;
  end loop;
  if exported > 0 then
    update ledger_exports x set ledger_id = export.ledger_id where x.user_id = p_user_id;
  end if;
  is_more := exported = p_limit;
  if not is_more then
    select c.* into done from turnpike.close_hours(export, least(p_ended_before, oldest_posting), p_moment) c;
    closed := done.closed;
    has_subscriber := has_subscriber or done.has_subscriber;
  end if;
end $$;

-- Writes the event of one ledger row, and adds the row to its hour. The digest of an hour begins with 32 zero bytes.
-- Each row makes it the SHA-256 of the digest before and the line `<ledger_id> <amount_usd>` with a line feed.
create function turnpike.export_row(export ledger_exports, exported turnpike.exported_row, p_moment timestamptz)
returns boolean
language plpgsql as $$
declare
  entry ledger := exported.entry;
  amount bigint := -entry.amount_credit_micros;
  row_hour timestamptz := greatest(date_trunc('hour', entry.created_at, 'UTC'), export.closed_until);
  line bytea := convert_to(entry.ledger_id || ' ' || turnpike.usd_decimal(amount) || chr(10), 'UTF8');
begin
  insert into export_hours as h (user_id, hour, rows, sum_credit_micros, digest)
    values (export.user_id, row_hour, 1, amount, sha256(decode(repeat('00', 32), 'hex') || line))
    on conflict (user_id, hour) do update set rows = h.rows + 1, sum_credit_micros = h.sum_credit_micros + amount,
      digest = sha256(h.digest || line);
  return turnpike.add_event('evt_' || turnpike.id_time(p_moment) || '5' || lpad(to_hex(entry.ledger_id), 15, '0'),
    export.user_id, false, 'usage.posted', null, null, null, null,
    jsonb_build_object('ledger_id', entry.ledger_id, 'hour', turnpike.iso_instant(row_hour),
      'kind', case entry.reason when 'admin_action' then 'refund' else entry.reason end, 'amount_usd',
      turnpike.usd_decimal(amount), 'turn_id', entry.turn_id, 'end_user_ref', exported.end_user_ref,
      'end_user_charge_usd', turnpike.usd_decimal(exported.charge), 'price', exported.price, 'space', exported.slug,
      'key_id', exported.key_id, 'booked_at', turnpike.iso_instant(entry.created_at)), p_moment);
end $$;

-- Closes the hours of an export that ended by p_ended_before, oldest first, and writes their events. The caller holds
-- the lock of the export and has exported all rows. Hours between two closed hours have no rows.
-- p_ended_before 'infinity': the current hour ends too, right after p_moment. Its later rows come into another part.
create function turnpike.close_hours(export ledger_exports, p_ended_before timestamptz, p_moment timestamptz,
  out closed integer, out has_subscriber boolean) language plpgsql as $$
declare
  ended export_hours;
  hour_ends timestamptz;
  -- Events have milliseconds.
  after_moment timestamptz := date_trunc('milliseconds', p_moment) + interval '1 millisecond';
  mine ledger_exports := export;
begin
  closed := 0;
  has_subscriber := false;
  for ended in select h.*
    from export_hours h
    where h.user_id = export.user_id and h.closed_at is null
      and date_trunc('hour', h.hour, 'UTC') <= p_ended_before - interval '1 hour'
    order by h.hour
  loop
    hour_ends := date_trunc('hour', ended.hour, 'UTC') + interval '1 hour';
    if p_ended_before = 'infinity' then
      hour_ends := least(hour_ends, greatest(after_moment, ended.hour + interval '1 millisecond'));
    end if;
    update export_hours h set closed_at = p_moment where h.user_id = ended.user_id and h.hour = ended.hour;
    if turnpike.add_event('evt_' || turnpike.id_time(p_moment) || '6'
      || lpad(to_hex((extract(epoch from ended.hour) * 1000)::bigint), 15, '0'), ended.user_id, false, 'hour.closed',
      null, null, null, null, jsonb_build_object('from', turnpike.iso_instant(ended.hour),
        'to', turnpike.iso_instant(hour_ends), 'rows', ended.rows, 'sum', turnpike.usd_decimal(ended.sum_credit_micros),
        'digest', encode(ended.digest, 'hex'), 'empty_since',
        turnpike.iso_instant(greatest(mine.closed_until, mine.started_at))), p_moment)
    then
      has_subscriber := true;
    end if;
    mine.closed_until := hour_ends;
    closed := closed + 1;
  end loop;
  if closed > 0 then
    update ledger_exports x set closed_until = mine.closed_until where x.user_id = export.user_id;
  end if;
end $$;

-- An instant as toInstant() writes it (src/base/time.ts).
create function turnpike.iso_instant(p_moment timestamptz) returns text language sql immutable as $$
  select to_char(p_moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
