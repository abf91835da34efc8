import * as z from "zod"
import { fromUsd, toUsd, usdAmount } from "../base/money.ts"

const capFields = <Usd extends z.ZodType>(usd: Usd) => ({
  daily_usd: usd.nullable().meta({
    description: "The most that the key can spend in a UTC day, in USD. 0: nothing. Null: no cap.",
    example: 20,
  }),
  monthly_usd: usd.nullable().meta({
    description: "The most that the key can spend in a UTC month, in USD. 0: nothing. Null: no cap.",
  }),
  end_user_daily_usd: usd.nullable().meta({
    description:
      "The default daily limit, in USD, for each of your customers without a limit of their own, when this key sends their " +
      "turns. It counts their spending across all keys of the account. Null: no limit.",
    example: 1,
  }),
  end_user_monthly_usd: usd
    .nullable()
    .meta({ description: "The default limit for each customer in a UTC month, in USD. Null: no limit." }),
  window_usd: usd.nullable().meta({
    description:
      "The most that the key can spend in a window, in USD. The first turn opens the window, which ends after `window_seconds`. Null: no cap.",
  }),
  window_seconds: z
    .int()
    .min(60)
    .max(31 * 24 * 3600)
    .nullable()
    .meta({ description: "The length of the window, in seconds." }),
})

/** Caps in responses. Null means no cap. */
export const capsSchema = z.object(capFields(z.number().nonnegative().max(1_000_000))).meta({ id: "Caps" })

/** Caps in requests. A cap that is left out keeps its value, and null removes it. */
export const setCapsSchema = z
  .strictObject(capFields(usdAmount))
  .partial()
  .refine(
    ({ window_usd, window_seconds }) =>
      (window_usd === undefined) === (window_seconds === undefined) &&
      (window_usd === null) === (window_seconds === null),
    "window_usd and window_seconds belong together",
  )
  .meta({ id: "SetCaps" })

export type Caps = z.infer<typeof capsSchema>
export type SetCaps = z.infer<typeof setCapsSchema>

/** The columns of a key's caps: amounts in credit micros. */
export interface CapColumns {
  daily_credit_micros: number | null
  monthly_credit_micros: number | null
  end_user_daily_credit_micros: number | null
  end_user_monthly_credit_micros: number | null
  window_credit_micros: number | null
  window_seconds: number | null
}

/** The columns of the given caps. */
export function capColumns({ window_seconds, ...amounts }: SetCaps): Partial<CapColumns> {
  const columns = Object.entries(amounts).flatMap(([name, amount]) =>
    amount === undefined ? [] : [[name.replace(/_usd$/, "_credit_micros"), amount === null ? null : fromUsd(amount)]],
  )
  return { ...Object.fromEntries(columns), ...(window_seconds !== undefined && { window_seconds }) }
}

export function serializeCaps(row: CapColumns): Caps {
  const amount = (micros: number | null) => (micros === null ? null : toUsd(micros))
  return {
    daily_usd: amount(row.daily_credit_micros),
    monthly_usd: amount(row.monthly_credit_micros),
    end_user_daily_usd: amount(row.end_user_daily_credit_micros),
    end_user_monthly_usd: amount(row.end_user_monthly_credit_micros),
    window_usd: amount(row.window_credit_micros),
    window_seconds: row.window_seconds,
  }
}
