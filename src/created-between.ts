import { type RawBuilder, sql } from "kysely"
import { firstIdAt, type IdKind } from "./platform/ids.ts"

export interface CreatedFilters {
  /** Inclusive. */
  created_after?: string | undefined
  /** Exclusive. */
  created_before?: string | undefined
}

/**
 * Conditions on a table's rows with the id `alias.column`. An id begins with the millisecond of its row's created_at: the
 * bound on the id is what the index can use.
 */
export function createdBetween(
  kind: IdKind,
  [alias, column]: [alias: string, column: string],
  { created_after, created_before }: CreatedFilters,
): RawBuilder<unknown>[] {
  const id = sql`${sql.ref(`${alias}.${column}`)} collate "C"`
  const at = sql.ref(`${alias}.created_at`)
  const where: RawBuilder<unknown>[] = []
  if (created_after) {
    where.push(sql`${at} >= ${created_after}::timestamptz`, sql`${id} >= ${firstIdAt(kind, new Date(created_after))}`)
  }
  if (created_before) {
    where.push(sql`${at} < ${created_before}::timestamptz`, sql`${id} < ${firstIdAt(kind, new Date(created_before))}`)
  }
  return where
}
