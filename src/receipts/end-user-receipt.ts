import * as z from "zod"
import { USD_DECIMALS, usdDecimal } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { RESALE_POLICY } from "../resale/policies.ts"
import { ROUND_MODES } from "../resale/price.ts"
import { turnPriceSchema } from "../turns/schemas.ts"
import { receiptSchema } from "./receipt-document.ts"

/** Exact charges are in millionths of credit micros. */
const MILLIONTHS = BigInt(RESALE_POLICY.millionths)
export const EXACT_DECIMALS = USD_DECIMALS + String(MILLIONTHS).length - 1

const decimal = z.string().meta({ format: "decimal", example: "0.0123000" })
const exact = z.string().meta({ format: "decimal", example: "0.0122750000000" })
const instant = z.iso.datetime()

const componentSchema = z
  .object({
    kind: z.enum(["model_call", "image", "turn"]).meta({
      description: "A call of a model, an image, or the amount for the whole turn.",
      example: "model_call",
    }),
    step: z.int().nullable().meta({ description: "The number of the step. Null for the whole turn.", example: 0 }),
    tokens_input: z.int().meta({ example: 812 }),
    tokens_output: z.int().meta({ example: 64 }),
    amount_usd: exact.meta({ description: `The charge for it, exact, with ${EXACT_DECIMALS} decimals.` }),
  })
  .meta({ id: "EndUserReceiptComponent" })

export const endUserReceiptSchema = z
  .object({
    document: z.literal("end_user_receipt"),
    version: z.literal(1),
    turn_id: z.string(),
    test: z.boolean().meta({ description: "True: the turn was rehearsed, and the charge is not due.", example: false }),
    state: receiptSchema.shape.state,
    end_user_ref: z.string().nullable().meta({ example: "customer-42" }),
    accepted_at: instant,
    ended_at: instant,
    currency: z.literal("USD"),
    price: z
      .object(turnPriceSchema.shape)
      .nullable()
      .meta({ description: "The price of the turn. It never changes. Null: the turn has none." }),
    components: z.array(componentSchema),
    exact_usd: exact.meta({ description: "The sum of the components." }),
    rounding: z.object({
      to_usd: decimal.meta({ description: "`charge_usd` is a multiple of this amount.", example: "0.0001000" }),
      mode: z.enum(ROUND_MODES).meta({ description: "How `exact_usd` is rounded. `nearest`: halves up." }),
    }),
    charge_usd: decimal.meta({ description: "The charge of the end user: `exact_usd`, rounded once." }),
    paid_from: z.enum(["wallet", "invoice"]).meta({
      description: "`wallet`: the end user's prepaid wallet has paid. `invoice`: it is due to the seller.",
      example: "wallet",
    }),
  })
  .meta({
    id: "EndUserChargeReceipt",
    description: "The charge of a turn's end user by the seller. It names no cost, model or multiplier of the seller.",
  })

export type EndUserReceipt = z.infer<typeof endUserReceiptSchema>
type Component = EndUserReceipt["components"][number]
type CallRow = Answers["receipt_call"]

/**
 * The receipt of an ended turn for its end user. Only columns that never change are in it. A turn that the service
 * lost, and a turn without a model call are free: they have no component for the turn. A test turn has the amounts of
 * its rehearsed cost.
 */
export function endUserReceipt(
  row: Answers["receipt"],
  { charge, prepaid, price }: Answers["receipt_sale"],
): EndUserReceipt {
  const sold = price?.price_id ? price : null
  const isFree = row.failed_by_us || row.calls.length === 0
  const costOf = ({ billed, rehearsed }: CallRow) => BigInt(row.test ? (rehearsed ?? 0) : billed)
  const calls = isFree ? [] : row.calls.map((call) => ({ call, amount: costOf(call) * factorOf(call, sold) }))
  const perTurn = isFree ? 0n : BigInt(sold?.per_turn_credit_micros ?? 0) * MILLIONTHS
  const components = calls.map(({ call, amount }): Component => {
    const { step, tokens_input, tokens_output } = call
    const kind = call.call === null ? "model_call" : "image"
    return { kind, step, tokens_input, tokens_output, amount_usd: exactUsd(amount) }
  })
  if (perTurn > 0n) {
    components.push({ kind: "turn", step: null, tokens_input: 0, tokens_output: 0, amount_usd: exactUsd(perTurn) })
  }
  return {
    document: "end_user_receipt",
    version: 1,
    turn_id: row.turn_id,
    test: row.test,
    state: row.state as EndUserReceipt["state"],
    end_user_ref: row.end_user_ref,
    accepted_at: toInstant(row.created_at),
    ended_at: toInstant(row.finished_at),
    currency: "USD",
    price: sold && { name: sold.name, version: sold.version },
    components,
    exact_usd: exactUsd(calls.reduce((sum, { amount }) => sum + amount, perTurn)),
    rounding: {
      to_usd: usdDecimal(sold?.round_to_credit_micros ?? 1),
      mode: (sold?.round_mode ?? "nearest") as EndUserReceipt["rounding"]["mode"],
    },
    charge_usd: usdDecimal(charge),
    paid_from: prepaid ? "wallet" : "invoice",
  }
}

/** The multiplier of a call, in millionths. Without a price the charge is the billed amount. */
function factorOf({ model }: CallRow, price: Answers["receipt_sale"]["price"]): bigint {
  if (!price) return MILLIONTHS
  const own = (price.per_model as Record<string, number>)[model]
  return BigInt(own ?? price.multiplier_millionths)
}

function exactUsd(millionths: bigint): string {
  const digits = String(millionths).padStart(EXACT_DECIMALS + 1, "0")
  return `${digits.slice(0, -EXACT_DECIMALS)}.${digits.slice(-EXACT_DECIMALS)}`
}
