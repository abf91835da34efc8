-- The pass that is open, or one that begins now; null when the last one began after p_due_from (null: a pass is due whenever one is
-- asked for). Passes from before p_kept_from are forgotten when one begins.
create function turnpike.begin_reconciliation(p_reconciliation_id text, p_started_by text, p_due_from timestamptz,
  p_kept_from timestamptz, p_moment timestamptz) returns jsonb language plpgsql as $$
declare
  pass reconciliations;
begin
  -- Whoever else begins one waits here, and sees it behind this.
  perform pg_advisory_xact_lock(hashtext('reconciliations'), 0);
  select r.* into pass from reconciliations r where r.finished_at is null limit 1;
  if not found then
    if p_due_from is not null and exists (select from reconciliations r where r.started_at > p_due_from) then
      return null;
    end if;
    insert into reconciliations (reconciliation_id, started_by, phase, started_at)
    values (p_reconciliation_id, p_started_by, 'accounts', p_moment) returning * into pass;
    delete from reconciliation_findings f using reconciliations r
      where r.started_at < p_kept_from and f.reconciliation_id = r.reconciliation_id;
    delete from reconciliations r where r.started_at < p_kept_from;
  end if;
  return to_jsonb(pass);
end $$;

-- The same by an admin; refused: 'admin' for anybody else.
create function turnpike.begin_reconciliation_as(p_caller_kind text, p_caller_token text, p_caller_test boolean, p_moment timestamptz,
  p_reconciliation_id text, p_kept_from timestamptz, out actor jsonb, out refused text, out pass jsonb) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  caller := turnpike.find_caller(p_caller_kind, p_caller_token, p_caller_test, p_moment);
  actor := to_jsonb(caller);
  if caller.usable is not true then
    return;
  end if;
  if caller.role is distinct from 'admin' then
    refused := 'admin';
  else
    pass := turnpike.begin_reconciliation(p_reconciliation_id, 'admin:' || caller.user_id, null, p_kept_from, p_moment);
  end if;
  perform turnpike.note_use(caller, p_moment);
end $$;

-- Looks at the next p_size rows of a pass, notes what is wrong in them, at most p_most_findings, and moves on. Returns the pass, with
-- the findings `noted`; null when it was not where it is said to be: somebody else has looked there.
create function turnpike.check_slice(p_reconciliation_id text, p_phase text, p_position text, p_size integer, p_most_findings integer,
  p_orphaned_from timestamptz, p_moment timestamptz) returns jsonb language plpgsql as $$
declare
  slice turnpike.books_slice;
  next_phase text;
  is_over boolean;
  moved reconciliations;
  noted jsonb;
begin
  case p_phase
    when 'accounts' then
      slice := turnpike.accounts_slice(p_position, p_size);
      next_phase := 'ledger';
    when 'ledger' then
      slice := turnpike.ledger_slice(p_position, p_size);
      next_phase := 'turns';
    when 'turns' then
      slice := turnpike.turns_slice(p_position, p_size, p_orphaned_from, p_moment);
      next_phase := 'counters';
    when 'counters' then
      slice := turnpike.counters_slice(p_position, p_size, p_moment);
  end case;
  is_over := slice.rows < p_size;
  update reconciliations r set findings = r.findings + cardinality(slice.findings),
      accounts = r.accounts + case p_phase when 'accounts' then slice.rows else 0 end,
      ledger_rows = r.ledger_rows + case p_phase when 'ledger' then slice.rows else 0 end,
      turns = r.turns + case p_phase when 'turns' then slice.rows else 0 end,
      counters = r.counters + case p_phase when 'counters' then slice.rows else 0 end,
      phase = case when is_over then coalesce(next_phase, p_phase) else p_phase end,
      position = case when is_over then '' else slice.last end,
      finished_at = case when is_over and next_phase is null then p_moment end
    where r.reconciliation_id = p_reconciliation_id and r.phase = p_phase and r.position = p_position and r.finished_at is null
    returning * into moved;
  if not found then
    return null;
  end if;
  with made as (
    insert into reconciliation_findings (reconciliation_id, kind, user_id, turn_id, ledger_id, counter, expected_credit_micros,
      found_credit_micros, found_at)
    select p_reconciliation_id, f.kind, f.user_id, f.turn_id, f.ledger_id, f.counter, f.expected, f.found, p_moment
    from unnest(slice.findings) f limit p_most_findings
    returning *
  )
  select coalesce(jsonb_agg(to_jsonb(m) order by m.finding_id), '[]') into noted from made m;
  return to_jsonb(moved) || jsonb_build_object('noted', noted);
end $$;
