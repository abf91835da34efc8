import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { type CancelledTurn, callCancelled, cancelManyCtes, touchedTurns } from "../turns/cancel-many.ts"
import { wakeHeads } from "../turns/wake-next.ts"
import { KEY_POLICY } from "./policies.ts"

/** What a statement with `endTurnsCtes` did: the turns that it touched, and the conversations in which turns ended. */
export interface EndedTurns {
  touched: CancelledTurn[]
  conversations: string[]
}

/**
 * The CTEs that end the open turns of a key, as many as one statement takes: queued ones are cancelled, running ones asked to
 * stop. Locks turns, the wallet, then their conversations (`place`): what else waits in those must be woken (`wakeEnded`).
 */
export function endTurnsCtes(ctx: Context, keyId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${cancelManyCtes(ctx, sql`t.key_id = ${keyId}`, "key_revoked")}, place as materialized (
    select c.conversation_id from conversations c
    where c.conversation_id in (select conversation_id from touched where state = 'cancelled')
      and (select count(*) from released) >= 0
    order by c.conversation_id for update of c
  )`
}

/** The columns of EndedTurns. */
export const endedTurns = sql`${touchedTurns} as touched,
  coalesce((select jsonb_agg(conversation_id) from place), '[]') as conversations`

/** Calls the workers that see the wish, and the turns behind those that ended. Never throws; the sweeper does the rest. */
export async function wakeEnded(ctx: Context, keyId: string, { touched, conversations }: EndedTurns): Promise<void> {
  await Promise.all([callCancelled(ctx, touched), wakeHeads(ctx, conversations, `after-${keyId}`)])
}

/** Ends the next turns of a key that was revoked, and returns what it touched: nothing when none is left. */
export async function endKeyTurns(ctx: Context, keyId: string): Promise<EndedTurns> {
  const settledBefore = new Date(ctx.clock.now().getTime() - KEY_POLICY.settledAfterMs)
  const { rows } = await sql<EndedTurns>`with ${endTurnsCtes(ctx, sql`${keyId}`)}, done as (
      update api_keys set ending_turns = false
      where key_id = ${keyId} and revoked_at <= ${settledBefore}::timestamptz and (select count(*) from touched) = 0
    ) select ${endedTurns}`.execute(ctx.db)
  return rows[0] as EndedTurns
}

/**
 * Ends what is left of the turns of revoked keys: those beyond the first batches, and those whose acceptance was under way.
 * A key is done with when nothing is left some minutes after it was revoked. Returns how many turns were touched.
 */
export async function sweepRevokedKeys(ctx: Context): Promise<{ turns: number }> {
  const { rows } = await sql<{ key_id: string }>`select key_id from api_keys where ending_turns
    order by revoked_at limit ${KEY_POLICY.sweepKeys}`.execute(ctx.db)
  let count = 0
  for (const { key_id } of rows) {
    for (let batch = 0; batch < KEY_POLICY.endBatches; batch++) {
      const ended = await endKeyTurns(ctx, key_id)
      if (ended.touched.length === 0) break
      count += ended.touched.length
      await wakeEnded(ctx, key_id, ended)
    }
  }
  return { turns: count }
}
