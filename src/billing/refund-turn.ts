import { sql } from "kysely"
import * as z from "zod"
import type { Context } from "../context.ts"
import { queryAs } from "../identity/actor.ts"
import type { SessionCredential } from "../identity/credential.ts"
import type { Made } from "../identity/once.ts"
import { type Booking, bookedBy } from "./booking.ts"
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
 * Gives back all that an ended turn was charged, once: again, it answers the refund that is there. Its bill and the counters of
 * caps stay as they were: what was spent was spent. NOT_FOUND, TURN_NOT_ENDED, TURN_NOT_BILLED.
 */
export async function refundTurn(
  ctx: Pick<Context, "db" | "clock">,
  { turnId, actor, note }: Refund,
): Promise<Made<LedgerRow>> {
  const { rows } = await sql<Booking>`
    select * from refund_turn(${turnId}, ${actor}, ${note}, ${ctx.clock.now()}::timestamptz)`.execute(ctx.db)
  return bookedBy(rows[0])
}

/** The same by an admin. ADMIN_REQUIRED for others. */
export async function refundTurnAs(
  ctx: Context,
  credential: SessionCredential,
  { turnId, note }: Omit<Refund, "actor">,
): Promise<Made<LedgerRow>> {
  const { row } = await queryAs<Booking>(ctx, credential, {
    role: "admin",
    ctes: sql`booking as materialized (
      select b.* from caller, lateral refund_turn(${turnId}, 'admin:' || caller.user_id, ${note}, ${ctx.clock.now()}::timestamptz) b
    )`,
    select: sql`select * from booking`,
  })
  return bookedBy(row)
}
