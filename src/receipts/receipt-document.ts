import * as z from "zod"
import { usageOfRow } from "../agent/token-names.ts"
import { storedRow } from "../base/casts.ts"
import { USD_DECIMALS, usdDecimal } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { LedgerRow } from "../billing/ledger-entry.ts"
import { type PricedLine, sumOfLines } from "../billing/price.ts"
import {
  COMPONENT_NAMES,
  COMPONENTS,
  type ComponentName,
  type ComponentPrices,
  isUnpriced,
  PER_TOKENS,
  quantitiesOf,
  unitPriceOf,
} from "../catalog/price-components.ts"
import { type TermedPrice, termsOfCall } from "../catalog/price-terms.ts"
import type { Answers } from "../platform/procedures.ts"
import { digestOf } from "./sign-document.ts"

/** Each amount of a call is the exact sum of its lines, rounded up to a ten-millionth of a dollar. */
export const ROUNDING = `up to ${usdDecimal(1)} USD, once for each call`

const decimal = z.string().meta({ format: "decimal", example: "0.0000460" })
const instant = z.iso.datetime()
const KINDS = COMPONENT_NAMES.map((name) => COMPONENTS[name].line)
const KIND_WORDS = COMPONENT_NAMES.map((name) => `\`${COMPONENTS[name].line}\`: ${COMPONENTS[name].about}.`)
const WAIVERS = ["test", "lost", "over_hold"] as const

const lineSchema = z
  .object({
    kind: z.enum(KINDS).meta({
      description: `Each token is in one line. ${KIND_WORDS.join(" ")}`,
      example: "input",
    }),
    quantity: z.int().meta({ description: "The number of tokens or images.", example: 11 }),
    unit_price_usd: decimal
      .nullable()
      .meta({ description: "The price of `per` units. Null: not known any more.", example: "1.0000000" }),
    per: z.int().meta({ description: "The units of the price: a million tokens, or one image.", example: PER_TOKENS }),
  })
  .meta({ id: "ReceiptLine" })

const callTermsSchema = {
  above_input_tokens: z.int().exactOptional().meta({
    description:
      "The prices are those of the model's tier for prompts with more tokens than this. Missing: of no tier.",
    example: 200_000,
  }),
  modifiers: z
    .array(z.string())
    .exactOptional()
    .meta({
      description:
        "How the provider says that it has served the call. The prices contain the factor of each. Missing: as usual.",
      example: ["priority"],
    }),
}

const callSchema = z
  .object({
    step: z.int().meta({ description: "The step's number.", example: 0 }),
    call: z
      .int()
      .nullable()
      .meta({ description: "The tool call that made an image. Null: a model call.", example: null }),
    subagent: z
      .string()
      .nullable()
      .meta({ description: "The sub-agent's name. Null: the space's own agent.", example: null }),
    model: z.string().meta({ description: "The model, as a pin.", example: "rehearsal/standard" }),
    price_version: z.int().meta({ description: "The version of the model's prices that applied.", example: 1 }),
    ...callTermsSchema,
    lines: z.array(lineSchema),
    computed_usd: decimal.meta({
      description: `The sum of \`quantity\` × \`unit_price_usd\` / \`per\` over the lines, rounded up to ${USD_DECIMALS} decimals.`,
    }),
    waived_usd: decimal.meta({ description: "The part of `computed_usd` that is not charged.", example: "0.0000000" }),
    waived_for: z
      .enum(WAIVERS)
      .nullable()
      .meta({
        description:
          "`test`: test turns are free. `lost`: the service has lost the turn. `over_hold`: a charge never exceeds the turn's hold. " +
          "Null: nothing is waived.",
        example: null,
      }),
    amount_usd: decimal.meta({ description: "The amount charged: `computed_usd` - `waived_usd`." }),
    made_at: instant,
  })
  .meta({ id: "ReceiptCall" })

export const receiptSchema = z
  .object({
    document: z.literal("receipt"),
    version: z.literal(1),
    turn_id: z.string(),
    test: z.boolean(),
    state: z.enum(["done", "failed", "cancelled"]).meta({ example: "done" }),
    space: z.string(),
    key_id: z.string().nullable().meta({ description: "Null for a turn of the web chat." }),
    end_user_ref: z.string().nullable().meta({ description: "Null for a turn of the web chat." }),
    accepted_at: instant,
    ended_at: instant.meta({ description: "The time of the charge. It decides the month of the statement." }),
    currency: z.literal("USD"),
    rounding: z.string().meta({ example: ROUNDING }),
    calls: z
      .array(callSchema)
      .meta({ description: "Model calls and images, including those of sub-agents, in order." }),
    hold: z
      .object({
        held_usd: decimal.meta({ description: "The amount held when the turn ended.", example: "0.2500000" }),
        charged_usd: decimal.meta({ description: "The part that was charged: `total_usd`." }),
        released_usd: decimal.meta({ description: "The part that was released.", example: "0.2499540" }),
      })
      .meta({ id: "ReceiptHold" }),
    total_usd: decimal.meta({ description: "The sum of the calls, and the amount of the entry in the ledger." }),
  })
  .meta({ id: "Receipt", description: "What a turn was charged. It never changes after the end of the turn." })

export type Receipt = z.infer<typeof receiptSchema>

export const refundDocumentSchema = z
  .object({
    document: z.literal("refund"),
    version: z.literal(1),
    turn_id: z.string(),
    receipt_digest: z.string().meta({
      description: "The digest of the receipt that is refunded.",
      example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    }),
    currency: z.literal("USD"),
    refunded_usd: decimal,
    ledger_id: z.int().meta({ description: "The refund's entry in the ledger.", example: 812 }),
    refunded_at: instant.meta({ description: "It decides the month of the statement." }),
  })
  .meta({ id: "RefundDocument", description: "A refund of a turn. The receipt of the turn does not change." })

export type RefundDocument = z.infer<typeof refundDocumentSchema>

type ReceiptRow = Answers["receipt"]
type CallRow = Answers["receipt_call"]

/**
 * The receipt of an ended turn. Every field comes from columns that never change, so a receipt always has the same
 * digest. A field for some turns only, such as a charge of the key owner, must be absent from all other receipts.
 */
export function receiptDocument(row: ReceiptRow): Receipt {
  const calls = row.calls.map((call) => receiptCall(row, call))
  return {
    document: "receipt",
    version: 1,
    turn_id: row.turn_id,
    test: row.test,
    state: row.state as Receipt["state"],
    space: row.space,
    key_id: row.key_id,
    end_user_ref: row.end_user_ref,
    accepted_at: toInstant(row.created_at),
    ended_at: toInstant(row.finished_at),
    currency: "USD",
    rounding: ROUNDING,
    calls,
    hold: {
      held_usd: usdDecimal(row.hold),
      charged_usd: usdDecimal(row.billed),
      released_usd: usdDecimal(row.hold - row.billed),
    },
    total_usd: usdDecimal(row.billed),
  }
}

function receiptCall({ test, failed_by_us }: ReceiptRow, call: CallRow): Receipt["calls"][number] {
  const { aboveInputTokens, modifiers, prices } = termsOfCall(storedRow<TermedPrice<ComponentPrices>>(call), {
    tokensInput: call.tokens_input,
    modifiers: call.modifiers,
  })
  const lines = linesOf(call, prices)
  const computed = priceOfLines(lines) ?? BigInt(call.cost)
  const waived = computed - BigInt(call.billed)
  return {
    step: call.step,
    call: call.call,
    subagent: call.subagent,
    model: call.model,
    price_version: call.price_version,
    ...(aboveInputTokens !== null && { above_input_tokens: aboveInputTokens }),
    ...(modifiers.length > 0 && { modifiers }),
    lines: lines.map(({ kind, quantity, price, per }) => {
      return { kind, quantity, unit_price_usd: price === null ? null : usdDecimal(price), per }
    }),
    computed_usd: usdDecimal(computed),
    waived_usd: usdDecimal(waived),
    waived_for: waived === 0n ? null : test ? "test" : failed_by_us ? "lost" : "over_hold",
    amount_usd: usdDecimal(call.billed),
    made_at: toInstant(call.created_at),
  }
}

interface Line extends Omit<PricedLine, "price"> {
  kind: (typeof KINDS)[number]
  /** Credit micros. */
  price: number | null
}

function linesOf(call: CallRow, prices: ComponentPrices): Line[] {
  const lineOf = (name: ComponentName, quantity: number): Line => {
    const { line: kind, per } = COMPONENTS[name]
    return { kind, quantity, price: unitPriceOf(prices, name), per }
  }
  if (call.call !== null) return [lineOf("image", 1)]
  return quantitiesOf(usageOfRow(call)).flatMap(([name, quantity]) =>
    quantity === 0 || isUnpriced(prices, name) ? [] : [lineOf(name, quantity)],
  )
}

/** Null if a price is not known. */
function priceOfLines(lines: readonly Line[]): bigint | null {
  const priced = lines.flatMap(({ quantity, price, per }) => (price === null ? [] : [{ quantity, price, per }]))
  return priced.length === lines.length ? sumOfLines(priced) : null
}

/** The document of a refund. It names the receipt by its digest. */
export function refundDocument(refund: LedgerRow, receipt: Receipt): RefundDocument {
  return {
    document: "refund",
    version: 1,
    turn_id: receipt.turn_id,
    receipt_digest: digestOf(receipt),
    currency: "USD",
    refunded_usd: usdDecimal(refund.amount_credit_micros ?? 0),
    ledger_id: refund.ledger_id,
    refunded_at: toInstant(refund.created_at),
  }
}
