import { sql } from "kysely"
import type { Context } from "../context.ts"
import type { TurnRow } from "./turn-row.ts"

/**
 * Grows a turn's hold by up to `micros`, as far as its max_cost_usd and the balance allow. Returns the whole hold
 * after it (unchanged when nothing could be added), or null when the epoch is stale.
 */
export async function growHold(ctx: Context, turn: TurnRow, micros: number): Promise<number | null> {
  if (turn.test || micros <= 0) return turn.hold_credit_micros
  // The room is what the row has when it is locked: several calls of a turn may grow its hold at once.
  const amount = sql`least(${micros}::bigint, mine.room, balance_credit_micros - held_credit_micros)`
  const { rows } = await sql<{ hold: number }>`with mine as materialized (
      select turn_id, user_id, greatest(0, coalesce(max_cost_credit_micros - hold_credit_micros, ${micros}::bigint)) as room
      from turns where turn_id = ${turn.turn_id} and epoch = ${turn.epoch} and state = 'running' for update
    ), hold as (
      update wallets w set held_credit_micros = held_credit_micros + ${amount}, last_hold_credit_micros = ${amount}
      from mine where w.user_id = mine.user_id
      returning w.last_hold_credit_micros as amount
    ), grown as (
      update turns t set hold_credit_micros = t.hold_credit_micros + hold.amount,
        held_credit_micros = t.held_credit_micros + hold.amount
      from mine, hold where t.turn_id = mine.turn_id
      returning t.hold_credit_micros as hold
    ) select hold from grown`.execute(ctx.db)
  return rows[0]?.hold ?? null
}
