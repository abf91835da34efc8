import type { QueryCreator } from "kysely"
import * as z from "zod"
import type { CallerDB } from "../actor/call-as.ts"
import { toUsd } from "../base/money.ts"
import { NO_SUMS, restOf, type Sums, serializeSums, sums } from "./answer.ts"
import { procedureRows } from "./procedure-rows.ts"
import type { Range } from "./range.ts"
import { RANKED_COSTS } from "./sums.ts"

/** What turns come to, with what their calls cost at the catalog's prices: integers only. */
export interface Costs extends Sums {
  cost: number
}

export const NO_COSTS: Costs = { ...NO_SUMS, cost: 0 }

/** The same in an answer. */
export const costs = {
  ...sums,
  cost_usd: z.number().meta({
    description: "What the calls come to at the catalog's prices when they were made, those that nobody pays for too.",
    example: 4.2031,
  }),
  margin_usd: z
    .number()
    .meta({ description: "What was billed less that: below 0 by what nobody was billed for.", example: -0.0824 }),
}

export const costsSchema = z.object(costs)

export function serializeCosts(row: Costs): z.infer<typeof costsSchema> {
  return { ...serializeSums(row), cost_usd: toUsd(row.cost), margin_usd: toUsd(row.billed - row.cost) }
}

export function costsOf(rows: readonly Costs[]): Costs {
  const total = { ...NO_COSTS }
  for (const row of rows) for (const key of Object.keys(NO_COSTS) as (keyof Costs)[]) total[key] += row[key]
  return total
}

/** What is left of a total without some of its rows. */
export const restOfCosts = (total: Costs, rows: readonly Costs[]): Costs => ({
  ...restOf(total, rows),
  cost: total.cost - costsOf(rows).cost,
})

/** Everybody's costs in a range that may begin and end at any instant. */
export const allCosts = (db: QueryCreator<CallerDB>, { from, to }: Range) =>
  db.selectFrom(procedureRows("range_total", { from, to }).as("r")).select(RANKED_COSTS)

/** The columns of a file. */
export const COST_COLUMNS = {
  turns: ({ turns }: SerializedCosts) => turns,
  model_calls: ({ model_calls }: SerializedCosts) => model_calls,
  tokens_input: ({ tokens_input }: SerializedCosts) => tokens_input,
  tokens_cached: ({ tokens_cached }: SerializedCosts) => tokens_cached,
  tokens_output: ({ tokens_output }: SerializedCosts) => tokens_output,
  billed_cost_usd: ({ billed_cost_usd }: SerializedCosts) => billed_cost_usd,
  cost_usd: ({ cost_usd }: SerializedCosts) => cost_usd,
  margin_usd: ({ margin_usd }: SerializedCosts) => margin_usd,
}

type SerializedCosts = z.infer<typeof costsSchema>
