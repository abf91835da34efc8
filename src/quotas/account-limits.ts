import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { fromUsd, MICROS_PER_USD, toUsd, usdAmount } from "../base/money.ts"

/** wallets.low_balance_credit_micros of an account that has set none, as in schema.sql. */
const LOW_BALANCE = MICROS_PER_USD

const WORDS = {
  daily:
    "What each of your customers may spend in a UTC day in the whole account, when neither they nor their key have a limit of " +
    "their own; null: no limit.",
  monthly: "The same for a UTC month.",
  low: "The event `balance.low` is sent when the balance falls below it.",
}

export const accountLimitsSchema = z
  .object({
    end_user_daily_usd: z.number().nullable().meta({ description: WORDS.daily }),
    end_user_monthly_usd: z.number().nullable().meta({ description: WORDS.monthly }),
    low_balance_usd: z.number().meta({ description: WORDS.low }),
  })
  .meta({ id: "AccountLimits" })

export const putAccountLimitsSchema = z
  .strictObject({
    end_user_daily_usd: usdAmount.nullable().default(null).meta({ description: WORDS.daily, example: 0.5 }),
    end_user_monthly_usd: usdAmount.nullable().default(null).meta({ description: WORDS.monthly, example: 5 }),
    low_balance_usd: usdAmount.default(toUsd(LOW_BALANCE)).meta({ description: WORDS.low }),
  })
  .meta({ id: "PutAccountLimits", description: "Replaces all limits that were set; what is left out is as at first." })

export type AccountLimits = z.infer<typeof accountLimitsSchema>

/** The caller's defaults for all their end users, and when their balance counts as low. */
export async function getAccountLimits(ctx: Context, credential: SessionCredential): Promise<AccountLimits> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("caller")
      .innerJoin("wallets as w", "w.user_id", "caller.user_id")
      .select("w.end_user_daily_credit_micros as daily")
      .select(["w.end_user_monthly_credit_micros as monthly", "w.low_balance_credit_micros as low"]),
  )
  const { daily = null, monthly = null, low = LOW_BALANCE } = rows[0] ?? {}
  const usd = (micros: number | null) => (micros === null ? null : toUsd(micros))
  return { end_user_daily_usd: usd(daily), end_user_monthly_usd: usd(monthly), low_balance_usd: toUsd(low) }
}

/** Replaces them. They bind the next turn that is accepted. */
export async function putAccountLimits(
  ctx: Context,
  credential: SessionCredential,
  limits: z.infer<typeof putAccountLimitsSchema>,
): Promise<AccountLimits> {
  const micros = (amount: number | null) => (amount === null ? null : fromUsd(amount))
  await callAs(ctx, credential, "put_account_limits", {
    daily: micros(limits.end_user_daily_usd),
    monthly: micros(limits.end_user_monthly_usd),
    low: micros(limits.low_balance_usd),
  })
  return limits
}
