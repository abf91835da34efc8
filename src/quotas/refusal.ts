import { toUsd } from "../billing/money.ts"
import { TurnpikeError } from "../errors.ts"
import { CAPS, type CapRow, leftOf, serializeCapState } from "./cap-state.ts"

/** What the SQL function take_hold has found. Amounts in credit micros. */
export interface HoldRow {
  /** What was taken, or null when the turn was refused. */
  amount: number | null
  /** The least that the turn must be able to hold. */
  needed: number
  available: number
  held: number
  caps: CapRow[]
}

/**
 * Why a turn gets no hold: 402 INSUFFICIENT_CREDITS when the balance has too little, for then no waiting helps; else 429
 * QUOTA_EXCEEDED, which names the cap that resets last (others are in `exceeded`), with Retry-After until then: whole seconds,
 * at least 1 (RFC 9110, section 10.2.3). A cap too small for any turn has no Retry-After.
 */
export function holdRefusal(row: HoldRow, now: Date): TurnpikeError {
  if (row.available < row.needed) return insufficientCredits(row)
  const exceeded = row.caps.filter((cap) => leftOf(cap) < row.needed).sort(byReset)
  const last = exceeded.at(-1)
  if (!last) return new TurnpikeError("CONFLICT", "The turn was not accepted. Try again.")
  const hopeless = exceeded.some((cap) => cap.limit_credit_micros < row.needed)
  const { cap, source, ...state } = serializeCapState(last)
  const retryAfter = Math.max(1, Math.ceil((resetOf(last) - now.getTime()) / 1000))
  return new TurnpikeError("QUOTA_EXCEEDED", capSentence(last, row.needed), {
    details: {
      ...{ cap, source, ...state, needed_usd: toUsd(row.needed) },
      exceeded: exceeded.map(serializeCapState),
    },
    ...(!hopeless && { retryAfter }),
  })
}

function insufficientCredits({ available, held, needed }: HoldRow): TurnpikeError {
  const some = available > 0
  const what = some ? `Only ${toUsd(available)} USD` : "Nothing"
  const least = some ? ` This turn needs at least ${toUsd(needed)} USD.` : ""
  const holding = held > 0 ? ` ${toUsd(held)} USD are held by turns under way.` : ""
  const message = `${what} of the balance is available: top up.${least}${holding}`
  const balance = { balance_usd: toUsd(available + held), held_usd: toUsd(held), available_usd: toUsd(available) }
  return new TurnpikeError("INSUFFICIENT_CREDITS", message, {
    details: { ...balance, ...(some && { needed_usd: toUsd(needed) }) },
  })
}

/** What a cap that has too little left says of itself. */
function capSentence(row: CapRow, needed: number): string {
  const { limit_usd, spent_usd, reserved_usd, left_usd, resets_at } = serializeCapState(row)
  const name = CAPS[row.cap].replace(/^t/, "T")
  const taken = `${spent_usd} USD spent, ${reserved_usd} reserved by turns under way`
  const rest = left_usd > 0 ? `; ${left_usd} are left, and this turn needs at least ${toUsd(needed)}` : ""
  return `${name} of ${limit_usd} USD is reached: ${taken}${rest}. It resets at ${resets_at}.`
}

const resetOf = (row: CapRow) => new Date(row.resets_at ?? 0).getTime()
const byReset = (one: CapRow, other: CapRow) => resetOf(one) - resetOf(other)
