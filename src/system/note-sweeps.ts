import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"

export interface SweepRun {
  name: string
  ran_at: string
  duration_ms: number
  ok: boolean
}

/** Stores when each sweep ran. Never throws, because the next run stores it again. */
export async function noteSweeps(ctx: Pick<Context, "db" | "log">, runs: SweepRun[]): Promise<void> {
  await callOne(ctx.db, "note_sweeps", { runs }).catch((error: unknown) => {
    ctx.log("error", "sweeps.note_failed", { error: describeError(error) })
  })
}
