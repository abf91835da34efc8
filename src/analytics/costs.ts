import type { QueryCreator } from "kysely"
import * as z from "zod"
import type { CallerDB } from "../actor/call-as.ts"
import { toUsd } from "../base/money.ts"
import { NO_SUMS, restOf, type Sums, serializeSums, sums } from "./answer.ts"
import type { Scope } from "./brand.ts"
import { procedureRows } from "./procedure-rows.ts"
import { RANKED_COSTS } from "./sums.ts"

/** Sums with the cost of the calls at the providers' prices, in integers. */
export interface Costs extends Sums {
  cost: number
}

export const NO_COSTS: Costs = { ...NO_SUMS, cost: 0 }

/** The fields of `Costs` in a response. */
export const costs = {
  ...sums,
  cost_usd: z.number().meta({
    description:
      "The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for.",
    example: 4.2031,
  }),
  margin_usd: z.number().meta({
    description:
      "`billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted.",
    example: 0.8406,
  }),
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

/** Subtracts rows from a total. */
export const restOfCosts = (total: Costs, rows: readonly Costs[]): Costs => ({
  ...restOf(total, rows),
  cost: total.cost - costsOf(rows).cost,
})

/** The costs of all accounts of a brand in a range that may begin and end at any instant. */
export const allCosts = (db: QueryCreator<CallerDB>, range: Scope) =>
  db.selectFrom(procedureRows("range_total", { ...range }).as("r")).select(RANKED_COSTS)

/** The columns of a CSV file. */
export const COST_COLUMNS = {
  turns: ({ turns }: SerializedCosts) => turns,
  model_calls: ({ model_calls }: SerializedCosts) => model_calls,
  tokens_input: ({ tokens_input }: SerializedCosts) => tokens_input,
  tokens_cached: ({ tokens_cached }: SerializedCosts) => tokens_cached,
  tokens_output: ({ tokens_output }: SerializedCosts) => tokens_output,
  billed_cost_usd: ({ billed_cost_usd }: SerializedCosts) => billed_cost_usd,
  refunded_usd: ({ refunded_usd }: SerializedCosts) => refunded_usd,
  net_usd: ({ net_usd }: SerializedCosts) => net_usd,
  cost_usd: ({ cost_usd }: SerializedCosts) => cost_usd,
  margin_usd: ({ margin_usd }: SerializedCosts) => margin_usd,
}

type SerializedCosts = z.infer<typeof costsSchema>
