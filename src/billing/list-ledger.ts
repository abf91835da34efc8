import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { BUCKETS, type Bucket, type LedgerReason } from "./buckets.ts"
import type { LedgerRow } from "./ledger-entry.ts"

export interface LedgerFilters {
  reason?: LedgerReason | undefined
  bucket?: Bucket | undefined
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
  if (filters.bucket) where.push(inBucket(filters.bucket))
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

function inBucket(name: Bucket): RawBuilder<unknown> {
  const { reasons, sign } = BUCKETS[name]
  return sql`l.reason in (${sql.join([...reasons])}) and sign(l.amount_credit_micros) = ${sign}::integer`
}
