import { sql } from "kysely"
import type { Context } from "../context.ts"
import { type CapRow, leftOf } from "../quotas/cap-state.ts"
import type { TurnRow } from "./turn-row.ts"

/** What keeps a hold from growing further. */
export type HoldBound = "max_cost" | "balance" | CapRow["cap"]

interface Grown {
  /** The whole hold after it, in credit micros. */
  hold: number
  /** Why it is not as much as was asked for; null when it is. */
  boundBy: HoldBound | null
}

/**
 * Grows a turn's hold by up to `micros`, as far as its max_cost_usd, the balance and its caps allow (those of the day, month and
 * window in which it was accepted). Null when the epoch is stale.
 */
export async function growHold(ctx: Context, turn: TurnRow, micros: number): Promise<Grown | null> {
  if (turn.test || micros <= 0) return { hold: turn.hold_credit_micros, boundBy: null }
  // The room is what the row has when it is locked: several calls of a turn may grow its hold at once.
  const { rows } = await sql<{ hold: number; amount: number; room: number; caps: CapRow[] }>`with mine as materialized (
      select t.*, greatest(0, coalesce(t.max_cost_credit_micros - t.hold_credit_micros, ${micros}::bigint)) as room
      from turns t where t.turn_id = ${turn.turn_id} and t.epoch = ${turn.epoch} and t.state = 'running' for update
    ), more as materialized (
      select h.amount, h.caps from mine, lateral take_hold(mine.user_id, mine.key_id, mine.end_user_ref,
        least(${micros}::bigint, mine.room), 0, mine.created_at, false, mine.window_started_at) h
    ), grown as (
      update turns t set hold_credit_micros = t.hold_credit_micros + more.amount,
        held_credit_micros = t.held_credit_micros + more.amount
      from mine, more where t.turn_id = mine.turn_id
      returning t.hold_credit_micros as hold
    ) select grown.hold, more.amount, mine.room, more.caps from grown, more, mine`.execute(ctx.db)
  const row = rows[0]
  return row ? { hold: row.hold, boundBy: boundOf(row, micros) } : null
}

function boundOf(row: { amount: number; room: number; caps: CapRow[] }, micros: number): HoldBound | null {
  if (row.amount >= micros) return null
  if (row.amount >= row.room) return "max_cost"
  return row.caps.find((cap) => leftOf(cap) <= row.amount)?.cap ?? "balance"
}
