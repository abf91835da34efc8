import type { QueryCreator } from "kysely"
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { newId } from "../base/ids.ts"
import { callOne } from "../platform/db.ts"
import type { DB } from "../platform/db-types.ts"
import { describeError } from "../platform/log.ts"
import type { ArgumentsOf } from "../platform/procedures.ts"
import { RECONCILIATION_POLICY } from "./policies.ts"
import type { FindingKind, FindingRow, Phase, ReconciliationRow } from "./reconciliation-row.ts"

type Books = Pick<Context, "db" | "clock" | "log">

/** The position of a pass, and the number of rows of its next slice by phase. */
type Pass = Pick<ReconciliationRow, "reconciliation_id" | "phase" | "position" | "sizes">

/**
 * Starts a pass if the last one started an hour ago, and works on the
 * open pass for at most `runMs`. One pass a week covers all history.
 */
export async function sweepBooks(ctx: Books): Promise<{ findings: number; finished: boolean }> {
  const before = (ms: number) => new Date(ctx.clock.now().getTime() - ms)
  const pass = await beginPass(ctx, {
    started_by: "schedule",
    due_from: before(RECONCILIATION_POLICY.everyMs),
    all_from: before(RECONCILIATION_POLICY.allEveryMs),
    found_from: before(RECONCILIATION_POLICY.allBehindFindingMs),
  })
  return pass ? runPass(ctx, pass, RECONCILIATION_POLICY.runMs) : { findings: 0, finished: true }
}

/** Runs a pass over all history to its end, for the operator's command line. Returns the report. */
export async function reconcileNow(ctx: Books): Promise<ReconciliationRow> {
  let pass = known(await beginPass(ctx, { started_by: "operator", due_from: null, all_from: null, found_from: null }))
  for (;;) {
    await runPass(ctx, pass, Number.POSITIVE_INFINITY)
    const report = await readPass(ctx, pass.reconciliation_id)
    if (report.finished_at !== null) return report
    pass = report
  }
}

/**
 * Starts a pass over all history as an admin and works on it while the
 * request waits. The sweep does the rest. ADMIN_REQUIRED for other callers.
 */
export async function reconcileAs(ctx: Context, credential: SessionCredential): Promise<ReconciliationRow> {
  const { row } = await callAs(ctx, credential, "begin_reconciliation_as", newPass(ctx))
  const pass = known(row.pass as Pass | null)
  await runPass(ctx, pass, RECONCILIATION_POLICY.requestMs)
  return readPass(ctx, pass.reconciliation_id)
}

type Due = Pick<ArgumentsOf<"begin_reconciliation">, "started_by" | "due_from" | "all_from" | "found_from">

/** Returns the open pass or a new one. Null if a pass has started since `due_from`. */
async function beginPass(ctx: Books, due: Due): Promise<Pass | null> {
  const args = { ...newPass(ctx), ...due, moment: ctx.clock.now() }
  const { begin_reconciliation: pass } = await callOne(ctx.db, "begin_reconciliation", args)
  return pass as Pass | null
}

function newPass({ clock }: Books): { reconciliation_id: string; settled_before: Date; kept_from: Date } {
  const now = clock.now()
  const settled_before = new Date(now.getTime() - RECONCILIATION_POLICY.overlapMs)
  const kept_from = new Date(now.getTime() - RECONCILIATION_POLICY.keepDays * 86_400_000)
  return { reconciliation_id: newId("reconciliation", now), settled_before, kept_from }
}

function known(pass: Pass | null): Pass {
  if (!pass) throw new Error("no reconciliation was started, and none is open")
  return pass
}

async function runPass(ctx: Books, first: Pass, budgetMs: number): Promise<{ findings: number; finished: boolean }> {
  const started = ctx.clock.now().getTime()
  let findings = 0
  for (let pass = first; ; ) {
    const began = ctx.clock.now().getTime()
    if (began - started > budgetMs) return { findings, finished: false }
    const { first: usual, most } = RECONCILIATION_POLICY.slices[pass.phase]
    const size = Math.min(pass.sizes[pass.phase] ?? usual, most)
    let moved: Moved | null
    try {
      moved = await checkSlice(ctx, pass, size)
    } catch (error) {
      if (size === 1) throw error
      ctx.log("error", "reconciliation.slice_failed", { phase: pass.phase, size, error: describeError(error) })
      pass = withSize(pass, pass.phase, Math.floor(size / 2))
      continue
    }
    // Another worker checked this slice at the same time. Its result counts.
    if (!moved) return { findings, finished: false }
    for (const finding of moved.noted) await settleFinding(ctx, finding)
    findings += moved.noted.length
    if (moved.finished_at !== null) {
      const { reconciliation_id, scope, accounts, ledger_rows, turns, counters } = moved
      const seen = { scope, accounts, ledger_rows, turns, counters, findings: moved.findings }
      ctx.log("info", "reconciliation.finished", { reconciliation_id, ...seen })
      return { findings, finished: true }
    }
    pass = withSize(moved, pass.phase, nextSize(size, ctx.clock.now().getTime() - began))
  }
}

type Moved = Omit<ReconciliationRow, "shown"> & { noted: FindingRow[] }

/**
 * Checks a slice, records its findings and advances the pass, in one statement. The attempt is
 * recorded first, so that a retry reads half as many rows. Null if the pass has already moved on.
 */
async function checkSlice(
  ctx: Books,
  { reconciliation_id, phase, position }: Pass,
  size: number,
): Promise<Moved | null> {
  const now = ctx.clock.now()
  const slice = { reconciliation_id, phase, position, size }
  const { note_slice } = await callOne(ctx.db, "note_slice", slice)
  if (!note_slice) return null
  const { check_slice: checked } = await callOne(ctx.db, "check_slice", {
    ...slice,
    moment: now,
    most_findings: RECONCILIATION_POLICY.sliceFindings,
    orphaned_from: new Date(now.getTime() + RECONCILIATION_POLICY.orphanedAfterMs),
  })
  return checked && ({ ...checked.pass, noted: checked.noted } as Moved)
}

const withSize = (pass: Pass, phase: Phase, size: number): Pass => ({
  ...pass,
  sizes: { ...pass.sizes, [phase]: size },
})

/** The number of rows of the next slice, from the time that a slice of `size` took. */
function nextSize(size: number, ms: number): number {
  if (ms > RECONCILIATION_POLICY.slowMs) return Math.max(1, Math.floor(size / 2))
  return ms < RECONCILIATION_POLICY.fastMs ? size * 2 : size
}

/** Repairs a finding if possible, and logs it. After a failed repair, the next pass that finds it tries again. */
async function settleFinding(ctx: Books, finding: FindingRow): Promise<void> {
  const repaired = await repairFinding(ctx, finding).catch((error: unknown) => {
    ctx.log("error", "reconciliation.repair_failed", { finding_id: finding.finding_id, error: describeError(error) })
    return false
  })
  const { reconciliation_id, kind, user_id, turn_id, ledger_id, counter } = finding
  // An end user's reference is data of the account, so it must not appear in logs.
  const key_id = counter?.kind === "key" ? counter.subject : undefined
  const period = counter && `${counter.kind} ${counter.period} ${counter.starts_at}`
  ctx.log("error", "reconciliation.finding", {
    reconciliation_id,
    kind,
    user_id,
    turn_id,
    ledger_id,
    key_id,
    counter: period,
    expected_credit_micros: finding.expected_credit_micros,
    found_credit_micros: finding.found_credit_micros,
    repaired,
  })
}

/** Selects reconciliations `r`, each with its first findings. Read as JSON, a row is a ReconciliationRow. */
export function withFindings(db: Pick<QueryCreator<DB>, "selectFrom">) {
  return db
    .selectFrom("reconciliations as r")
    .selectAll("r")
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom("reconciliation_findings as f")
          .selectAll("f")
          .whereRef("f.reconciliation_id", "=", "r.reconciliation_id")
          .orderBy("f.finding_id")
          .limit(RECONCILIATION_POLICY.shownFindings),
      ).as("shown"),
    )
}

async function readPass(ctx: Books, id: string): Promise<ReconciliationRow> {
  const pass = jsonObjectFrom(withFindings(ctx.db).where("r.reconciliation_id", "=", id))
  const row = await ctx.db.selectNoFrom(() => pass.as("pass")).executeTakeFirst()
  if (!row?.pass) throw new Error(`there is no reconciliation ${id}`)
  return row.pass as ReconciliationRow
}

/** Findings that are repaired automatically. A repair never changes an amount that was paid or charged. */
const REPAIRED: ReadonlySet<FindingKind> = new Set<FindingKind>([
  "held",
  "failure_charged",
  "orphaned_turn",
  "counter_spent",
  "counter_reserved",
  "counter_missing",
])

/** Repairs a finding and records the repair, in one statement. Returns whether the finding was repaired. */
async function repairFinding(ctx: Pick<Context, "db" | "clock">, { finding_id, kind }: FindingRow): Promise<boolean> {
  if (!REPAIRED.has(kind)) return false
  const { repair_finding } = await callOne(ctx.db, "repair_finding", { finding_id, moment: ctx.clock.now() })
  return repair_finding === true
}
