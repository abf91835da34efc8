import { sql } from "kysely"
import type { Context } from "../context.ts"
import { type CancelledTurn, callCancelled, cancelManyCtes, touchedTurns } from "../turns/cancel-many.ts"
import { KEY_POLICY } from "./policies.ts"

/**
 * Ends the open turns of a disabled account: queued ones are cancelled (`account_disabled`), running ones asked to stop. An
 * account is done with when nothing is left some minutes after it was disabled. Returns how many turns were touched.
 */
export async function endUserTurns(ctx: Context, userId: number): Promise<number> {
  let count = 0
  for (let batch = 0; batch < KEY_POLICY.endBatches; batch++) {
    const touched = await endBatch(ctx, userId)
    if (touched.length === 0) break
    count += touched.length
    await callCancelled(ctx, touched)
  }
  return count
}

async function endBatch(ctx: Context, userId: number): Promise<CancelledTurn[]> {
  const settledBefore = new Date(ctx.clock.now().getTime() - KEY_POLICY.settledAfterMs)
  const disabled = sql`exists (select 1 from users u where u.user_id = ${userId}::bigint and u.disabled_at is not null)`
  const { rows } = await sql<{ touched: CancelledTurn[] }>`with
    ${cancelManyCtes(ctx, sql`t.user_id = ${userId}::bigint and ${disabled}`, "account_disabled")}, done as (
      update users u set ending_turns = false
      where u.user_id = ${userId}::bigint and u.ending_turns and u.disabled_at <= ${settledBefore}::timestamptz
        and not exists (select 1 from to_cancel)
    ) select ${touchedTurns} as touched`.execute(ctx.db)
  return rows[0]?.touched ?? []
}

/** Ends what is left of the turns of disabled accounts, those included whose acceptance was under way. */
export async function sweepDisabledUsers(ctx: Context): Promise<{ turns: number }> {
  const { rows } = await sql<{ user_id: number }>`select user_id from users where ending_turns
    order by disabled_at limit ${KEY_POLICY.sweepKeys}`.execute(ctx.db)
  let turns = 0
  for (const { user_id } of rows) turns += await endUserTurns(ctx, user_id)
  return { turns }
}
