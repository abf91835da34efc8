import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely"
import type { DB } from "../platform/db-types.ts"

/** The columns of a space `s` without its configuration. */
export const SUMMARY_COLUMNS = [
  "s.space_id",
  "s.slug",
  "s.user_id",
  "s.created_by_key_id",
  "s.test",
  "s.origin",
  "s.brand",
  "s.title",
  "s.model",
  "s.metadata",
  "s.config_version",
  "s.config_change",
  "s.archived_at",
  "s.ending_turns",
  "s.created_at",
  "s.updated_at",
] as const

/** That the title of a space `s` holds `part`, in any case. */
export function titleHolds(part: string): Expression<SqlBool> {
  const { ref } = expressionBuilder<{ s: DB["spaces"] }, "s">()
  return sql`position(lower(${part}::text) in lower(${ref("s.title")})) > 0`
}
