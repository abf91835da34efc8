import { type RawBuilder, sql } from "kysely"
import * as z from "zod"
import type { Context } from "../context.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { toInstant } from "../time.ts"
import { MICROS_PER_ENERGY, toUsd } from "./money.ts"

/** Why an amount was booked (contract section 2.2). */
export const LEDGER_REASONS = [
  "admin_grant",
  "admin_action",
  "operator_topup",
  "signup_credit",
  "referral_signup_credit",
  "manual_topup",
  "credit_purchase",
  "usage",
  "space_usage",
  "referral_credit_commission",
] as const
type LedgerReason = (typeof LEDGER_REASONS)[number]

/** A row of `ledger`, as to_jsonb gives it. */
export interface LedgerRow extends Omit<JsonRow<"ledger">, "reason"> {
  reason: LedgerReason
}

const amounts = "1 USD is 10 energy is 10,000,000 credit micros."

export const ledgerEntrySchema = z
  .object({
    ledger_id: z.int(),
    reason: z.enum(LEDGER_REASONS).meta({
      description: "`usage`: the charge of a turn of a key; `space_usage`: of a web-chat turn.",
    }),
    amount_credit_micros: z
      .int()
      .nullable()
      .meta({ description: `Charges are negative; null for a commission in currency. ${amounts}` }),
    amount_energy: z.number().nullable(),
    amount_usd: z.number().nullable(),
    balance_after_credit_micros: z.int().meta({ description: "The running total." }),
    balance_after_energy: z.number(),
    balance_after_usd: z.number(),
    turn_id: z.string().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "LedgerEntry" })

export function serializeLedgerEntry(row: LedgerRow): z.infer<typeof ledgerEntrySchema> {
  const { amount_credit_micros: amount, balance_after_credit_micros: balance } = row
  return {
    ledger_id: row.ledger_id,
    reason: row.reason,
    amount_credit_micros: amount,
    amount_energy: amount === null ? null : amount / MICROS_PER_ENERGY,
    amount_usd: amount === null ? null : toUsd(amount),
    balance_after_credit_micros: balance,
    balance_after_energy: balance / MICROS_PER_ENERGY,
    balance_after_usd: toUsd(balance),
    turn_id: row.turn_id,
    created_at: toInstant(row.created_at),
  }
}

export interface LedgerFilters {
  reason?: LedgerReason | undefined
  turn?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

/** The entries of the caller's ledger, newest first. `created_after` is inclusive, `created_before` exclusive. */
export async function listLedger(
  ctx: Context,
  credential: Credential,
  { filters, limit, offset }: { filters: LedgerFilters; limit: number; offset: number },
): Promise<{ entries: LedgerRow[]; total: number }> {
  const where: RawBuilder<unknown>[] = [sql`l.user_id = (select user_id from caller)`]
  if (filters.reason) where.push(sql`l.reason = ${filters.reason}`)
  if (filters.turn) where.push(sql`l.turn_id = ${filters.turn}`)
  if (filters.created_after) where.push(sql`l.created_at >= ${filters.created_after}::timestamptz`)
  if (filters.created_before) where.push(sql`l.created_at < ${filters.created_before}::timestamptz`)
  const all = sql.join(where, sql` and `)
  const { row } = await queryAs<{ entries: LedgerRow[]; total: number }>(ctx, credential, {
    select: sql`select (select count(*)::integer from ledger l where ${all}) as total, coalesce((
      select jsonb_agg(to_jsonb(l) order by l.ledger_id desc) from (
        select * from ledger l where ${all} order by l.ledger_id desc limit ${limit} offset ${offset}) l), '[]') as entries`,
  })
  return row
}
