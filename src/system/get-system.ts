import { sql } from "kysely"
import * as z from "zod"
import { reconciliationJson } from "../billing/reconcile.ts"
import { type ReconciliationRow, reconciliationSchema, serializeReconciliation } from "../billing/reconciliation-row.ts"
import type { Context } from "../context.ts"
import { queryAs } from "../identity/actor.ts"
import type { SessionCredential } from "../identity/credential.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { toInstant } from "../time.ts"

/** A turn or a delivery that should have been looked at so long ago is overdue: the sweeper comes every minute. */
const OVERDUE_AFTER_MS = 120_000

export const systemSchema = z
  .object({
    database: z.object({
      ok: z.boolean(),
      round_trip_ms: z.number().meta({ description: "Of one short query, just now.", example: 4.2 }),
    }),
    turns: z
      .object({
        queued: z.int().meta({ example: 12 }),
        running: z.int().meta({ example: 31 }),
        overdue: z.int().meta({
          description: "Open turns that should have been looked at more than two minutes ago.",
          example: 0,
        }),
      })
      .meta({ description: "Turns under way, of all accounts." }),
    webhooks: z
      .object({
        pending: z.int().meta({ description: "Deliveries that are neither delivered nor given up.", example: 4 }),
        overdue: z.int().meta({ description: "Of those, due for more than two minutes.", example: 0 }),
      })
      .meta({ description: "The backlog of all endpoints." }),
    sweeps: z
      .array(
        z.object({
          name: z.string().meta({ example: "turns" }),
          ran_at: z.iso.datetime(),
          duration_ms: z.int(),
          ok: z.boolean(),
          succeeded_at: z.iso.datetime().nullable(),
        }),
      )
      .meta({ description: "The last run of each job of the sweeper, which runs every minute." }),
    reconciliation: reconciliationSchema.nullable().meta({
      description: "The last pass over the books that has finished, with what it found; null before the first one.",
    }),
    reconciliation_running: reconciliationSchema
      .nullable()
      .meta({ description: "The one that is going on, if one is." }),
  })
  .meta({ id: "System" })

type System = z.infer<typeof systemSchema>

interface SystemRow {
  queued: number
  running: number
  overdue: number
  deliveries: number
  late_deliveries: number
  sweeps: JsonRow<"sweeps">[]
  passes: ReconciliationRow[]
}

/** How the service does, for admins. ADMIN_REQUIRED for others. */
export async function getSystem(ctx: Context, credential: SessionCredential): Promise<System> {
  const late = new Date(ctx.clock.now().getTime() - OVERDUE_AFTER_MS)
  const { row } = await queryAs<SystemRow>(ctx, credential, {
    role: "admin",
    select: sql`select open.*, hooks.*,
        coalesce((select jsonb_agg(to_jsonb(s) order by s.name) from sweeps s), '[]') as sweeps,
        coalesce((select jsonb_agg(${reconciliationJson}) from (
          (select * from reconciliations where finished_at is null)
          union all (select * from reconciliations where finished_at is not null order by started_at desc limit 1)
        ) r), '[]') as passes
      from caller, (
        select count(*) filter (where state = 'queued') as queued, count(*) filter (where state = 'running') as running,
          count(*) filter (where wake_at <= ${late}::timestamptz) as overdue
        from turns where state in ('queued', 'running')
      ) open, (
        select count(*) as deliveries, count(*) filter (where next_attempt_at <= ${late}::timestamptz) as late_deliveries
        from webhook_deliveries where state = 'pending'
      ) hooks`,
  })
  const started = performance.now()
  await sql`select 1`.execute(ctx.db)
  const trip = performance.now() - started
  const pass = (finished: boolean) => {
    const found = row.passes.find(({ finished_at }) => (finished_at !== null) === finished)
    return found ? serializeReconciliation(found) : null
  }
  return {
    database: { ok: true, round_trip_ms: Math.round(trip * 10) / 10 },
    turns: { queued: row.queued, running: row.running, overdue: row.overdue },
    webhooks: { pending: row.deliveries, overdue: row.late_deliveries },
    sweeps: row.sweeps.map(({ ran_at, succeeded_at, ...sweep }) => {
      return { ...sweep, ran_at: toInstant(ran_at), succeeded_at: toInstant(succeeded_at) }
    }),
    reconciliation: pass(true),
    reconciliation_running: pass(false),
  }
}
