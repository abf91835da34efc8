import { type RawBuilder, sql } from "kysely"
import * as z from "zod"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { queryAs } from "../identity/actor.ts"
import type { SessionCredential } from "../identity/credential.ts"
import { keyReused, type Made } from "../identity/once.ts"
import { violates } from "../platform/db.ts"
import { type Booking, bookedBy } from "./booking.ts"
import { CREDIT_REASONS, type CreditReason } from "./buckets.ts"
import type { LedgerRow } from "./ledger-entry.ts"
import { fromUsd, toUsd } from "./money.ts"
import { BOOKING_POLICY } from "./policies.ts"

const maxUsd = toUsd(BOOKING_POLICY.maxMicros)

export const noteSchema = z
  .string()
  .trim()
  .min(1)
  .max(BOOKING_POLICY.noteCharacters)
  .meta({ description: "Why. The account's owner sees it beside the entry.", example: "For the outage of 14 January." })

export const creditSchema = z
  .strictObject({
    reason: z.enum(CREDIT_REASONS).meta({
      description: "What the credit is: it decides the bucket of reports.",
      example: "admin_grant",
    }),
    amount_usd: z
      .number()
      .min(-maxUsd)
      .max(maxUsd)
      .refine((usd) => usd !== 0 && fromUsd(usd) !== null, "is an amount with at most 7 decimals, and not 0")
      .meta({ description: "Negative, as a correction, only with `admin_action`.", example: 5 }),
    note: noteSchema,
  })
  .refine(({ reason, amount_usd }) => amount_usd > 0 || reason === "admin_action", {
    path: ["amount_usd"],
    message: "is positive, but for an admin_action",
  })
  .meta({ id: "CreateCredit" })

export interface Credit {
  userId: number
  reason: CreditReason
  /** Credit micros; negative only for an `admin_action`. */
  micros: number
  /** What makes it once, with its source before it: `payment:stripe:pi_123`, `signup:42`. */
  reference: string
  /** `system`, `payment:stripe`, `admin:7`, … */
  actor: string
  note?: string | null
}

/**
 * Books credit with its ledger entry, once for its reference. NOT_FOUND for the user, BALANCE_TOO_LOW when a correction would
 * take what is held, IDEMPOTENCY_KEY_REUSED when another entry has the reference.
 */
export function creditAccount(ctx: Pick<Context, "db" | "clock">, credit: Credit): Promise<Made<LedgerRow>> {
  return bookOnce(credit, async () => {
    const entry = bookEntry({ ...credit, userId: sql`${credit.userId}`, actor: sql`${credit.actor}` }, ctx)
    const { rows } = await sql<Booking>`select * from ${entry} b`.execute(ctx.db)
    return rows[0]
  })
}

/** The same by an admin, under their Idempotency-Key. ADMIN_REQUIRED for others. */
export function grantCredit(
  ctx: Context,
  credential: SessionCredential,
  { idempotencyKey, ...credit }: Omit<Credit, "reference" | "actor"> & { idempotencyKey: string },
): Promise<Made<LedgerRow>> {
  const actor = sql`'admin:' || caller.user_id`
  return bookOnce(credit, async () => {
    const reference = sql`'admin:' || caller.user_id || ':' || ${idempotencyKey}::text`
    const entry = bookEntry({ ...credit, userId: sql`${credit.userId}`, reference, actor }, ctx)
    const { row } = await queryAs<Booking>(ctx, credential, {
      role: "admin",
      ctes: sql`booking as materialized (select b.* from caller, lateral ${entry} b)`,
      select: sql`select * from booking`,
    })
    return row
  })
}

/** Two that come at once, for different accounts, under one reference: the second sees the first when it looks again. */
async function bookOnce(
  { userId, reason, micros, note = null }: Omit<Credit, "reference" | "actor">,
  book: () => Promise<Booking | undefined>,
): Promise<Made<LedgerRow>> {
  if (micros < 0 && reason !== "admin_action") {
    throw new TurnpikeError("VALIDATION_FAILED", "amount_usd: is positive, but for an admin_action", {
      param: "amount_usd",
    })
  }
  const again = (error: unknown) => {
    if (violates(error, "ledger_one_entry_per_reference")) return book()
    throw error
  }
  const booked = bookedBy(await book().catch(again), micros)
  const { user_id, amount_credit_micros, ...entry } = booked.made
  const same = user_id === userId && amount_credit_micros === micros && entry.reason === reason && entry.note === note
  if (!same) throw keyReused()
  return booked
}

function bookEntry(
  {
    userId,
    reason,
    micros,
    note,
    ...credit
  }: Pick<Credit, "reason" | "micros" | "note"> & {
    userId: RawBuilder<unknown>
    reference: string | RawBuilder<unknown>
    actor: RawBuilder<unknown>
  },
  { clock }: Pick<Context, "clock">,
): RawBuilder<unknown> {
  return sql`book_entry(${userId}::bigint, ${reason}::text, ${micros}::bigint, null::text, ${credit.reference}::text, null::text,
    null::bigint, ${credit.actor}::text, ${note ?? null}::text, ${clock.now()}::timestamptz)`
}
