import { sql } from "kysely"
import type { Context } from "../context.ts"
import { describeError } from "../platform/log.ts"
import type { OpenErasure } from "./erasure-row.ts"
import { ERASURE_POLICY } from "./policies.ts"
import { checkErasure, runErasure } from "./run-erasure.ts"

/** Goes on with the erasures that are not complete: one that fails stands behind the others at the next run. */
export async function sweepErasures(ctx: Context): Promise<{ tried: number; failed: number }> {
  const settled = new Date(ctx.clock.now().getTime() - ERASURE_POLICY.checkAfterMs)
  const { rows } = await sql<OpenErasure>`with due as (
      select erasure_id from erasures
      where checked_at is null and (erased_at is null or erased_at <= ${settled}::timestamptz)
      order by tried_at limit ${ERASURE_POLICY.sweepBatch}
    ) update erasures e set tried_at = ${ctx.clock.now()}::timestamptz from due where e.erasure_id = due.erasure_id
    returning e.erasure_id, e.user_id, e.test, e.end_user_ref, e.until_at, e.erased_at`.execute(ctx.db)
  let failed = 0
  for (const erasure of rows) {
    try {
      if (erasure.erased_at === null) await runErasure(ctx, erasure, { rounds: ERASURE_POLICY.roundsOfSweep })
      else await checkErasure(ctx, erasure)
    } catch (error) {
      failed++
      ctx.log("error", "erasure.failed", { erasure_id: erasure.erasure_id, error: describeError(error) })
    }
  }
  return { tried: rows.length, failed }
}
