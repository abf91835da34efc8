import { type ExpressionBuilder, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { CallerDB } from "../actor/call-as.ts"
import { toUsd } from "../base/money.ts"

const amounts = {
  cost_usd: z.number().meta({ description: "The cost for us, at the provider's prices.", example: 0.0035 }),
  billed_cost_usd: z.number().meta({ description: "The amount charged. 0 until the turn has ended.", example: 0.0042 }),
  margin_usd: z.number().meta({ description: "`billed_cost_usd` - `cost_usd`.", example: 0.0007 }),
}

export const turnCostsSchema = z
  .object({
    ...amounts,
    calls: z
      .array(
        z.object({
          step: z.int().meta({ example: 0 }),
          call: z
            .int()
            .nullable()
            .meta({ description: "The tool call that made a picture. Null for a model call.", example: null }),
          model: z.string().meta({ description: "The model, as a pin.", example: "openai/gpt-5-mini" }),
          price_version: z.int().meta({ description: "The version of the model's prices that applied.", example: 3 }),
          ...amounts,
        }),
      )
      .meta({ description: "The model calls and pictures of the turn, in order." }),
  })
  .meta({ id: "TurnCosts" })

/** The calls of the turn `t`, with what each cost us. */
export const costsOfTurn = (turn: ExpressionBuilder<CallerDB & { t: CallerDB["turns"] }, "t">) =>
  jsonArrayFrom(
    turn
      .selectFrom("model_calls as m")
      .whereRef("m.turn_id", "=", "t.turn_id")
      .select(["m.step", "m.call", "m.model", "m.price_version", "m.billed_credit_micros as billed"])
      .select(({ fn }) => fn.coalesce("m.provider_credit_micros", "m.cost_credit_micros").as("cost"))
      .orderBy("m.step")
      .orderBy(({ ref }) => sql`${ref("m.call")} nulls first`),
  )

interface CallRow {
  step: number
  call: number | null
  model: string
  price_version: number
  cost: number
  billed: number
}

const serializeAmounts = ({ cost, billed }: Pick<CallRow, "cost" | "billed">) => ({
  cost_usd: toUsd(cost),
  billed_cost_usd: toUsd(billed),
  margin_usd: toUsd(billed - cost),
})

export function serializeTurnCosts(rows: readonly CallRow[]): z.infer<typeof turnCostsSchema> {
  const sum = (of: "cost" | "billed") => rows.reduce((all, row) => all + row[of], 0)
  return {
    ...serializeAmounts({ cost: sum("cost"), billed: sum("billed") }),
    calls: rows.map(({ cost, billed, ...row }) => ({ ...row, ...serializeAmounts({ cost, billed }) })),
  }
}
