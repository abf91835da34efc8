import { expressionBuilder } from "kysely"
import { released } from "../platform/db.ts"

/** The columns of a rollup that are summed (schema.sql, "Analytics"). */
interface Summed {
  turns: number
  calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
  cost_credit_micros: number
  billed_credit_micros: number
  keyed_calls: number
  duration_us: number
  tokens_input_most: number
  pictures: number
}

/** The sum of a column of rows `u`, as the integer that it is; 0 of no rows. */
const total = (column: keyof Summed) => {
  const eb = expressionBuilder<{ u: Summed }, "u">()
  return eb.fn.coalesce(eb.fn<number>(released("added"), [`u.${column}`]), eb.lit(0))
}

export const BILLED = total("billed_credit_micros").as("billed")

/** The sums of rows `u` of rollups, under the names of `Sums`. */
export const SUMS = [
  total("turns").as("turns"),
  total("calls").as("model_calls"),
  total("tokens_input").as("tokens_input"),
  total("tokens_cached").as("tokens_cached"),
  total("tokens_output").as("tokens_output"),
  BILLED,
]

/** The same under the names of `Costs`. */
export const COST_SUMS = [...SUMS, total("cost_credit_micros").as("cost")]

/** How many of the calls were of turns with a key, and how long those took together, in microseconds. */
export const DURATION = [total("keyed_calls").as("keyed_calls"), total("duration_us").as("duration_us")]

/** How many of the calls made a picture: those read nothing. */
export const DRAWN = total("pictures").as("pictures")

/** How many calls there were, what they read together, and the most that one of them read. */
export const CONTEXT = [
  total("calls").as("model_calls"),
  DRAWN,
  total("tokens_input").as("tokens_input"),
  expressionBuilder<{ u: Summed }, "u">().fn.max("u.tokens_input_most").as("most"),
]

/** The columns of Sums in what range_spaces and range_users answer. */
export const RANKED = [
  ...(["r.turns", "r.calls as model_calls", "r.tokens_input", "r.tokens_cached", "r.tokens_output"] as const),
  "r.billed_credit_micros as billed",
] as const

/** The same of Costs. */
export const RANKED_COSTS = [...RANKED, "r.cost_credit_micros as cost"] as const
