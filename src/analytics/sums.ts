import { expressionBuilder } from "kysely"
import { released } from "../platform/db.ts"
import { DAILY, type MEASURES } from "./rollups.ts"

/** The columns of a rollup that are summed (schema.sql, "Analytics"). */
type Summed = Record<(typeof MEASURES)[number] | (typeof DAILY)[number] | "tokens_input_most" | "pictures", number>

/** The sum of a column of rows `u` as an integer, 0 without rows. */
const total = (column: keyof Summed) => {
  const eb = expressionBuilder<{ u: Summed }, "u">()
  return eb.fn.coalesce(eb.fn<number>(released("added"), [`u.${column}`]), eb.lit(0))
}

export const BILLED = total("billed_credit_micros").as("billed")
const REFUNDED = total("refunded_credit_micros").as("refunded")

/** The sums of rows `u` of rollups, named as in `Sums`. */
export const SUMS = [
  total("turns").as("turns"),
  total("calls").as("model_calls"),
  total("tokens_input").as("tokens_input"),
  total("tokens_cached").as("tokens_cached"),
  total("tokens_output").as("tokens_output"),
  BILLED,
  REFUNDED,
]

/** The same sums with the cost, named as in `Costs`. */
export const COST_SUMS = [...SUMS, total("cost_credit_micros").as("cost")]

/** The same sums with the further numbers of a report by day. */
export const DAY_SUMS = [...SUMS, ...DAILY.map((column) => total(column).as(column))]

/** The number of calls that made an image. They have no input tokens. */
export const DRAWN = total("pictures").as("pictures")

/** The number of calls, their input tokens together, and the highest number of input tokens of one call. */
export const CONTEXT = [
  total("calls").as("model_calls"),
  DRAWN,
  total("tokens_input").as("tokens_input"),
  expressionBuilder<{ u: Summed }, "u">().fn.max("u.tokens_input_most").as("most"),
]

/** The columns of `Sums` in the rows of range_spaces and range_users. */
export const RANKED = [
  ...(["r.turns", "r.calls as model_calls", "r.tokens_input", "r.tokens_cached", "r.tokens_output"] as const),
  "r.billed_credit_micros as billed",
  "r.refunded_credit_micros as refunded",
] as const

/** The columns of `Costs` in these rows. */
export const RANKED_COSTS = [...RANKED, "r.cost_credit_micros as cost"] as const
