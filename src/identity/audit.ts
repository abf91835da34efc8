import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"

/** Columns of users, brands and their like that no entry of the audit log may hold, whichever row is noted. */
export const SECRET_COLUMNS = [
  "password_hash",
  "bot_token",
  "bot_webhook_secret",
  "hash",
  "previous_hash",
  "secret",
  "previous_secret",
  "sealed",
] as const

export interface AuditEntry {
  /** What was done, as `user.disable`. */
  action: string
  subject: { type: "user" | "brand" | (string & {}); id: RawBuilder<unknown> }
  /** The acting user_id; null (`sql\`null\``) for the system, such as the command line. */
  actor: RawBuilder<unknown>
  before: RawBuilder<unknown>
  after: RawBuilder<unknown>
  /** The CTE that has made the change, and what else the expressions name: no row of it, no entry. */
  from: RawBuilder<unknown>
}

/**
 * The CTE `audited`: one entry of the audit log for each row of `from`, in the very statement that makes the change, so that
 * neither is there without the other (design section 7). `before` and `after` are objects; give what changed.
 */
export function auditCte(
  ctx: Pick<Context, "clock" | "requestId" | "address">,
  { action, subject, actor, before, after, from }: AuditEntry,
): RawBuilder<unknown> {
  return sql`audited as (
    insert into audit_log (actor_user_id, action, subject_type, subject_id, before, after, request_id, address, created_at)
    select ${actor}::bigint, ${action}, ${subject.type}, (${subject.id})::text, ${noted(before)}, ${noted(after)},
      ${ctx.requestId}, ${ctx.address}, ${ctx.clock.now()}::timestamptz
    from ${from}
  )`
}

/** An object without what is secret. */
const noted = (object: RawBuilder<unknown>) =>
  sql`(${object})::jsonb - array[${sql.join(SECRET_COLUMNS.map((name) => sql`${name}`))}]::text[]`
