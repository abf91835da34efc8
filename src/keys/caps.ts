import * as z from "zod"
import { fromUsd, INEXACT_USD, toUsd } from "../base/money.ts"

const usd = z
  .number()
  .nonnegative()
  .max(1_000_000)
  .refine((value) => fromUsd(value) !== null, INEXACT_USD)

const capFields = {
  daily_usd: usd.nullable().meta({ description: "What the key may spend in a UTC day; 0: nothing.", example: 20 }),
  end_user_daily_usd: usd.nullable().meta({
    description:
      "The daily limit for each of your customers who has no limit of their own, when this key sends their " +
      "turns. It counts what they spend over all keys of the account.",
    example: 1,
  }),
  end_user_monthly_usd: usd.nullable().meta({ description: "The same for a UTC month." }),
  window_usd: usd.nullable().meta({
    description:
      "What the key may spend in a window. Its first turn opens the window, which ends after `window_seconds`.",
  }),
  window_seconds: z
    .int()
    .min(60)
    .max(31 * 24 * 3600)
    .nullable()
    .meta({ description: "How long the window is." }),
}

/** Caps as they are shown: null where there is none. */
export const capsSchema = z.object(capFields).meta({ id: "Caps" })

/** Caps as they are set: what is left out stays as it is, null takes a cap away. */
export const setCapsSchema = z
  .strictObject(capFields)
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
  end_user_daily_credit_micros: number | null
  end_user_monthly_credit_micros: number | null
  window_credit_micros: number | null
  window_seconds: number | null
}

/** The columns of the caps that are given. */
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
    end_user_daily_usd: amount(row.end_user_daily_credit_micros),
    end_user_monthly_usd: amount(row.end_user_monthly_credit_micros),
    window_usd: amount(row.window_credit_micros),
    window_seconds: row.window_seconds,
  }
}
