import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"

export interface SweepRun {
  name: string
  ran_at: string
  duration_ms: number
  ok: boolean
}

/** Notes when each sweep ran, for the status of the system. Never throws: the next run notes it again. */
export async function noteSweeps(ctx: Pick<Context, "db" | "log">, runs: SweepRun[]): Promise<void> {
  await callOne(ctx.db, "note_sweeps", { runs }).catch((error: unknown) => {
    ctx.log("error", "sweeps.note_failed", { error: describeError(error) })
  })
}
