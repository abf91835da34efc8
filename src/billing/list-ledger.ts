import { type ExpressionBuilder, type ExpressionWrapper, expressionBuilder, type SqlBool } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import type { Credential } from "../actor/actor.ts"
import { type CallerDB, callAs, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import type { DB } from "../platform/db-types.ts"
import { BUCKETS, type LedgerBucket, type LedgerReason, type ReportedReason } from "./buckets.ts"
import type { LedgerRow } from "./ledger-entry.ts"

export interface LedgerFilters {
  reason?: LedgerReason | undefined
  bucket?: LedgerBucket | undefined
  turn?: string | undefined
  /** Only entries before this one, for reading a whole ledger while it grows. */
  before_id?: number | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

/**
 * Lists the caller's ledger, newest first. Queued charges are posted
 * first. `created_after` is inclusive, `created_before` exclusive.
 */
export async function listLedger(
  ctx: Context,
  credential: Credential,
  { filters, limit, offset }: { filters: LedgerFilters; limit: number; offset: number },
): Promise<{ entries: LedgerRow[]; total: number }> {
  const { actor, row } = await callAs<"post_own_charges", { has_subscriber: boolean | null }>(
    ctx,
    credential,
    "post_own_charges",
    {},
  )
  wakeWebhooks(ctx, { user_id: actor.user_id, test: false, has_subscriber: row.has_subscriber === true })
  const { rows } = await readAs(ctx, credential, (db) => {
    const all = db
      .selectFrom("ledger as l")
      .where("l.user_id", "=", ({ selectFrom }) => selectFrom("caller").select("caller.user_id"))
      .where(matchesLedger(filters))
    const page = all.selectAll("l").orderBy("l.ledger_id", "desc").limit(limit).offset(offset)
    return db.selectNoFrom([
      all.select((eb) => eb.cast<number>(eb.fn.countAll(), "integer").as("count")).as("total"),
      jsonArrayFrom(page).as("entries"),
    ])
  })
  const { total, entries = [] } = rows[0] ?? {}
  return { total: total ?? 0, entries: entries as LedgerRow[] }
}

/** True for the rows `l` of the ledger that match, of any account. */
export function matchesLedger({ reason, bucket, turn, before_id, created_after, created_before }: LedgerFilters) {
  const eb: ExpressionBuilder<CallerDB & { l: DB["ledger"] }, "l"> = expressionBuilder()
  const all: ExpressionWrapper<CallerDB & { l: DB["ledger"] }, "l", SqlBool>[] = []
  if (reason) all.push(eb("l.reason", "=", reason))
  if (bucket) {
    const { reasons, sign } = BUCKETS[bucket]
    const reported = eb.fn<ReportedReason>("reported_reason", ["l.reason", "l.turn_id"])
    all.push(eb(reported, "in", reasons), eb("l.amount_credit_micros", sign > 0 ? ">" : "<", 0))
  }
  if (turn) all.push(eb("l.turn_id", "=", turn))
  if (before_id !== undefined) all.push(eb("l.ledger_id", "<", before_id))
  if (created_after) all.push(eb("l.created_at", ">=", new Date(created_after)))
  if (created_before) all.push(eb("l.created_at", "<", new Date(created_before)))
  return eb.and(all)
}
