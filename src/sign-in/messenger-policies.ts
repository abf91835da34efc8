import { MICROS_PER_USD } from "../base/money.ts"

/** How old launch data may be, and how far ahead of ours the platform's clock (design section 7). */
export const LAUNCH_POLICY = {
  maxAgeMs: 5 * 60_000,
  maxAheadMs: 30_000,
} as const

export const BOT_POLICY = {
  /** The platform repeats an update that was not answered for at most a day. */
  updateMs: 24 * 3_600_000,
} as const

/** The subscription that comes with the first sign-in, once. The settings `trial_plan` and `trial_days` have precedence; 0 days is none. */
export const TRIAL_POLICY = {
  trial_plan: "trial",
  trial_days: 14,
  maxDays: 3_650,
} as const

/** Credit of the first sign-in, in credit micros. The setting of the same name has precedence; 0 is none. */
export const SIGNUP_CREDIT_POLICY = {
  signup_credit_micros: 0.25 * MICROS_PER_USD,
  /** For who was referred, beside the former, and for who has referred them. */
  referred_credit_micros: 0.25 * MICROS_PER_USD,
  referrer_credit_micros: 0.25 * MICROS_PER_USD,
} as const

/** 100,000 USD: a setting above that is taken for it. */
export const MAX_CREDIT_MICROS = 100_000 * MICROS_PER_USD
