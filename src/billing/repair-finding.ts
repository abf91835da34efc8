import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import type { FindingKind, FindingRow } from "./reconciliation-row.ts"

type Repair = (finding: FindingRow, now: Date) => RawBuilder<unknown>

/** What is repaired without asking anybody: a row `(done boolean)`. No amount that somebody paid or was charged is changed. */
const REPAIRS: Partial<Record<FindingKind, Repair>> = {
  held: ({ user_id }) => sql`select repair_held(${user_id}::bigint)`,
  failure_charged: (
    { turn_id },
    now,
  ) => sql`select r.entry is not null from turns t, lateral refund_turn(t.turn_id, 'system',
    'Refunded by itself: the turn failed with ' || t.error_code || ', which is our failure.', ${now}::timestamptz) r
    where t.turn_id = ${turn_id}`,
  orphaned_turn: ({ turn_id }, now) => sql`update turns set wake_at = ${now}::timestamptz
    where turn_id = ${turn_id} and state in ('queued', 'running') returning true`,
  counter_spent: counter,
  counter_reserved: counter,
  counter_missing: counter,
}

function counter({ user_id, counter }: FindingRow): RawBuilder<unknown> {
  return sql`select repair_counter(${user_id}::bigint, ${counter?.kind}::text, ${counter?.subject}::text,
    ${counter?.period}::text, ${counter?.starts_at}::timestamptz)`
}

/** Repairs a finding if that can be done, and notes it, in one statement. Whether it was. */
export async function repairFinding(ctx: Pick<Context, "db" | "clock">, finding: FindingRow): Promise<boolean> {
  const now = ctx.clock.now()
  const repair = REPAIRS[finding.kind]?.(finding, now)
  if (!repair) return false
  const { rows } = await sql`with repair (done) as (${repair}), noted as (
      update reconciliation_findings f set repaired_at = ${now}::timestamptz from repair
      where f.finding_id = ${finding.finding_id}::bigint and repair.done returning 1
    ) select 1 from noted`.execute(ctx.db)
  return rows.length > 0
}
