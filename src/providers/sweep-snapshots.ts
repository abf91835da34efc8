import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import { PROVIDER_POLICY } from "./policies.ts"

/** Deletes snapshots that are too old for any report, and thins older ones to one per window and hour. */
export async function sweepSnapshots(ctx: Context): Promise<{ deleted: number }> {
  const { thinSnapshotsMs, thinHours, deleteBatch } = PROVIDER_POLICY
  const moment = ctx.clock.now()
  const { thin_snapshots } = await callOne(ctx.db, "thin_snapshots", {
    thin_before: new Date(moment.getTime() - thinSnapshotsMs),
    hours: thinHours,
    limit: deleteBatch,
    moment,
  })
  return { deleted: thin_snapshots ?? 0 }
}
