import { type RawBuilder, sql } from "kysely"
import * as z from "zod"
import { fromUsd, MICROS_PER_USD, toUsd } from "../billing/money.ts"
import type { Context } from "../context.ts"
import { queryAs } from "../identity/actor.ts"
import type { SessionCredential } from "../identity/credential.ts"

/** wallets.low_balance_credit_micros of an account that has set none, as in schema.sql. */
const LOW_BALANCE = MICROS_PER_USD

const usd = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine((value) => fromUsd(value) !== null, "at most 7 decimals")

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
    end_user_daily_usd: usd.nullable().default(null).meta({ description: WORDS.daily, example: 0.5 }),
    end_user_monthly_usd: usd.nullable().default(null).meta({ description: WORDS.monthly, example: 5 }),
    low_balance_usd: usd.default(toUsd(LOW_BALANCE)).meta({ description: WORDS.low }),
  })
  .meta({ id: "PutAccountLimits", description: "Replaces all limits that were set; what is left out is as at first." })

export type AccountLimits = z.infer<typeof accountLimitsSchema>

interface LimitsRow {
  daily: number | null
  monthly: number | null
  low: number | null
}

/** The caller's defaults for all their end users, and when their balance counts as low. */
export function getAccountLimits(ctx: Context, credential: SessionCredential): Promise<AccountLimits> {
  return readLimits(ctx, credential, sql`wallets`)
}

/** Replaces them. They bind the next turn that is accepted. */
export function putAccountLimits(
  ctx: Context,
  credential: SessionCredential,
  { end_user_daily_usd, end_user_monthly_usd, low_balance_usd }: z.infer<typeof putAccountLimitsSchema>,
): Promise<AccountLimits> {
  const micros = (amount: number | null) => sql`${amount === null ? null : fromUsd(amount)}::bigint`
  return readLimits(
    ctx,
    credential,
    sql`saved`,
    sql`saved as (
      insert into wallets (user_id, end_user_daily_credit_micros, end_user_monthly_credit_micros, low_balance_credit_micros)
      select user_id, ${micros(end_user_daily_usd)}, ${micros(end_user_monthly_usd)}, ${micros(low_balance_usd)} from caller
      on conflict (user_id) do update set end_user_daily_credit_micros = excluded.end_user_daily_credit_micros,
        end_user_monthly_credit_micros = excluded.end_user_monthly_credit_micros,
        low_balance_credit_micros = excluded.low_balance_credit_micros
      returning *
    )`,
  )
}

async function readLimits(
  ctx: Context,
  credential: SessionCredential,
  from: RawBuilder<unknown>,
  ctes?: RawBuilder<unknown>,
): Promise<AccountLimits> {
  const { row } = await queryAs<LimitsRow>(ctx, credential, {
    ...(ctes && { ctes }),
    select: sql`select w.end_user_daily_credit_micros as daily, w.end_user_monthly_credit_micros as monthly,
      w.low_balance_credit_micros as low from caller left join ${from} w on w.user_id = caller.user_id`,
  })
  const amount = (value: number | null) => (value === null ? null : toUsd(value))
  return {
    end_user_daily_usd: amount(row.daily),
    end_user_monthly_usd: amount(row.monthly),
    low_balance_usd: toUsd(row.low ?? LOW_BALANCE),
  }
}
