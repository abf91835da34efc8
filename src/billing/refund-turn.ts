import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { Made } from "../actor/once.ts"
import { callOne } from "../platform/db.ts"
import { bookedBy, tellBooked } from "./booking.ts"
import { noteSchema } from "./credit-account.ts"
import type { LedgerRow } from "./ledger-entry.ts"

export const refundSchema = z.strictObject({ note: noteSchema }).meta({ id: "CreateRefund" })

export interface Refund {
  turnId: string
  /** `system`, `operator`, … */
  actor: string
  note: string
}

/**
 * Refunds everything that an ended turn was charged, also in the wallet of its end user. A second call returns the
 * first refund. Bill and counters of caps do not change. Errors: NOT_FOUND, TURN_NOT_ENDED, TURN_NOT_BILLED.
 */
export async function refundTurn(
  ctx: Pick<Context, "db" | "clock">,
  { turnId, actor, note }: Refund,
): Promise<Made<LedgerRow>> {
  const args = { turn_id: turnId, actor, note, moment: ctx.clock.now() }
  return bookedBy(await callOne(ctx.db, "refund_turn", args))
}

export const REFUND_TURN_AS_ERRORS = ["NOT_FOUND", "TURN_NOT_ENDED", "TURN_NOT_BILLED"] as const

/** Refunds a turn as an admin. ADMIN_REQUIRED for other callers. */
export async function refundTurnAs(
  ctx: Context,
  credential: SessionCredential,
  { turnId, note }: Omit<Refund, "actor">,
): Promise<Made<LedgerRow>> {
  const args = { turn_id: turnId, note }
  const { row } = await callAs(ctx, credential, "refund_turn_as", args)
  await tellBooked(ctx, row)
  return bookedBy(row)
}
