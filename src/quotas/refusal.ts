import * as z from "zod"
import { type Actor, seesBalance, seesWallets } from "../actor/actor.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toUsd, usdText } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { balanceSchema, serializeBalance } from "../wallets/get-balance.ts"
import { type CapRow, type CapState, capStateSchema, leftOf, serializeCapState } from "./cap-state.ts"
import { CAPS } from "./caps.ts"

/** The hold that a turn would get, or the limit that refuses it. Amounts in credit micros. */
export type HoldRow = Omit<Answers["hold_state"], "caps"> & { caps: CapRow[] }

const neededUsd = z.number().meta({ description: "The smallest hold that the turn needs, in your cost." })

export const creditsDetailsSchema = balanceSchema.extend({ needed_usd: neededUsd }).partial().meta({
  id: "CreditsDetails",
  description: "The `details` of INSUFFICIENT_CREDITS. Empty if the caller may not see the balance.",
})

export const quotaDetailsSchema = capStateSchema
  .extend({
    needed_usd: neededUsd,
    exceeded: z.array(capStateSchema).meta({ description: "All caps that have less left than `needed_usd`." }),
  })
  .meta({ id: "QuotaDetails", description: "The `details` of QUOTA_EXCEEDED: the cap that blocks the turn longest." })

export const costLimitDetailsSchema = z
  .object({
    max_cost_usd: z.number(),
    needed_usd: z.number().meta({
      description: "The most that the turn's first model call can cost. `max_cost_usd` must be at least this.",
    }),
  })
  .meta({ id: "CostLimitDetails", description: "The `details` of COST_LIMIT_TOO_LOW." })

const message = z.string()

const inWallet = (description: string) => z.number().meta({ description })

export const endUserCreditDetailsSchema = z
  .object({
    balance_usd: inWallet("The end user's credit, including held amounts, in USD."),
    held_usd: inWallet("The amount that is held for the end user's open turns, in USD."),
    available_usd: inWallet("The amount that new turns of the end user can hold, in USD: `balance_usd` - `held_usd`."),
    needed_usd: inWallet(
      "The amount that must be available for this turn: the most that the end user can be charged for its first model call.",
    ),
  })
  .partial({ balance_usd: true, held_usd: true, available_usd: true })
  .meta({
    id: "EndUserCreditDetails",
    description:
      "The `details` of END_USER_CREDIT_SPENT: the end user's wallet. A key whose scope is not `all` gets `needed_usd` only.",
  })

/** The reason why a turn gets no hold. */
export const refusedBySchema = z
  .union([
    z
      .object({
        code: z.literal("QUOTA_EXCEEDED"),
        message,
        details: quotaDetailsSchema,
        retry_after: z.int().nullable().meta({
          description:
            "Whole seconds until that cap resets. Null: the cap is too small for the turn, so waiting does not help.",
        }),
        retryable: z.boolean().meta({
          description:
            "True if the same turn can be sent again after `retry_after`. False: the cap is too small for it at any time.",
        }),
      })
      .meta({ id: "RefusedByCap" }),
    z
      .object({
        code: z.literal("INSUFFICIENT_CREDITS"),
        message,
        details: creditsDetailsSchema,
        retry_after: z.null().meta({ description: "Always null: waiting does not help." }),
        retryable: z.literal(false),
      })
      .meta({ id: "RefusedByBalance" }),
    z
      .object({
        code: z.literal("END_USER_CREDIT_SPENT"),
        message,
        details: endUserCreditDetailsSchema,
        retry_after: z.null().meta({ description: "Always null: waiting does not help." }),
        retryable: z.literal(false),
      })
      .meta({ id: "RefusedByEndUserCredit" }),
    z
      .object({
        code: z.literal("COST_LIMIT_TOO_LOW"),
        message,
        details: costLimitDetailsSchema,
        retry_after: z.null().meta({ description: "Always null: waiting does not help." }),
        retryable: z.literal(false),
      })
      .meta({ id: "RefusedByCostLimit" }),
  ])
  .meta({ id: "RefusedBy" })

type RefusedBy = z.infer<typeof refusedBySchema>

const reached: CapState = {
  cap: "end_user_daily",
  source: "key",
  limit_usd: 0.5,
  spent_usd: 0.3,
  reserved_usd: 0.2,
  left_usd: 0,
  resets_at: "2026-01-16T00:00:00.000Z",
}

/** The examples of `details` in the documentation. */
export const DETAILS_EXAMPLES = {
  QUOTA_EXCEEDED: { ...reached, needed_usd: 0.0017, exceeded: [reached] },
  INSUFFICIENT_CREDITS: { balance_usd: 0.25, held_usd: 0.25, available_usd: 0 },
  END_USER_CREDIT_SPENT: { balance_usd: 0.25, held_usd: 0.25, available_usd: 0, needed_usd: 0.0026 },
  COST_LIMIT_TOO_LOW: { max_cost_usd: 0.00005, needed_usd: 0.000118 },
} satisfies { [Code in RefusedBy["code"]]: Extract<RefusedBy, { code: Code }>["details"] }

/**
 * Returns why a turn gets no hold, or null if it gets one. Caps come last, because waiting does not help otherwise
 * (docs/architecture/quotas.md). The amounts of a wallet are shown only to an actor that may see them. `retry_after` is
 * an integer (RFC 9110, section 10.2.3).
 */
export function refusedBy(row: HoldRow, now: Date, actor: Actor): RefusedBy | null {
  if (row.max_cost !== null) return costLimitTooLow(row.needed, row.max_cost)
  if (row.available < row.needed) return seesBalance(actor) ? insufficientCredits(row) : OWNER_IS_SHORT
  if (row.credit && row.credit.balance - row.credit.held < row.credit.needed) {
    return endUserCreditSpent(row.credit, seesWallets(actor))
  }
  const exceeded = row.caps
    .filter((cap) => leftOf(cap) < row.needed)
    .sort(
      (one, other) => Number(isTooSmall(one, row)) - Number(isTooSmall(other, row)) || resetOf(one) - resetOf(other),
    )
  const last = exceeded.at(-1)
  if (!last) return null
  const needed_usd = toUsd(row.needed)
  return {
    code: "QUOTA_EXCEEDED",
    message: capSentence(last, row),
    details: { ...serializeCapState(last), needed_usd, exceeded: exceeded.map(serializeCapState) },
    retry_after: isTooSmall(last, row) ? null : Math.max(1, Math.ceil((resetOf(last) - now.getTime()) / 1000)),
    retryable: !isTooSmall(last, row),
  }
}

export const HOLD_REFUSAL_ERRORS = [
  "INSUFFICIENT_CREDITS",
  "END_USER_CREDIT_SPENT",
  "COST_LIMIT_TOO_LOW",
  "QUOTA_EXCEEDED",
  "CONFLICT",
] as const

/** The refusal as the error that the request ends with. */
export function holdRefusal(row: HoldRow, now: Date, actor: Actor): TurnpikeError {
  const refused = refusedBy(row, now, actor)
  if (!refused) return new TurnpikeError("CONFLICT", "The turn was not accepted. Try again.")
  const { code, message, details, retryable, retry_after } = refused
  return new TurnpikeError(code, message, {
    ...(code === "COST_LIMIT_TOO_LOW" && { param: "max_cost_usd" }),
    details,
    retryable,
    ...(retry_after !== null && { retryAfter: retry_after }),
  })
}

const costLimitTooLow = (needed: number, maxCost: number): RefusedBy => ({
  code: "COST_LIMIT_TOO_LOW",
  message: `max_cost_usd must be at least ${usdText(needed)}: the turn's first model call can cost that much.`,
  details: { max_cost_usd: toUsd(maxCost), needed_usd: toUsd(needed) },
  retry_after: null,
  retryable: false,
})

const OWNER_IS_SHORT: RefusedBy = {
  code: "INSUFFICIENT_CREDITS",
  message: "The account of this space's owner has too little credit left for this turn.",
  details: {},
  retry_after: null,
  retryable: false,
}

function insufficientCredits({ available, held, needed }: HoldRow): RefusedBy {
  const some = available > 0
  const what = some ? `Only ${usdText(available)} USD` : "Nothing"
  const least = some ? ` This turn needs at least ${usdText(needed)} USD.` : ""
  const holding = held > 0 ? ` ${usdText(held)} USD are held by turns under way.` : ""
  const balance = serializeBalance({ balance: available + held, held })
  return {
    code: "INSUFFICIENT_CREDITS",
    message: `${what} of the balance is available: top up.${least}${holding}`,
    details: { ...balance, ...(some && { needed_usd: toUsd(needed) }) },
    retry_after: null,
    retryable: false,
  }
}

function endUserCreditSpent({ balance, held, needed }: NonNullable<HoldRow["credit"]>, seesRest: boolean): RefusedBy {
  const holding = held > 0 ? ` ${usdText(held)} USD are held by turns under way.` : ""
  const least = `this turn needs at least ${usdText(needed)} USD`
  return {
    code: "END_USER_CREDIT_SPENT",
    message: seesRest
      ? `${usdText(balance - held)} USD of the end user's credit are available, and ${least}.${holding}`
      : `The end user has too little credit left: ${least}.`,
    details: { ...(seesRest && serializeBalance({ balance, held })), needed_usd: toUsd(needed) },
    retry_after: null,
    retryable: false,
  }
}

/** The message for a cap that has too little left. */
function capSentence(row: CapRow, hold: HoldRow): string {
  const cap = `${CAPS[row.cap].words.replace(/^t/, "T")} of ${usdText(row.limit_credit_micros)} USD`
  const needed = `this turn needs at least ${usdText(hold.needed)}`
  if (isTooSmall(row, hold)) return `${cap} is too small: ${needed} USD. Raise it.`
  const taken = `${usdText(row.spent_credit_micros)} USD spent, ${usdText(row.reserved_credit_micros)} reserved by turns under way`
  const rest = leftOf(row) > 0 ? `; ${usdText(leftOf(row))} are left, and ${needed}` : ""
  return `${cap} is reached: ${taken}${rest}. It resets at ${toInstant(row.resets_at)}.`
}

/** True if the cap refuses the turn even when nothing is spent. */
const isTooSmall = (cap: CapRow, { needed }: HoldRow) => cap.limit_credit_micros < needed
const resetOf = (cap: CapRow) => new Date(cap.resets_at ?? 0).getTime()
