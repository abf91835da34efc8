import { sql } from "kysely"
import type { Context } from "../context.ts"
import { describeError } from "../platform/log.ts"

export interface SweepRun {
  name: string
  ran_at: string
  duration_ms: number
  ok: boolean
}

/** Notes when each sweep ran, for the status of the system. Never throws: the next run notes it again. */
export async function noteSweeps(ctx: Pick<Context, "db" | "log">, runs: SweepRun[]): Promise<void> {
  const noted = sql`insert into sweeps as s (name, ran_at, duration_ms, ok, succeeded_at)
    select name, ran_at, duration_ms, ok, case when ok then ran_at end
    from jsonb_to_recordset(${JSON.stringify(runs)}::jsonb) as r (name text, ran_at timestamptz, duration_ms integer, ok boolean)
    order by name
    on conflict (name) do update set ran_at = excluded.ran_at, duration_ms = excluded.duration_ms, ok = excluded.ok,
      succeeded_at = coalesce(excluded.succeeded_at, s.succeeded_at)`
  await noted.execute(ctx.db).catch((error: unknown) => {
    ctx.log("error", "sweeps.note_failed", { error: describeError(error) })
  })
}
