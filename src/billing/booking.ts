import type { Context } from "../actor/context.ts"
import type { Made } from "../actor/once.ts"
import { TurnpikeError } from "../base/errors.ts"
import { usdText } from "../base/money.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import type { Answers } from "../platform/procedures.ts"
import type { LedgerRow } from "./ledger-entry.ts"

/** The row of a procedure that books a ledger entry. `booking` is null if the caller was refused. */
export interface BookingRow {
  booking: Answers["booking"] | null
}

export const noTurn = () => new TurnpikeError("NOT_FOUND", "There is no such turn.", { param: "turn_id" })
export const noBillYet = () => new TurnpikeError("TURN_NOT_ENDED", "The turn has not ended, so it has no bill yet.")
export const turnNotBilled = () =>
  new TurnpikeError("TURN_NOT_BILLED", "The turn was billed nothing, so there is nothing to refund.")

const REFUSALS = {
  no_account: () => new TurnpikeError("NOT_FOUND", "There is no such user.", { param: "user_id" }),
  balance_too_low: (micros: number) =>
    new TurnpikeError(
      "BALANCE_TOO_LOW",
      `${usdText(-micros)} USD cannot be taken back: the account has less available credit (its balance minus the holds of open turns).`,
    ),
  no_turn: noTurn,
  not_ended: noBillYet,
  not_billed: turnNotBilled,
}

/**
 * Returns the entry, whether this call booked it or an earlier one.
 * Throws if the booking was refused. `micros`: the requested amount.
 */
export function bookedBy({ booking }: BookingRow, micros = 0): Made<LedgerRow> {
  if (booking?.entry) return { made: booking.entry as LedgerRow, replayed: booking.replayed }
  if (booking?.refused) throw REFUSALS[booking.refused as keyof typeof REFUSALS](micros)
  throw new Error("a booking has neither an entry nor a refusal")
}

/**
 * Call it after a booking. It wakes the account's endpoints if the booking wrote an event for them, and removes the
 * account's remembered refusals.
 */
export async function tellBooked(ctx: Context, { booking }: BookingRow): Promise<void> {
  if (!booking?.entry) return
  await ctx.refusals.free(booking.entry.user_id)
  wakeWebhooks(ctx, { user_id: booking.entry.user_id, test: false, has_subscriber: booking.has_subscriber })
}
