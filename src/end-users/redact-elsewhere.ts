import { type RawBuilder, sql } from "kysely"

/**
 * The CTEs that redact what other rooms keep about the turns of the CTE `redacted` (turn_id), in the statement that redacts
 * them. Whoever adds a table with a turn's texts adds its CTE here; the test of erasure searches every table.
 */
export function redactElsewhere(now: Date): RawBuilder<unknown> {
  return sql`redacted_tasks as (
    update tasks k set title = '', description = null, flow = null, updated_at = ${now}::timestamptz
    from redacted where k.turn_id = redacted.turn_id returning 1
  ), redacted_attempts as (
    update webhook_attempts a set answer = null
    from webhook_deliveries d, redacted
    where d.turn_id = redacted.turn_id and a.delivery_id = d.delivery_id and a.answer is not null
  )`
}
