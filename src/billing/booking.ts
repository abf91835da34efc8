import type { Context } from "../actor/context.ts"
import type { Made } from "../actor/once.ts"
import { TurnpikeError } from "../base/errors.ts"
import { usdText } from "../base/money.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import type { Answers } from "../platform/procedures.ts"
import type { LedgerRow } from "./ledger-entry.ts"

/** What a procedure answers that books an entry; `booking` is null when the caller was refused. */
export interface BookingRow {
  booking: Answers["booking"] | null
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

/** The entry, booked now or before; throws the refusal otherwise. `micros`: the amount of the request. */
export function bookedBy({ booking }: BookingRow, micros = 0): Made<LedgerRow> {
  if (booking?.entry) return { made: booking.entry as LedgerRow, replayed: booking.replayed }
  if (booking?.refused) throw REFUSALS[booking.refused as keyof typeof REFUSALS](micros)
  throw new Error("a booking has neither an entry nor a refusal")
}

/** Called after a booking: wakes the endpoints of its account that get an event of it. */
export function wakeFor(ctx: Context, { booking }: BookingRow): void {
  if (!booking?.entry) return
  wakeWebhooks(ctx, { user_id: booking.entry.user_id, test: false, has_subscriber: booking.has_subscriber })
}
