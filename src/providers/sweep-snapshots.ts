import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import { PROVIDER_POLICY } from "./policies.ts"

/** Deletes snapshots that are too old for any report, and thins older ones to one per window and hour. */
export async function sweepSnapshots(ctx: Context): Promise<{ deleted: number }> {
  const { keepSnapshotsMs, thinSnapshotsMs, thinHours, deleteBatch } = PROVIDER_POLICY
  const before = (ms: number) => new Date(ctx.clock.now().getTime() - ms)
  const { thin_snapshots } = await callOne(ctx.db, "thin_snapshots", {
    keep_from: before(keepSnapshotsMs),
    thin_before: before(thinSnapshotsMs),
    hours: thinHours,
    limit: deleteBatch,
  })
  return { deleted: thin_snapshots ?? 0 }
}
