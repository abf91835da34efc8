import * as z from "zod"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"

export const END_USER_REASONS = ["credit", "correction", "usage", "refund"] as const

export const endUserEntrySchema = z
  .object({
    entry_id: z.int().meta({ example: 812 }),
    end_user_ref: z.string(),
    reason: z.enum(END_USER_REASONS).meta({
      description:
        "`credit`: added by you. `correction`: taken back by you. `usage`: the charge of a turn. `refund`: that charge, returned because the operator has refunded the turn to you.",
      example: "credit",
    }),
    amount_usd: z.number().meta({ description: "Negative for charges and corrections.", example: 5 }),
    balance_after_usd: z.number().meta({ description: "The balance after this entry.", example: 5 }),
    turn_id: z.string().nullable().meta({ description: "The turn that was charged or refunded.", example: null }),
    note: z
      .string()
      .nullable()
      .meta({ description: "Your note. Erasing the end user removes it.", example: "Order 1042" }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "EndUserLedgerEntry" })

export type EndUserEntry = z.infer<typeof endUserEntrySchema>
export type EndUserEntryRow = JsonRow<"end_user_ledger">

export function serializeEndUserEntry(row: EndUserEntryRow): EndUserEntry {
  return {
    entry_id: row.entry_id,
    end_user_ref: row.end_user_ref,
    reason: row.reason as EndUserEntry["reason"],
    amount_usd: toUsd(row.amount_credit_micros),
    balance_after_usd: toUsd(row.balance_after_credit_micros),
    turn_id: row.turn_id,
    note: row.note,
    created_at: toInstant(row.created_at),
  }
}
