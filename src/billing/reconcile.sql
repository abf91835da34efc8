-- Returns the open pass, or starts a new one. Returns null if the last pass started after p_due_from.
-- p_due_from: null if an operator or an admin asks for a pass. Such a pass covers all history.
-- p_all_from: the pass also covers all history if no such pass has started since this time.
-- p_found_from: the same, if a later pass has findings. Every other pass covers the changes since the last marks.
-- p_settled_before: turns and ledger rows up to the new marks had ended or existed before this time.
-- p_kept_from: older passes are deleted when a new one starts.
create function turnpike.begin_reconciliation(p_reconciliation_id text, p_started_by text, p_due_from timestamptz,
  p_all_from timestamptz, p_found_from timestamptz, p_settled_before timestamptz, p_kept_from timestamptz,
  p_moment timestamptz)
returns reconciliations language plpgsql as $$
declare
  pass reconciliations;
  former reconciliations;
  last_of_all timestamptz;
begin
  -- Concurrent callers wait for this lock and then see the pass that was just inserted.
  perform pg_advisory_xact_lock(hashtext('reconciliations'), 0);
  select r.* into pass from reconciliations r where r.finished_at is null limit 1 for no key update;
  if found then
    return case when p_due_from is null and pass.scope = 'recent' then turnpike.widen_reconciliation(pass, p_started_by)
      else pass end;
  end if;
  if p_due_from is not null and exists (select from reconciliations r where r.started_at > p_due_from) then
    return null;
  end if;
  select r.* into former from reconciliations r order by r.started_at desc limit 1;
  select max(r.started_at) into last_of_all from reconciliations r where r.scope = 'all';
  insert into reconciliations (
      reconciliation_id, started_by, phase,
      scope,
      sizes, turn_from, ledger_from, settled_before,
      ledger_mark,
      started_at)
  values (
      p_reconciliation_id, p_started_by, 'accounts',
      case when p_due_from is null or last_of_all is null or last_of_all <= p_all_from
        or (last_of_all <= p_found_from
          and exists ( select from reconciliations r where r.started_at > last_of_all and r.findings > 0)) then 'all'
            else 'recent' end,
      coalesce(former.sizes, '{}'), coalesce(former.turn_mark, ''), coalesce(former.ledger_mark, 0), p_settled_before,
      coalesce((select l.ledger_id from ledger l where l.created_at < p_settled_before
        order by l.ledger_id desc limit 1), 0),
      p_moment)
  returning * into pass;
  delete from reconciliation_findings f
    using reconciliations r
    where r.started_at < p_kept_from and f.reconciliation_id = r.reconciliation_id;
  delete from reconciliations r where r.started_at < p_kept_from;
  return pass;
end $$;

-- Restarts a pass over recent changes as a pass over all history.
-- Its unrepaired findings are deleted, because the new pass finds them again.
create function turnpike.widen_reconciliation(p_pass reconciliations, p_started_by text) returns reconciliations
language plpgsql as $$
declare
  pass reconciliations;
begin
  delete from reconciliation_findings f
    where f.reconciliation_id = p_pass.reconciliation_id and f.repaired_at is null;
  update reconciliations r set scope = 'all', started_by = p_started_by, phase = 'accounts', position = '',
    accounts = 0, ledger_rows = 0, turns = 0, counters = 0, turn_mark = null,
      findings = (select count(*) from reconciliation_findings f where f.reconciliation_id = r.reconciliation_id)
    where r.reconciliation_id = p_pass.reconciliation_id
    returning * into pass;
  return pass;
end $$;

-- Starts a pass over all history as an admin, or returns the open pass, widened to all history.
-- refused: 'admin' if the caller is not an admin.
create function turnpike.begin_reconciliation_as(p_request turnpike.request,
  p_reconciliation_id text, p_settled_before timestamptz, p_kept_from timestamptz, out actor turnpike.caller,
  out refused text, out pass reconciliations) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  if caller.role is distinct from 'admin' then
    refused := 'admin';
  else
    pass := turnpike.begin_reconciliation(p_reconciliation_id, 'admin:' || caller.user_id, null, null, null,
      p_settled_before, p_kept_from, p_request.moment);
    -- An admin who continues the open pass decides nothing, so there is no audit entry.
    if pass.reconciliation_id = p_reconciliation_id then
      perform turnpike.note_change(caller.user_id, 'books.reconcile', 'reconciliation', p_reconciliation_id, null, null,
        p_request.request_id, p_request.address, p_request.moment);
    end if;
  end if;
  {{caller.closes}}
end $$;

-- Stores half of p_size before a slice is tried. If the slice fails, the next attempt reads half as many rows.
-- Returns false if the pass is no longer at p_phase and p_position.
create function turnpike.note_slice(p_reconciliation_id text, p_phase text, p_position text, p_size integer)
returns boolean
language plpgsql as $$
begin
  update reconciliations r set sizes = r.sizes || jsonb_build_object(p_phase, greatest(1, p_size / 2))
    where r.reconciliation_id = p_reconciliation_id and r.phase = p_phase and r.position = p_position
      and r.finished_at is null;
  return found;
end $$;

create type turnpike.checked_slice as (
  pass reconciliations,
  -- The recorded findings of the slice.
  noted reconciliation_findings[]
);

-- Checks the next p_size rows of a pass, records at most p_most_findings findings and advances the pass.
-- Returns the pass and the recorded findings.
-- Returns null if the pass is no longer at p_phase and p_position, because another worker checked the slice.
create function turnpike.check_slice(p_reconciliation_id text, p_phase text, p_position text, p_size integer,
  p_most_findings integer, p_orphaned_from timestamptz, p_moment timestamptz) returns turnpike.checked_slice
language plpgsql as $$
declare
  pass reconciliations;
  slice turnpike.books_slice;
  next_phase text;
  starts_from text := '';
  is_over boolean;
  moved reconciliations;
  noted reconciliation_findings[];
begin
  select r.* into strict pass from reconciliations r where r.reconciliation_id = p_reconciliation_id;
  case p_phase
    when 'accounts' then
      slice := turnpike.accounts_slice(p_position, p_size, pass.turn_from, p_moment);
      next_phase := 'ledger';
      starts_from := case pass.scope when 'recent' then pass.ledger_from::text else '' end;
    when 'ledger' then
      slice := turnpike.ledger_slice(p_position, p_size, case pass.scope when 'recent' then pass.turn_from else '' end,
        p_orphaned_from, p_moment);
      next_phase := 'turns';
      starts_from := case pass.scope when 'recent' then pass.turn_from else '' end;
    when 'turns' then
      slice := turnpike.turns_slice(p_position, p_size, pass.settled_before, p_orphaned_from, p_moment);
      next_phase := 'counters';
    when 'counters' then
      slice := turnpike.counters_slice(p_position, p_size, p_moment);
      next_phase := 'end_users';
    when 'end_users' then
      slice := turnpike.end_users_slice(p_position, p_size, pass.scope, p_moment);
      next_phase := 'rollups';
    when 'rollups' then
      slice := turnpike.rollups_slice(p_position, p_size, pass.scope, p_moment);
  end case;
  is_over := slice.rows < p_size;
  update reconciliations r set findings = r.findings + cardinality(slice.findings),
      accounts = r.accounts + case p_phase when 'accounts' then slice.rows else 0 end,
      ledger_rows = r.ledger_rows + case p_phase when 'ledger' then slice.rows else 0 end,
      turns = r.turns + case p_phase when 'turns' then slice.rows else 0 end,
      counters = r.counters + case p_phase when 'counters' then slice.rows else 0 end,
      phase = case when is_over then coalesce(next_phase, p_phase) else p_phase end,
      position = case when is_over then starts_from else slice.last end,
      sizes = r.sizes || jsonb_build_object(p_phase, p_size),
      turn_mark = case p_phase when 'turns'
        then coalesce(r.turn_mark, slice.settled, case when is_over then coalesce(slice.last, p_position) end)
        else r.turn_mark end,
      finished_at = case when is_over and next_phase is null then p_moment end
    where r.reconciliation_id = p_reconciliation_id and r.phase = p_phase and r.position = p_position
      and r.scope = pass.scope
      and r.finished_at is null
    returning * into moved;
  if not found then
    return null;
  end if;
  with made as (
    insert into reconciliation_findings (
        reconciliation_id, kind, user_id, turn_id, ledger_id, counter, expected_credit_micros, found_credit_micros,
        found_at)
    select
        p_reconciliation_id, f.kind, f.user_id, f.turn_id, f.ledger_id, f.counter, f.expected, f.found,
        p_moment
    from unnest(slice.findings) f limit p_most_findings
    returning *
  )
  select coalesce(array_agg(m::reconciliation_findings order by m.finding_id), '{}') into noted
  from made m;
  return row(moved, noted)::turnpike.checked_slice;
end $$;
