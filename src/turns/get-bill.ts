import { sql } from "kysely"
import { jsonArrayFrom, jsonBuildObject } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import {
  CALL_COUNT_NAMES,
  COUNT_COLUMNS,
  type CountColumn,
  countColumnOf,
  countOf,
  countRowOf,
  usageOfRow,
} from "../agent/token-names.ts"
import { composed, storedRow } from "../base/casts.ts"
import { toUsd } from "../base/money.ts"
import { refundOfTurn } from "../base/refunds.ts"
import { toInstant } from "../base/time.ts"
import { CALL_ROLES } from "../base/words.ts"
import {
  COMPONENT_NAMES,
  type ComponentName,
  type ComponentPrices,
  columnOf,
  componentOf,
  isRequired,
  PRICE_COLUMNS,
  unitPriceOf,
  usdOf,
} from "../catalog/price-components.ts"
import { TERM_COLUMNS, type TermedPrice, termsOfCall } from "../catalog/price-terms.ts"
import { turnNotFound } from "./get-turn.ts"
import { TURN_STATES, type TurnState } from "./schemas.ts"
import { visibleTurn } from "./visible-turn.ts"

/** Prices per token have the names of the lines of a receipt. Others name the currency, and can be null. */
export const billNameOf = (name: ComponentName) => {
  const { line, per } = componentOf(name)
  return per === 1 ? (`${line}_usd` as const) : line
}

const priceSchema = z
  .object(
    Object.fromEntries(
      COMPONENT_NAMES.map((name) => {
        const { kind, about, whenNull, per, example } = componentOf(name)
        const field = per === 1 ? z.number().nullable() : z.number()
        const isNull = kind === "image" ? "Null for a chat model" : `Null: ${whenNull}`
        const description = per === 1 ? `Price in USD for ${about}. ${isNull}.` : `Price in USD per million ${about}.`
        return [billNameOf(name), field.meta({ description, example: example * 10 })]
      }),
    ),
  )
  .meta({ id: "BillPrice" })

/** Null if the prices are not known any more. */
function serializePrice(row: ComponentPrices): z.infer<typeof priceSchema> | null {
  if (COMPONENT_NAMES.some((name) => isRequired(name) && row[columnOf(name)] === null)) return null
  return Object.fromEntries(COMPONENT_NAMES.map((name) => [billNameOf(name), usdOf(unitPriceOf(row, name))]))
}

const units = z.int()

export const turnBillSchema = z
  .object({
    turn_id: z.string(),
    state: z.enum(TURN_STATES),
    cost_usd: z.number().meta({ description: "Cost of the turn's model calls and images so far.", example: 0.0042 }),
    billed_cost_usd: z.number().meta({
      description: "Amount charged. 0 until the turn has ended, and for a turn that the service has lost.",
      example: 0.0042,
    }),
    refunded_usd: refundOfTurn,
    held_usd: z.number().meta({ description: "Amount set aside for the turn until it ends.", example: 0 }),
    items: z
      .array(
        z.object({
          step: z.int().meta({ description: "The step's number. -1 for amounts of the whole turn.", example: 0 }),
          call: z
            .int()
            .nullable()
            .meta({ description: "The tool call that made an image. Null for a model call.", example: null }),
          calls: z.int().meta({ description: "Number of model calls in this line.", example: 1 }),
          role: z.enum(CALL_ROLES).meta({
            description: "`orchestrator`, `subagent`, or `summary` for the summary of earlier turns.",
            example: "orchestrator",
          }),
          subagent: z
            .string()
            .nullable()
            .meta({ description: "The sub-agent's name. Null for the space's own agent.", example: null }),
          model: z.string().meta({ description: "The model, as a pin." }),
          ...composed<Record<CountColumn, typeof units>>(
            Object.fromEntries(
              CALL_COUNT_NAMES.map((name) => {
                const { about: description, example } = countOf(name)
                return [countColumnOf(name), units.meta({ description, example })]
              }),
            ),
          ),
          price_version: z.int().meta({ description: "The version of the model's prices that applied.", example: 1 }),
          above_input_tokens: z.int().nullable().meta({
            description: "`price` is that of prompts with more tokens than this. Null: the model's own.",
            example: null,
          }),
          modifiers: z.array(z.string()).meta({
            description: "How the provider says that it has served the call. `price` contains the factor of each.",
            example: [],
          }),
          price: priceSchema
            .nullable()
            .meta({ description: "The prices of that version. Null if they are no longer known." }),
          cost_usd: z.number().meta({ description: "Cost at these prices, within the turn's hold.", example: 0.0042 }),
          billed_usd: z.number().meta({ description: "Amount charged for this line.", example: 0.0042 }),
          created_at: z.iso.datetime(),
        }),
      )
      .meta({ description: "Model calls and images of the turn, in order. They add up to both sums." }),
  })
  .meta({ id: "TurnBill" })

/** Returns the cost of a turn by call, with the prices that applied. Throws NOT_FOUND. */
export async function getBill(
  ctx: Context,
  credential: SessionCredential,
  turnId: string,
): Promise<z.infer<typeof turnBillSchema>> {
  const { rows } = await readAs(ctx, credential, (db) =>
    visibleTurn(db, turnId)
      .select(["t.turn_id", "t.state", "t.billed_credit_micros as billed", "t.refunded_credit_micros as refunded"])
      .select("t.held_credit_micros as held")
      .select((turn) => {
        const priced = turn
          .selectFrom("model_calls as u")
          .leftJoin("model_catalog as c", (join) =>
            join.onRef("c.pin", "=", "u.model").onRef("c.price_version", "=", "u.price_version"),
          )
          .leftJoin("former_prices as f", (join) =>
            join.onRef("f.pin", "=", "u.model").onRef("f.price_version", "=", "u.price_version"),
          )
          .whereRef("u.turn_id", "=", "t.turn_id")
          .select(["u.step", "u.call", "u.role", "u.subagent", "u.model", "u.price_version", "u.modifiers"])
          .select(COUNT_COLUMNS.map((column) => `u.${column}` as const))
          .select(["u.created_at", "u.cost_credit_micros as cost", "u.billed_credit_micros as billed"])
          .select((eb) => eb.cast<number>(eb.lit(1), "integer").as("calls"))
          .select(({ fn }) => {
            const prices = [...PRICE_COLUMNS, ...TERM_COLUMNS].map((column) => [
              column,
              fn.coalesce(`c.${column}`, `f.${column}`),
            ])
            return jsonBuildObject(Object.fromEntries(prices)).as("price")
          })
          .orderBy("u.step")
          .orderBy(({ ref }) => sql`${ref("u.call")} nulls first`)
        return jsonArrayFrom(priced).as("items")
      }),
  )
  const [row] = rows
  if (!row) throw turnNotFound(turnId)
  return {
    turn_id: row.turn_id,
    state: row.state as TurnState,
    cost_usd: toUsd(row.items.reduce((sum, { cost }) => sum + cost, 0)),
    billed_cost_usd: toUsd(row.billed),
    refunded_usd: toUsd(row.refunded ?? 0),
    held_usd: toUsd(row.held),
    items: row.items.map(({ cost, billed, created_at, ...item }) => {
      const { tokens_input: tokensInput } = item
      const { prices, aboveInputTokens, modifiers } = termsOfCall(storedRow<TermedPrice<ComponentPrices>>(item.price), {
        tokensInput,
        modifiers: item.modifiers,
      })
      return {
        ...item,
        role: item.role as (typeof CALL_ROLES)[number],
        ...countRowOf(usageOfRow(item)),
        price: serializePrice(prices),
        above_input_tokens: aboveInputTokens,
        modifiers,
        cost_usd: toUsd(cost),
        billed_usd: toUsd(billed),
        created_at: toInstant(created_at),
      }
    }),
  }
}
