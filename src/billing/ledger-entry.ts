import * as z from "zod"
import { countInWords } from "../base/in-words.ts"
import { ENERGY_RATE, MICROS_PER_ENERGY, MICROS_PER_USD, toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { BUCKET_NAMES, bucketOf, LEDGER_REASONS, type LedgerReason, reportedReason } from "./buckets.ts"

/** A row of `ledger`, read as JSON. */
export interface LedgerRow extends Omit<JsonRow<"ledger">, "reason"> {
  reason: LedgerReason
}

const amounts = `${ENERGY_RATE}, or ${countInWords(MICROS_PER_USD)} credit micros.`
const OWNER_ACTORS = ["turn", "system", "payment", "operator"] as const

export const ledgerEntrySchema = z
  .object({
    ledger_id: z.int(),
    reason: z.enum(LEDGER_REASONS).meta({
      description:
        "`usage`: the charge of a key's turn. `space_usage`: the charge of a web-chat turn or, without a " +
        "`turn_id`, for containers and storage. `admin_action` with a `turn_id`: that turn's refund.",
    }),
    bucket: z
      .enum(BUCKET_NAMES)
      .nullable()
      .meta({
        description:
          "The bucket of the entry in reports: granted (`free`), earned (`bonus`) or purchased credit (`paid`), " +
          "refunds of turns (`refunded`), or charges (`spent`). Null for a commission and for a correction that takes credit back.",
        example: "spent",
      }),
    amount_credit_micros: z
      .int()
      .nullable()
      .meta({ description: `Negative for charges. Null for a commission in a currency. ${amounts}` }),
    amount_energy: z.number().nullable(),
    amount_usd: z.number().nullable(),
    currency: z
      .string()
      .nullable()
      .meta({ description: "A commission's currency, as an ISO 4217 code.", example: null }),
    currency_amount_minor: z.int().nullable().meta({
      description: "A commission's amount, in the currency's minor units (cents).",
      example: null,
    }),
    balance_after_credit_micros: z.int().meta({ description: "The account's running total after this entry." }),
    balance_after_energy: z.number(),
    balance_after_usd: z.number(),
    turn_id: z.string().nullable().meta({ description: "The turn that was charged or refunded." }),
    actor: z.enum(OWNER_ACTORS).meta({
      description:
        "The actor that booked the entry: a `turn` that ended, a `payment`, the service's `operator`, or the `system`.",
      example: "turn",
    }),
    note: z.string().nullable().meta({ description: "The note of the entry. Null if it has none.", example: null }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "LedgerEntry" })

export type ShownLedgerEntry = z.infer<typeof ledgerEntrySchema>

export function serializeLedgerEntry(row: LedgerRow): z.infer<typeof ledgerEntrySchema> {
  const { amount_credit_micros: amount, balance_after_credit_micros: balance } = row
  return {
    ledger_id: row.ledger_id,
    reason: row.reason,
    bucket: bucketOf({ reason: reportedReason(row), amount }),
    amount_credit_micros: amount,
    amount_energy: amount === null ? null : amount / MICROS_PER_ENERGY,
    amount_usd: amount === null ? null : toUsd(amount),
    currency: row.currency,
    currency_amount_minor: row.currency_amount_minor,
    balance_after_credit_micros: balance,
    balance_after_energy: balance / MICROS_PER_ENERGY,
    balance_after_usd: toUsd(balance),
    turn_id: row.turn_id,
    actor: ownerActor(row.actor),
    note: row.note,
    created_at: toInstant(row.created_at),
  }
}

/** Hides from the owner which operator booked an entry: `admin:7` and the command line both become `operator`. */
function ownerActor(actor: string): (typeof OWNER_ACTORS)[number] {
  if (actor.startsWith("payment:")) return "payment"
  return OWNER_ACTORS.find((known) => known === actor) ?? "operator"
}

/** A ledger entry for admins: it also has the account and the exact actor. */
export const adminLedgerEntrySchema = ledgerEntrySchema
  .extend({
    user_id: z.int(),
    actor: z.string().meta({
      description:
        "The actor that booked the entry: `admin:` with a `user_id`, `turn`, `system`, `payment:` with its provider, …",
      example: "admin:1",
    }),
  })
  .meta({ id: "AdminLedgerEntry" })

export function serializeAdminLedgerEntry(row: LedgerRow): z.infer<typeof adminLedgerEntrySchema> {
  return { ...serializeLedgerEntry(row), user_id: row.user_id, actor: row.actor }
}
