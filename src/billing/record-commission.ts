import type { Context } from "../actor/context.ts"
import { keyReused, type Made } from "../actor/once.ts"
import { TurnpikeError } from "../base/errors.ts"
import { callOne } from "../platform/db.ts"
import { bookedBy } from "./booking.ts"
import type { LedgerRow } from "./ledger-entry.ts"

interface Commission {
  /** The referrer. */
  userId: number
  /** ISO 4217. */
  currency: string
  /** In the currency's minor units (cents; whole yen), above 0. */
  minor: number
  /** The reason for the commission, such as a payment by the referred user. Each source gets one commission. */
  source: string
  actor: string
  note?: string | null
}

/**
 * Books a referrer's commission (docs/contract.md), once per referrer and source. It
 * is an amount in a currency, so the running total of credit does not change. Errors:
 * NOT_FOUND (user), VALIDATION_FAILED, IDEMPOTENCY_KEY_REUSED (another amount).
 */
export async function recordCommission(
  ctx: Pick<Context, "db" | "clock">,
  { userId, currency, minor, source, actor, note }: Commission,
): Promise<Made<LedgerRow>> {
  if (!/^[A-Z]{3}$/.test(currency)) throw wrong("currency", "must be an ISO 4217 code, such as USD")
  if (!Number.isSafeInteger(minor) || minor <= 0) throw wrong("minor", "must be a whole number above 0")
  const row = await callOne(ctx.db, "book_entry", {
    user_id: userId,
    reason: "referral_credit_commission",
    amount: null,
    turn_id: null,
    reference: `commission:${userId}:${source}`,
    currency,
    minor,
    actor,
    note: note ?? null,
    moment: ctx.clock.now(),
  })
  const booked = bookedBy(row)
  if (booked.made.currency !== currency || booked.made.currency_amount_minor !== minor) throw keyReused()
  return booked
}

const wrong = (param: string, what: string) => new TurnpikeError("VALIDATION_FAILED", `${param}: ${what}`, { param })
