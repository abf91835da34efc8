import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callFreeing, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { fromUsd, MICROS_PER_USD, toUsd, usdAmount } from "../base/money.ts"
import { rateSchema, serializeRate, setRateSchema, storedRate } from "./rate.ts"

/** The default of wallets.low_balance_credit_micros, as in schema.sql. */
export const LOW_BALANCE = MICROS_PER_USD

const WORDS = {
  daily:
    "The most that each end user can spend in a UTC day, over all keys of the account. " +
    "It applies if neither the end user nor the key has a daily limit. Null: no limit.",
  monthly:
    "The most that each end user can spend in a UTC month, over all keys of the account. " +
    "It applies if neither the end user nor the key has a monthly limit. Null: no limit.",
  low: "The event `balance.low` is sent when the balance falls below this amount.",
  rate: "The rate of each end user, if neither the end user nor the key has one. Null: no limit.",
}

export const accountLimitsSchema = z
  .object({
    end_user_daily_usd: z.number().nullable().meta({ description: WORDS.daily }),
    end_user_monthly_usd: z.number().nullable().meta({ description: WORDS.monthly }),
    low_balance_usd: z.number().meta({ description: WORDS.low }),
    end_user_rate: rateSchema.nullable().meta({ description: WORDS.rate }),
  })
  .meta({ id: "AccountLimits" })

export const putAccountLimitsSchema = z
  .strictObject({
    end_user_daily_usd: usdAmount.nullable().default(null).meta({ description: WORDS.daily, example: 0.5 }),
    end_user_monthly_usd: usdAmount.nullable().default(null).meta({ description: WORDS.monthly, example: 5 }),
    low_balance_usd: usdAmount.default(toUsd(LOW_BALANCE)).meta({ description: WORDS.low }),
    end_user_rate: setRateSchema.nullable().default(null).meta({ description: WORDS.rate }),
  })
  .meta({ id: "PutAccountLimits", description: "Replaces all limits. A field that is left out gets its default." })

export type AccountLimits = z.infer<typeof accountLimitsSchema>

/** Returns the caller's default limits for end users, and the balance that counts as low. */
export async function getAccountLimits(ctx: Context, credential: SessionCredential): Promise<AccountLimits> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("caller")
      .innerJoin("wallets as w", "w.user_id", "caller.user_id")
      .select(["w.end_user_daily_credit_micros as daily", "w.end_user_rate as rate"])
      .select(["w.end_user_monthly_credit_micros as monthly", "w.low_balance_credit_micros as low"]),
  )
  const { daily = null, monthly = null, low = LOW_BALANCE, rate = null } = rows[0] ?? {}
  const usd = (micros: number | null) => (micros === null ? null : toUsd(micros))
  return {
    end_user_daily_usd: usd(daily),
    end_user_monthly_usd: usd(monthly),
    low_balance_usd: toUsd(low),
    end_user_rate: serializeRate(rate),
  }
}

/** Replaces all limits. */
export async function putAccountLimits(
  ctx: Context,
  credential: SessionCredential,
  limits: z.infer<typeof putAccountLimitsSchema>,
): Promise<AccountLimits> {
  const micros = (amount: number | null) => (amount === null ? null : fromUsd(amount))
  await callFreeing(ctx, credential, "put_account_limits", {
    daily: micros(limits.end_user_daily_usd),
    monthly: micros(limits.end_user_monthly_usd),
    low: micros(limits.low_balance_usd),
    rate: storedRate(limits.end_user_rate),
  })
  return { ...limits, end_user_rate: serializeRate(storedRate(limits.end_user_rate)) }
}
