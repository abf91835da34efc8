import * as z from "zod"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { CapRow } from "../quotas/cap-state.ts"
import { CAP_NAMES, CAP_SOURCES } from "../quotas/caps.ts"
import { serializeBalance } from "../wallets/get-balance.ts"

/** The data of an event that tell_cap (src/quotas/tell.sql) writes. Amounts are in credit micros. */
export interface CapReachedRow extends CapRow {
  percent: 50 | 80 | 100
  resets_at: string
  key_id: string | null
  end_user_ref: string | null
  space: string | null
}

export const capReachedSchema = z
  .object({
    cap: z.enum(CAP_NAMES).meta({
      description: "The cap: of a key for a UTC day, month or a window, or of an end user for a UTC day or month.",
      example: "end_user_daily",
    }),
    source: z.enum(CAP_SOURCES).meta({
      description: "Where the limit is set: on the key, for this end user, as a default, by the plan or on the space.",
      example: "account",
    }),
    percent: z.literal([50, 80, 100]).meta({
      description:
        "Each value is reported once per day, month or window. 100 is also reported if the remaining amount is too " +
        "small for any turn.",
      example: 80,
    }),
    limit_usd: z.number().meta({ example: 0.5 }),
    spent_usd: z.number().meta({ description: "The amount billed in this period.", example: 0.4127 }),
    reserved_usd: z.number().meta({ description: "The amount held by open turns of this period.", example: 0.25 }),
    resets_at: z.iso.datetime().meta({ description: "When the next period starts and the spent amount is 0 again." }),
    key_id: z.string().nullable().meta({
      description: "The key with the cap or the default limit. Null if the limit is not set on a key.",
      example: null,
    }),
    end_user_ref: z.string().nullable().meta({ description: "The end user of the cap. Null for a key's own cap." }),
    space: z
      .string()
      .nullable()
      .meta({ description: "The space whose limit for its members it is. Null for any other cap.", example: null }),
  })
  .meta({ id: "CapReached", description: "The `data` of `cap.reached`." })

export type CapReached = z.infer<typeof capReachedSchema>

export function serializeCapReached(row: CapReachedRow): CapReached {
  return {
    cap: row.cap,
    source: row.source,
    percent: row.percent,
    limit_usd: toUsd(row.limit_credit_micros),
    spent_usd: toUsd(row.spent_credit_micros),
    reserved_usd: toUsd(row.reserved_credit_micros),
    resets_at: toInstant(row.resets_at),
    key_id: row.key_id,
    end_user_ref: row.end_user_ref,
    space: row.space,
  }
}

/** The data of an event that tell_balance (src/quotas/tell.sql) writes. */
export interface BalanceReachedRow {
  balance_credit_micros: number
  held_credit_micros: number
  threshold_credit_micros: number
}

export const balanceReachedSchema = z
  .object({
    balance_usd: z.number().meta({ example: 0.9871 }),
    held_usd: z.number().meta({ description: "The amount held by open turns.", example: 0.25 }),
    available_usd: z
      .number()
      .meta({ description: "`balance_usd` - `held_usd`: the amount that new turns could hold.", example: 0.7371 }),
    threshold_usd: z
      .number()
      .meta({ description: "The event is sent when the balance falls below this amount. 0: never.", example: 1 }),
  })
  .meta({ id: "BalanceReached", description: "The `data` of `balance.low` and `balance.depleted`." })

/** The data of an event that tell_end_user (src/resale/wallet.sql) writes. */
export type EndUserBalanceRow = BalanceReachedRow & { end_user_ref: string }

export const endUserBalanceReachedSchema = z
  .object({ end_user_ref: z.string().meta({ example: "customer-42" }), ...balanceReachedSchema.shape })
  .meta({ id: "EndUserBalanceReached", description: "The `data` of `end_user.balance_low` and `end_user.depleted`." })

export const serializeEndUserBalanceReached = ({ end_user_ref, ...row }: EndUserBalanceRow) => ({
  end_user_ref,
  ...serializeBalanceReached(row),
})

export type BalanceReached = z.infer<typeof balanceReachedSchema>

export function serializeBalanceReached(row: BalanceReachedRow): BalanceReached {
  return {
    ...serializeBalance({ balance: row.balance_credit_micros, held: row.held_credit_micros }),
    threshold_usd: toUsd(row.threshold_credit_micros),
  }
}
