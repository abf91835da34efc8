import { MICROS_PER_USD } from "../base/money.ts"

/** The bounds of prices and wallets of end users. Amounts are credit micros. */
export const RESALE_POLICY = {
  maxPrices: 100,
  /** Versions of one price. They are kept for the turns that were accepted with them. */
  maxVersions: 1_000,
  /** How many versions a response shows. */
  shownVersions: 100,
  maxMultiplier: 1_000,
  /** Multipliers have at most six decimals. */
  millionths: 1_000_000,
  maxPerTurn: 1_000 * MICROS_PER_USD,
  maxRoundTo: MICROS_PER_USD,
  /** Models with a multiplier of their own in one price. */
  maxModels: 100,
  /** The most that one credit or correction books. */
  maxCredit: 1_000_000 * MICROS_PER_USD,
  noteCharacters: 500,
  /** The default of end_user_wallets.low_balance_credit_micros, as in schema.sql. */
  lowBalance: MICROS_PER_USD,
} as const
