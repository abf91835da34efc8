-- Returns the run that bills all accounts, for an admin: the open run, or a new one at the prices in the settings.
-- Writes an audit entry in both cases.
-- p_dry: returns an unsaved run (run_id is null) with the values of a new one, and inserts nothing.
-- refused: 'admin' if the caller is not an admin.
create function turnpike.begin_infra_run(p_request turnpike.request,
  p_dry boolean,
  out actor turnpike.caller, out refused text, out run infra_runs) language plpgsql as $$
declare
  admin turnpike.admin_caller;
  current_run infra_runs;
begin
  {{admin.opens}}
  current_run.position := 0;
  current_run.until_at := p_request.moment;
  current_run.container_second_micros := turnpike.setting_value('container_second_usd')::double precision * 10000000;
  current_run.stored_gib_hour_micros := turnpike.setting_value('stored_gib_hour_usd')::double precision * 10000000;
  if not p_dry then
    -- Concurrent callers wait for this lock and then see the run that was just inserted.
    perform pg_advisory_xact_lock(hashtext('infra_runs'), 0);
    if exists (select from infra_runs r where r.finished_at is null) then
      select r.* into current_run from infra_runs r where r.finished_at is null limit 1;
    else
      insert into infra_runs (
          until_at, container_second_micros, stored_gib_hour_micros, started_at)
        values (
          p_request.moment, current_run.container_second_micros, current_run.stored_gib_hour_micros, p_request.moment)
        returning * into current_run;
    end if;
    perform turnpike.note_change((admin.caller).user_id, 'infra.bill', 'infra_run', current_run.run_id::text, null,
      to_jsonb(current_run), p_request.request_id,
      p_request.address, p_request.moment);
  end if;
  run := current_run;
  {{admin.closes}}
end $$;

-- Previews the bills of up to p_limit accounts after p_position, as bill_infra_slice would bill them now.
-- reached: the last account that was read. finished: true if no account is left.
create function turnpike.quote_infra_slice(p_position bigint, p_limit integer, p_until timestamptz,
  p_second double precision, p_gib_hour double precision, out reached bigint, out finished boolean,
  out bills turnpike.infra_bill[]) language plpgsql stable as $$
declare
  used turnpike.infra_usage;
  following bigint;
  amount bigint;
begin
  reached := p_position;
  bills := '{}';
  for looked in 1 .. p_limit loop
    following := turnpike.next_infra_account(reached);
    exit when following is null;
    reached := following;
    used := turnpike.infra_usage_of(following, p_until, p_second, p_gib_hour);
    if used.due > 0 or used.cost >= 1 then
      select greatest(0, least(round(used.cost)::bigint + used.due, s.balance - s.held)) into amount
        from turnpike.wallet_sums(following) s;
      if round(used.cost) > 0 or amount > 0 then
        bills := bills || turnpike.infra_bill_of(following, used, p_until, amount);
      end if;
    end if;
  end loop;
  finished := turnpike.next_infra_account(reached) is null;
end $$;

-- A bill for containers and storage. Amounts are in credit micros.
create type turnpike.infra_bill as (
  user_id bigint,
  starts_at timestamptz, -- null: the account had no bill before
  ends_at timestamptz,
  milliseconds bigint,
  byte_seconds double precision,
  cost bigint,
  due_before bigint,
  billed bigint,
  due bigint,
  -- True if a webhook of the account gets an event.
  has_subscriber boolean
);

create function turnpike.infra_bill_of(p_user_id bigint, p_usage turnpike.infra_usage, p_until timestamptz,
  p_billed bigint)
returns turnpike.infra_bill language sql immutable as $$
  select (p_user_id, p_usage.starts_at, p_until, p_usage.milliseconds, p_usage.byte_seconds,
    round(p_usage.cost)::bigint, p_usage.due, p_billed, round(p_usage.cost)::bigint + p_usage.due - p_billed,
    false)::turnpike.infra_bill
$$;

-- Bills up to p_limit accounts of a run, starting after its stored position.
-- It locks the row of the run, so another worker of the same run waits and continues after this one.
-- reached: the last account that was read. finished: true if no account is left.
create function turnpike.bill_infra_slice(p_run_id bigint, p_limit integer, p_moment timestamptz, out reached bigint,
  out finished boolean, out bills turnpike.infra_bill[]) language plpgsql as $$
declare
  run infra_runs;
  following bigint;
  bill turnpike.infra_bill;
begin
  select r.* into strict run from infra_runs r where r.run_id = p_run_id for no key update;
  reached := run.position;
  finished := run.finished_at is not null;
  bills := '{}';
  for looked in 1 .. case when finished then 0 else p_limit end loop
    following := turnpike.next_infra_account(reached);
    exit when following is null;
    reached := following;
    bill := turnpike.bill_infra(run, following, p_moment);
    if bill.user_id is not null then
      bills := bills || bill;
    end if;
  end loop;
  if not finished then
    finished := turnpike.next_infra_account(reached) is null;
    update infra_runs r set position = reached, finished_at = case when finished then p_moment end
      where r.run_id = p_run_id;
  end if;
end $$;

-- Bills one account for its usage up to the run's time and for the amount that was due before.
-- It books one ledger row of at most the available credit. The rest stays due.
-- A cost below one credit micro is not billed yet and counts in a later run.
-- Returns null if there was nothing to bill.
create function turnpike.bill_infra(run infra_runs, p_user_id bigint, p_moment timestamptz) returns turnpike.infra_bill
language plpgsql as $$
declare
  bill turnpike.infra_bill;
  has_subscriber boolean := false;
  used turnpike.infra_usage;
  amount bigint := 0;
  entry_id bigint;
  booked turnpike.booking;
begin
  used := turnpike.infra_usage_of(p_user_id, run.until_at, run.container_second_micros, run.stored_gib_hour_micros);
  if (used.due > 0 or used.cost >= 1
    or (used.cost = 0 and (used.milliseconds > 0 or used.byte_seconds > 0))) is not true then
    return null;
  end if;
  insert into infra_accounts (user_id, billed_until)
    values (p_user_id, run.until_at)
    on conflict (user_id) do nothing;
  with taken as (
    update container_calls c set billed_at = p_moment
      where c.user_id = p_user_id and c.billed_at is null
      returning c.milliseconds
  )
    select coalesce(sum(t.milliseconds), 0) into used.milliseconds
    from taken t;
  -- More calls may have been recorded since infra_usage_of() read them.
  used.cost := turnpike.infra_cost(used.milliseconds, used.byte_seconds, run.container_second_micros,
    run.stored_gib_hour_micros);
  if used.due + round(used.cost) > 0 then
    perform turnpike.lock_account(p_user_id);
    select greatest(0, least(round(used.cost)::bigint + used.due, s.balance - s.held)) into amount
      from turnpike.wallet_sums(p_user_id) s;
    if amount > 0 then
      booked := turnpike.book_entry(p_user_id, 'space_usage', -amount, null,
        format('infra:%s:%s', p_user_id, run.run_id), null, null, 'system',
        format('Containers and storage until %s UTC', to_char(run.until_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI')),
        p_moment);
      if (booked.entry).ledger_id is null or booked.replayed is not false then
        raise exception 'account % was not billed in run %: %', p_user_id, run.run_id, booked.refused;
      end if;
      has_subscriber := booked.has_subscriber;
      entry_id := (booked.entry).ledger_id;
    end if;
    if round(used.cost) > 0 or amount > 0 then
      insert into infra_bills (
          run_id, user_id, starts_at, ends_at, container_milliseconds, stored_byte_seconds,
          cost_credit_micros, billed_credit_micros, ledger_id, created_at)
      values (
          run.run_id, p_user_id, used.starts_at, run.until_at, used.milliseconds, used.byte_seconds,
          round(used.cost)::bigint, amount, entry_id, p_moment);
      bill := turnpike.infra_bill_of(p_user_id, used, run.until_at, amount);
      bill.has_subscriber := has_subscriber;
    end if;
  end if;
  update infra_accounts a set billed_until = greatest(a.billed_until, run.until_at),
      due_credit_micros = used.due + round(used.cost)::bigint - amount
    where a.user_id = p_user_id;
  return bill;
end $$;
