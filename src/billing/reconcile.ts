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

/** Where a pass stands, and how many rows its next slice has. */
type Pass = Pick<ReconciliationRow, "reconciliation_id" | "phase" | "position" | "sizes">

/** Begins a pass every hour, seldom one over all history, and goes on with the one that is open, for as long as a run of the sweeper may take. */
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

/** The same over all history, now, for an operator's command line, and to its end. Returns the report. */
export async function reconcileNow(ctx: Books): Promise<ReconciliationRow> {
  let pass = known(await beginPass(ctx, { started_by: "operator", due_from: null, all_from: null, found_from: null }))
  for (;;) {
    await runPass(ctx, pass, Number.POSITIVE_INFINITY)
    const report = await readPass(ctx, pass.reconciliation_id)
    if (report.finished_at !== null) return report
    pass = report
  }
}

/** The same by an admin: what could be done while the request waits; the sweeper does the rest. ADMIN_REQUIRED for others. */
export async function reconcileAs(ctx: Context, credential: SessionCredential): Promise<ReconciliationRow> {
  const { row } = await callAs<"begin_reconciliation_as", { refused: string | null; pass: Pass | null }>(
    ctx,
    credential,
    "begin_reconciliation_as",
    {
      ...newPass(ctx),
    },
  )
  const pass = known(row.pass)
  await runPass(ctx, pass, RECONCILIATION_POLICY.requestMs)
  return readPass(ctx, pass.reconciliation_id)
}

type Due = Pick<ArgumentsOf<"begin_reconciliation">, "started_by" | "due_from" | "all_from" | "found_from">

/** The open pass, or one that begins; null when none began because one has since `due_from`. */
async function beginPass(ctx: Books, due: Due): Promise<Pass | null> {
  const { begin_reconciliation } = await callOne<"begin_reconciliation", { begin_reconciliation: Pass | null }>(
    ctx.db,
    "begin_reconciliation",
    { ...newPass(ctx), ...due, moment: ctx.clock.now() },
  )
  return begin_reconciliation
}

function newPass({ clock }: Books): { reconciliation_id: string; settled_before: Date; kept_from: Date } {
  const now = clock.now()
  const settled_before = new Date(now.getTime() - RECONCILIATION_POLICY.overlapMs)
  const kept_from = new Date(now.getTime() - RECONCILIATION_POLICY.keepDays * 86_400_000)
  return { reconciliation_id: newId("reconciliation", now), settled_before, kept_from }
}

function known(pass: Pass | null): Pass {
  if (!pass) throw new Error("no reconciliation has begun, and none is open")
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
    // Somebody else was here at the same time: theirs counts.
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

type Moved = ReconciliationRow & { noted: FindingRow[] }

/**
 * Looks at a slice, notes what is wrong in it and moves on, in one statement. That it is tried is noted before: whoever goes on behind
 * one that has not answered tries half. Null when the pass was not where it is said to be.
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
  const { check_slice } = await callOne<"check_slice", { check_slice: Moved | null }>(ctx.db, "check_slice", {
    ...slice,
    moment: now,
    most_findings: RECONCILIATION_POLICY.sliceFindings,
    orphaned_from: new Date(now.getTime() + RECONCILIATION_POLICY.orphanedAfterMs),
  })
  return check_slice
}

const withSize = (pass: Pass, phase: Phase, size: number): Pass => ({
  ...pass,
  sizes: { ...pass.sizes, [phase]: size },
})

/** How many rows the slice behind one of `size` has, by its time. */
function nextSize(size: number, ms: number): number {
  if (ms > RECONCILIATION_POLICY.slowMs) return Math.max(1, Math.floor(size / 2))
  return ms < RECONCILIATION_POLICY.fastMs ? size * 2 : size
}

/** Repairs what can be, and says so; the next pass that looks at it tries again what could not be done now. */
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

/** Reconciliations `r`, each with its first findings: rows of ReconciliationRow, once they are read as JSON. */
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

/** What is repaired without asking anybody. No amount that somebody paid or was charged is changed. */
const REPAIRED: ReadonlySet<FindingKind> = new Set<FindingKind>([
  "held",
  "failure_charged",
  "orphaned_turn",
  "counter_spent",
  "counter_reserved",
  "counter_missing",
])

/** Repairs a finding if that can be done, and notes it, in one statement. Whether it was. */
async function repairFinding(ctx: Pick<Context, "db" | "clock">, { finding_id, kind }: FindingRow): Promise<boolean> {
  if (!REPAIRED.has(kind)) return false
  const { repair_finding } = await callOne(ctx.db, "repair_finding", { finding_id, moment: ctx.clock.now() })
  return repair_finding === true
}
