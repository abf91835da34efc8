import type { Context } from "../actor/context.ts"
import { call } from "../platform/db.ts"
import { type CapRow, leftOf } from "../quotas/cap-state.ts"
import type { TurnRow } from "../turns/turn-row.ts"

/** The limit that keeps a hold from growing further. */
export type HoldBound = "max_cost" | "balance" | "end_user_credit" | CapRow["cap"]

interface Grown {
  /** The whole hold after growing, in credit micros. */
  hold: number
  /** The limit that bounded it; null if it grew as far as requested. */
  boundBy: HoldBound | null
  /** The cap of `boundBy`; null if that is no cap. */
  cap: CapRow | null
}

interface GrownRow {
  hold: number
  amount: number
  max_cost_left: number
  caps: CapRow[]
  locks_needed: boolean
  /** By how much the end user's wallet lets it grow; null if no wallet pays. */
  end_user_left: number | null
}

/** True for a test turn that has no rehearsed amounts: it holds nothing, and its calls have no cost. */
export const holdsNothing = ({ test, rehearsed_hold_credit_micros: rehearsed }: TurnRow) => test && rehearsed === null

/**
 * Grows a turn's hold by up to `micros`, as far as its max_cost_usd, the
 * balance and its caps allow. Null if the epoch is stale.
 */
export async function growHold(ctx: Context, turn: TurnRow, micros: number): Promise<Grown | null> {
  if (holdsNothing(turn) || micros <= 0) return { hold: turn.hold_credit_micros, boundBy: null, cap: null }
  const args = { turn_id: turn.turn_id, epoch: turn.epoch, micros, moment: ctx.clock.now() }
  const attempt = (locked: boolean) => call<"grow_hold", GrownRow>(ctx.db, "grow_hold", { ...args, locked })
  const [first] = await attempt(false)
  const [row] = first?.locks_needed ? await attempt(true) : [first]
  return row ? { hold: row.hold, ...boundOf(row, micros) } : null
}

function boundOf(row: GrownRow, micros: number): Pick<Grown, "boundBy" | "cap"> {
  if (row.amount >= micros) return { boundBy: null, cap: null }
  if (row.amount >= row.max_cost_left) return { boundBy: "max_cost", cap: null }
  if (row.end_user_left !== null && row.amount >= row.end_user_left) return { boundBy: "end_user_credit", cap: null }
  const cap = row.caps.find((cap) => leftOf(cap) <= row.amount) ?? null
  return { boundBy: cap?.cap ?? "balance", cap }
}
