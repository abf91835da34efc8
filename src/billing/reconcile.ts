import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { queryAs } from "../identity/actor.ts"
import type { SessionCredential } from "../identity/credential.ts"
import { newId } from "../platform/ids.ts"
import { describeError } from "../platform/log.ts"
import { RECONCILIATION_POLICY } from "./policies.ts"
import { PHASES } from "./reconcile-slices.ts"
import { type FindingRow, PHASE_NAMES, type Phase, type ReconciliationRow } from "./reconciliation-row.ts"
import { repairFinding } from "./repair-finding.ts"

type Books = Pick<Context, "db" | "clock" | "log">

/** Where a pass stands. */
interface Pass {
  reconciliation_id: string
  phase: Phase
  position: string
}

/** Begins a pass every hour, and goes on with the one that is open, for as long as a run of the sweeper may take. */
export async function sweepBooks(ctx: Books): Promise<{ findings: number; finished: boolean }> {
  const hourAgo = new Date(ctx.clock.now().getTime() - RECONCILIATION_POLICY.everyMs)
  const due = sql`select 'schedule' as started_by
    where not exists (select 1 from reconciliations where started_at > ${hourAgo}::timestamptz)`
  const { rows } = await sql<Pass>`with ${beginCtes(ctx, due)} select * from pass`.execute(ctx.db)
  if (!rows[0]) return { findings: 0, finished: true }
  return runPass(ctx, rows[0], RECONCILIATION_POLICY.runMs)
}

/** The same now, for an operator's command line, and to its end. Returns the report. */
export async function reconcileNow(ctx: Books): Promise<ReconciliationRow> {
  const begin = sql<Pass>`with ${beginCtes(ctx, sql`select 'operator' as started_by`)} select * from pass`
  let pass = await beginPass(async () => (await begin.execute(ctx.db)).rows[0])
  for (;;) {
    await runPass(ctx, pass, Number.POSITIVE_INFINITY)
    const report = await readPass(ctx, pass.reconciliation_id)
    if (report.finished_at !== null) return report
    pass = report
  }
}

/** The same by an admin: what could be done while the request waits; the sweeper does the rest. ADMIN_REQUIRED for others. */
export async function reconcileAs(ctx: Context, credential: SessionCredential): Promise<ReconciliationRow> {
  const pass = await beginPass(async () => {
    const { row } = await queryAs<Partial<Pass>>(ctx, credential, {
      role: "admin",
      ctes: beginCtes(ctx, sql`select 'admin:' || user_id as started_by from caller`),
      select: sql`select * from pass`,
    })
    return row.reconciliation_id ? (row as Pass) : undefined
  })
  await runPass(ctx, pass, RECONCILIATION_POLICY.requestMs)
  return readPass(ctx, pass.reconciliation_id)
}

/** Another pass that begins at the same moment is seen when one looks again. */
async function beginPass(begin: () => Promise<Pass | undefined>): Promise<Pass> {
  const pass = (await begin()) ?? (await begin())
  if (!pass) throw new TurnpikeError("CONFLICT", "A reconciliation is beginning and ending. Try again.")
  return pass
}

/** `pass`: the open one, or one that begins for the row of `starters`. Old passes go when one begins. */
function beginCtes(ctx: Books, starters: RawBuilder<unknown>): RawBuilder<unknown> {
  const now = ctx.clock.now()
  const kept = new Date(now.getTime() - RECONCILIATION_POLICY.keepDays * 86_400_000)
  return sql`begun as (
    insert into reconciliations (reconciliation_id, started_by, phase, started_at)
    select ${newId("reconciliation", now)}, started_by, ${PHASE_NAMES[0]}, ${now}::timestamptz from (${starters}) starters
    on conflict do nothing
    returning *
  ), old_findings as (
    delete from reconciliation_findings f using begun, reconciliations r
    where r.started_at < ${kept}::timestamptz and f.reconciliation_id = r.reconciliation_id
  ), old_passes as (
    delete from reconciliations r using begun where r.started_at < ${kept}::timestamptz and r.finished_at is not null
  ), pass as materialized (
    select reconciliation_id, phase, position from begun
    union all select reconciliation_id, phase, position from reconciliations where finished_at is null
  )`
}

async function runPass(ctx: Books, first: Pass, budgetMs: number): Promise<{ findings: number; finished: boolean }> {
  const started = ctx.clock.now().getTime()
  const sizes = new Map<Phase, number>()
  let findings = 0
  for (let pass = first; ; ) {
    const began = ctx.clock.now().getTime()
    if (began - started > budgetMs) return { findings, finished: false }
    const size = sizes.get(pass.phase) ?? RECONCILIATION_POLICY.slices[pass.phase].first
    const moved = await checkSlice(ctx, pass, size)
    // Somebody else was here at the same time: theirs counts.
    if (!moved) return { findings, finished: false }
    sizes.set(pass.phase, nextSize(pass.phase, size, ctx.clock.now().getTime() - began))
    for (const finding of moved.noted) await settleFinding(ctx, finding)
    findings += moved.noted.length
    if (moved.finished_at !== null) {
      const { reconciliation_id, accounts, ledger_rows, turns, counters } = moved
      const seen = { accounts, ledger_rows, turns, counters, findings: moved.findings }
      ctx.log("info", "reconciliation.finished", { reconciliation_id, ...seen })
      return { findings, finished: true }
    }
    pass = moved
  }
}

type Moved = ReconciliationRow & { noted: FindingRow[] }

/** Looks at a slice, notes what is wrong in it and moves on, in one statement. Null when the pass was not where it is said to be. */
async function checkSlice(
  ctx: Books,
  { reconciliation_id, phase, position }: Pass,
  size: number,
): Promise<Moved | null> {
  const now = ctx.clock.now()
  const { counts, slice } = PHASES[phase]
  const { ctes, last, findings } = slice({ position, size, now })
  const next = PHASE_NAMES[PHASE_NAMES.indexOf(phase) + 1]
  const atEnd = sql`seen.rows < ${size}::integer`
  const { rows } = await sql<{ pass: Moved }>`with ${ctes}, wrong as materialized (${findings}),
    seen as materialized (select count(*) as rows, (${last}) as last, (select count(*) from wrong) as findings from slice),
    moved as (
      update reconciliations r set ${counts} = r.${counts} + seen.rows, findings = r.findings + seen.findings,
        phase = case when ${atEnd} then ${next ?? phase} else r.phase end,
        position = case when ${atEnd} then '' else seen.last end,
        finished_at = case when ${atEnd} and ${next === undefined} then ${now}::timestamptz end
      from seen where r.reconciliation_id = ${reconciliation_id} and r.phase = ${phase} and r.position = ${position}
        and r.finished_at is null
      returning r.*
    ), noted as (
      insert into reconciliation_findings (reconciliation_id, kind, user_id, turn_id, ledger_id, counter,
        expected_credit_micros, found_credit_micros, found_at)
      select moved.reconciliation_id, w.kind, w.user_id, w.turn_id, w.ledger_id, w.counter, w.expected, w.found, ${now}::timestamptz
      from moved, (select * from wrong limit ${RECONCILIATION_POLICY.sliceFindings}::integer) w
      returning *
    )
    select to_jsonb(moved) || jsonb_build_object('noted', coalesce((select jsonb_agg(to_jsonb(noted)) from noted), '[]')) as pass
    from moved`.execute(ctx.db)
  return rows[0]?.pass ?? null
}

function nextSize(phase: Phase, size: number, ms: number): number {
  if (ms > RECONCILIATION_POLICY.slowMs) return Math.max(1, Math.floor(size / 2))
  if (ms < RECONCILIATION_POLICY.fastMs) return Math.min(size * 2, RECONCILIATION_POLICY.slices[phase].most)
  return size
}

/** Repairs what can be, and says so; the next pass tries again what could not be done now. */
async function settleFinding(ctx: Books, finding: FindingRow): Promise<void> {
  const repaired = await repairFinding(ctx, finding).catch((error: unknown) => {
    ctx.log("error", "reconciliation.repair_failed", { finding_id: finding.finding_id, error: describeError(error) })
    return false
  })
  const { reconciliation_id, kind, user_id, turn_id, ledger_id, counter } = finding
  // An end user's reference is a text of the customer's, which no log may hold.
  const key_id = counter?.kind === "key" ? counter.subject : undefined
  const period = counter && `${counter.kind} ${counter.period} ${counter.starts_at}`
  ctx.log("error", "reconciliation.finding", {
    ...{ reconciliation_id, kind, user_id, turn_id, ledger_id, key_id, counter: period },
    expected_credit_micros: finding.expected_credit_micros,
    found_credit_micros: finding.found_credit_micros,
    repaired,
  })
}

/** A reconciliation `r` with its first findings. */
export const reconciliationJson = sql`to_jsonb(r) || jsonb_build_object('shown', coalesce((
  select jsonb_agg(to_jsonb(f) order by f.finding_id) from (
    select * from reconciliation_findings where reconciliation_id = r.reconciliation_id
    order by finding_id limit ${RECONCILIATION_POLICY.shownFindings}::integer) f), '[]'))`

async function readPass(ctx: Books, id: string): Promise<ReconciliationRow> {
  const { rows } = await sql<{ pass: ReconciliationRow }>`select ${reconciliationJson} as pass from reconciliations r
    where r.reconciliation_id = ${id}`.execute(ctx.db)
  if (!rows[0]) throw new Error(`there is no reconciliation ${id}`)
  return rows[0].pass
}
