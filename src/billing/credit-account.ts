import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { keyReused, type Made } from "../actor/once.ts"
import { TurnpikeError } from "../base/errors.ts"
import { notZero, toUsd, usdIn } from "../base/money.ts"
import { isPlainNote, PLAIN_FAULT } from "../base/plain-text.ts"
import { callOne } from "../platform/db.ts"
import { type BookingRow, bookedBy, tellBooked } from "./booking.ts"
import { CREDIT_REASONS, type CreditReason } from "./buckets.ts"
import type { LedgerRow } from "./ledger-entry.ts"
import { BOOKING_POLICY } from "./policies.ts"

const maxUsd = toUsd(BOOKING_POLICY.maxMicros)

export const noteSchema = z
  .string()
  .trim()
  .min(1)
  .max(BOOKING_POLICY.noteCharacters)
  .refine(isPlainNote, PLAIN_FAULT)
  .meta({
    description: "The reason for the entry. The account's owner sees this note with the entry.",
    example: "For the outage of 14 January.",
  })

export const creditSchema = z
  .strictObject({
    reason: z.enum(CREDIT_REASONS).meta({
      description: "The kind of credit. It decides the bucket in reports.",
      example: "admin_grant",
    }),
    amount_usd: usdIn(z.number().min(-maxUsd).max(maxUsd), notZero).meta({
      description: "Negative only for a correction, with `admin_action`.",
      example: 5,
    }),
    note: noteSchema,
  })
  .refine(({ reason, amount_usd }) => amount_usd > 0 || reason === "admin_action", {
    path: ["amount_usd"],
    message: "must be positive, except for an admin_action",
  })
  .meta({ id: "CreateCredit" })

export interface Credit {
  userId: number
  reason: CreditReason
  /** Credit micros. Negative only for an `admin_action`. */
  micros: number
  /** A unique reference that begins with its source: `payment:stripe:pi_123`, `signup:42`. It is booked once. */
  reference: string
  /** `system`, `payment:stripe`, `admin:7`, … */
  actor: string
  note?: string | null
}

/**
 * Adds credit with a ledger entry, once per reference. Errors: NOT_FOUND (user), BALANCE_TOO_LOW (a
 * correction exceeds the available credit), IDEMPOTENCY_KEY_REUSED (a different entry has the reference).
 */
export async function creditAccount(ctx: Pick<Context, "db" | "clock">, credit: Credit): Promise<Made<LedgerRow>> {
  requireSign(credit)
  const row = await callOne(ctx.db, "book_entry", {
    user_id: credit.userId,
    reason: credit.reason,
    amount: credit.micros,
    reference: credit.reference,
    actor: credit.actor,
    note: credit.note ?? null,
    moment: ctx.clock.now(),
    turn_id: null,
    currency: null,
    minor: null,
  })
  return booked(row, credit)
}

export const GRANT_CREDIT_ERRORS = ["IDEMPOTENCY_KEY_REUSED", "NOT_FOUND", "BALANCE_TOO_LOW"] as const

/** Adds credit as an admin, once per Idempotency-Key. ADMIN_REQUIRED for other callers. */
export async function grantCredit(
  ctx: Context,
  credential: SessionCredential,
  { idempotencyKey, ...credit }: Omit<Credit, "reference" | "actor"> & { idempotencyKey: string },
): Promise<Made<LedgerRow>> {
  requireSign(credit)
  const { userId: user_id, reason, micros: amount, note = null } = credit
  const args = { user_id, reason, amount, once_key: idempotencyKey, note }
  const { row } = await callAs(ctx, credential, "grant_credit", args)
  await tellBooked(ctx, row)
  return booked(row, credit)
}

function requireSign({ reason, micros }: Pick<Credit, "reason" | "micros">): void {
  if (micros < 0 && reason !== "admin_action") {
    throw new TurnpikeError("VALIDATION_FAILED", "amount_usd: must be positive, except for an admin_action", {
      param: "amount_usd",
    })
  }
}

/** Returns the entry. Throws IDEMPOTENCY_KEY_REUSED if it differs from the request. */
function booked(
  row: BookingRow,
  { userId, reason, micros, note = null }: Omit<Credit, "reference" | "actor">,
): Made<LedgerRow> {
  const made = bookedBy(row, micros)
  const { user_id, amount_credit_micros, ...entry } = made.made
  const same = user_id === userId && amount_credit_micros === micros && entry.reason === reason && entry.note === note
  if (!same) throw keyReused()
  return made
}
