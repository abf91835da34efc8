import { TurnpikeError } from "../errors.ts"
import type { Made } from "../identity/once.ts"
import type { LedgerRow } from "./ledger-entry.ts"
import { usdText } from "./money.ts"

/** A row of the SQL functions book_entry and refund_turn. */
export interface Booking {
  entry: LedgerRow | null
  /** It was there already. */
  replayed: boolean
  refused: keyof typeof REFUSALS | null
}

const REFUSALS = {
  no_account: () => new TurnpikeError("NOT_FOUND", "There is no such user.", { param: "user_id" }),
  balance_too_low: (micros: number) =>
    new TurnpikeError(
      "BALANCE_TOO_LOW",
      `${usdText(-micros)} USD cannot be taken: less than that is available, beside what turns under way hold.`,
    ),
  no_turn: () => new TurnpikeError("NOT_FOUND", "There is no such turn.", { param: "turn_id" }),
  not_ended: () => new TurnpikeError("TURN_NOT_ENDED", "The turn has not ended, so it has no bill yet."),
  not_billed: () => new TurnpikeError("TURN_NOT_BILLED", "The turn was billed nothing, so there is nothing to refund."),
}

/** What was booked, now or before; throws the refusal otherwise. `micros`: what was asked for. */
export function bookedBy(booking: Booking | undefined, micros = 0): Made<LedgerRow> {
  if (booking?.entry) return { made: booking.entry, replayed: booking.replayed }
  if (booking?.refused) throw REFUSALS[booking.refused](micros)
  throw new Error("a booking has neither an entry nor a refusal")
}
