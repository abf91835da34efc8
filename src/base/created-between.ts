import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely"
import { firstIdAt, type IdKind } from "./ids.ts"

export interface CreatedFilters {
  /** Inclusive. */
  created_after?: string | undefined
  /** Exclusive. */
  created_before?: string | undefined
}

/**
 * Conditions on a table's rows by the columns of their ids and of their times. An id begins with the millisecond of its row's
 * created_at: the bound on the id is what the index can use.
 */
export function createdBetween(
  kind: IdKind,
  [id, at]: [id: Expression<string>, at: Expression<Date>],
  { created_after, created_before }: CreatedFilters,
): RawBuilder<SqlBool>[] {
  const where: RawBuilder<SqlBool>[] = []
  if (created_after) {
    where.push(sql`${at} >= ${created_after}::timestamptz`)
    where.push(sql`${id} collate "C" >= ${firstIdAt(kind, new Date(created_after))}`)
  }
  if (created_before) {
    where.push(sql`${at} < ${created_before}::timestamptz`)
    where.push(sql`${id} collate "C" < ${firstIdAt(kind, new Date(created_before))}`)
  }
  return where
}
