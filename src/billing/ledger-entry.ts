import * as z from "zod"
import { MICROS_PER_ENERGY, toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { BUCKET_NAMES, bucketOf, LEDGER_REASONS, type LedgerReason } from "./buckets.ts"

/** A row of `ledger`, as to_jsonb gives it. */
export interface LedgerRow extends Omit<JsonRow<"ledger">, "reason"> {
  reason: LedgerReason
}

const amounts = "1 USD is 10 energy is 10,000,000 credit micros."
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
          "The bucket that reports sum it in: credit that was given (`free`), earned (`bonus`) or bought " +
          "(`paid`), or charges (`spent`). Null for a commission and for a correction that takes credit " +
          "back.",
        example: "spent",
      }),
    amount_credit_micros: z
      .int()
      .nullable()
      .meta({ description: `Charges are negative; null for a commission in currency. ${amounts}` }),
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
    balance_after_credit_micros: z.int().meta({ description: "The running total." }),
    balance_after_energy: z.number(),
    balance_after_usd: z.number(),
    turn_id: z.string().nullable().meta({ description: "The turn that was charged or refunded." }),
    actor: z.enum(OWNER_ACTORS).meta({
      description:
        "Who booked it: a `turn` that ended, a `payment`, the service's `operator`, or the `system` by itself.",
      example: "turn",
    }),
    note: z.string().nullable().meta({ description: "The note that was booked with it.", example: null }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "LedgerEntry" })

export function serializeLedgerEntry(row: LedgerRow): z.infer<typeof ledgerEntrySchema> {
  const { amount_credit_micros: amount, balance_after_credit_micros: balance } = row
  return {
    ledger_id: row.ledger_id,
    reason: row.reason,
    bucket: bucketOf({ reason: row.reason, amount }),
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

/** An account's owner does not see which of us booked it: `admin:7` and the command line are both the operator. */
function ownerActor(actor: string): (typeof OWNER_ACTORS)[number] {
  if (actor.startsWith("payment:")) return "payment"
  return OWNER_ACTORS.find((known) => known === actor) ?? "operator"
}

/** The same for admins, with the account and who booked it. */
export const adminLedgerEntrySchema = ledgerEntrySchema
  .extend({
    user_id: z.int(),
    actor: z.string().meta({
      description: "Who booked it: `admin:` with a `user_id`, `turn`, `system`, `payment:` with its provider, …",
      example: "admin:1",
    }),
  })
  .meta({ id: "AdminLedgerEntry" })

export function serializeAdminLedgerEntry(row: LedgerRow): z.infer<typeof adminLedgerEntrySchema> {
  return { ...serializeLedgerEntry(row), user_id: row.user_id, actor: row.actor }
}
