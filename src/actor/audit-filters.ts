import { type Expression, expressionBuilder, type SqlBool } from "kysely"
import type { DB } from "../platform/db-types.ts"

/** Filters of entries of the audit log, for its readers: operators, and owners of what was changed. */
export interface AuditFilters {
  action?: string | undefined
  subject_type?: string | undefined
  subject_id?: string | undefined
  /** Inclusive. */
  created_after?: string | undefined
  /** Exclusive. */
  created_before?: string | undefined
  /** Only entries with a smaller id. */
  before_id?: number | undefined
}

/** The conditions on the table `a` of these filters. */
export function auditConditions(filters: AuditFilters): Expression<SqlBool>[] {
  const eb = expressionBuilder<{ a: DB["audit_log"] }, "a">()
  const { action, subject_type, subject_id, created_after, created_before, before_id } = filters
  return [
    ...(action === undefined ? [] : [eb("a.action", "=", action)]),
    ...(subject_type === undefined ? [] : [eb("a.subject_type", "=", subject_type)]),
    ...(subject_id === undefined ? [] : [eb("a.subject_id", "=", subject_id)]),
    ...(created_after === undefined ? [] : [eb("a.created_at", ">=", new Date(created_after))]),
    ...(created_before === undefined ? [] : [eb("a.created_at", "<", new Date(created_before))]),
    ...(before_id === undefined ? [] : [eb("a.audit_id", "<", before_id)]),
  ]
}
