import { sql } from "kysely"
import type { Context } from "../context.ts"
import { type CancelledTurn, callCancelled, cancelManyCtes, touchedTurns } from "../turns/cancel-many.ts"
import { SPACE_ARCHIVED } from "./archive-space.ts"
import { SPACE_POLICY } from "./policies.ts"

interface Ending {
  space_id: number
  user_id: number
  test: boolean
}

/**
 * Ends what is left of the turns of archived spaces: those beyond the first batch, and those whose acceptance was under way.
 * A space is done with when nothing is left some minutes after it was archived.
 */
export async function sweepArchivedSpaces(ctx: Context): Promise<{ cancelled: number; done: number }> {
  const sweep = { cancelled: 0, done: 0 }
  const { rows } = await sql<Ending>`select space_id, user_id, test from spaces where ending_turns
    order by archived_at limit ${SPACE_POLICY.sweepBatch}`.execute(ctx.db)
  for (const space of rows) {
    for (let batch = 0; batch < SPACE_POLICY.sweepBatches; batch++) {
      const { touched, done } = await endTurns(ctx, space)
      await callCancelled(ctx, touched)
      sweep.cancelled += touched.length
      if (done) sweep.done++
      if (touched.length === 0) break
    }
  }
  return sweep
}

async function endTurns(
  ctx: Context,
  { space_id, user_id, test }: Ending,
): Promise<{ touched: CancelledTurn[]; done: boolean }> {
  const settled = new Date(ctx.clock.now().getTime() - SPACE_POLICY.archiveSettlesMs)
  const which = sql`t.user_id = ${user_id}::bigint and t.test = ${test}::boolean and t.space_id = ${space_id}::bigint`
  const { rows } = await sql<{ touched: CancelledTurn[]; done: boolean }>`with
    ${cancelManyCtes(ctx, which, SPACE_ARCHIVED)}, done as (
      update spaces s set ending_turns = false
      where s.space_id = ${space_id}::bigint and s.archived_at <= ${settled}::timestamptz
        and not exists (select 1 from to_cancel)
      returning 1
    ) select ${touchedTurns} as touched, exists (select 1 from done) as done`.execute(ctx.db)
  return rows[0] ?? { touched: [], done: false }
}
