import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import type { FindingKind, FindingRow } from "./reconciliation-row.ts"

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
export async function repairFinding(
  ctx: Pick<Context, "db" | "clock">,
  { finding_id, kind }: FindingRow,
): Promise<boolean> {
  if (!REPAIRED.has(kind)) return false
  const { repair_finding } = await callOne(ctx.db, "repair_finding", { finding_id, moment: ctx.clock.now() })
  return repair_finding === true
}
