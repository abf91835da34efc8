import type { Context } from "../actor/context.ts"
import type { Made } from "../actor/once.ts"
import { TurnpikeError } from "../base/errors.ts"
import { usdText } from "../base/money.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import type { LedgerRow } from "./ledger-entry.ts"

/** The answer of the procedures that book an entry. */
export interface Booking {
  entry: LedgerRow | null
  /** The entry existed already. */
  replayed: boolean | null
  refused: keyof typeof REFUSALS | null
  /** An endpoint of the account must be woken. */
  has_subscriber: boolean | null
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
export function bookedBy({ entry, replayed, refused }: Booking, micros = 0): Made<LedgerRow> {
  if (entry) return { made: entry, replayed: replayed === true }
  if (refused) throw REFUSALS[refused](micros)
  throw new Error("a booking has neither an entry nor a refusal")
}

/** Called after a booking: wakes the endpoints of its account that get an event of it. */
export function wakeFor(ctx: Context, { entry, has_subscriber }: Booking): void {
  if (entry && has_subscriber) wakeWebhooks(ctx, { user_id: entry.user_id, test: false, has_subscriber: true })
}
