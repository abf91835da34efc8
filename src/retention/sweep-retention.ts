import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { describeError } from "../platform/log.ts"
import { RETENTION_POLICY } from "./policies.ts"

type Mark = JsonRow<"retention_marks">
type SweepContext = Pick<Context, "db" | "clock" | "files" | "log">

/**
 * Deletes data whose time to be kept is over, in small batches. A mark that fails comes after all others. `looked`
 * counts turns and rows without a turn, once for each kind of data.
 */
export async function sweepRetention(
  ctx: SweepContext,
): Promise<{ looked: number; deleted: number; objects: number; failed: number }> {
  const swept = { looked: 0, deleted: 0, objects: 0, failed: 0 }
  const until = ctx.clock.now().getTime() + RETENTION_POLICY.runMs
  const hasTime = () => ctx.clock.now().getTime() < until
  while (hasTime()) {
    const mark = await takeMark(ctx)
    if (!mark) break
    try {
      for (let full = true; full && hasTime(); ) {
        const { looked, deleted } = await forgetBatch(ctx, mark)
        swept.looked += looked
        swept.deleted += deleted
        full = looked >= RETENTION_POLICY.batch
      }
    } catch (error) {
      swept.failed++
      const { space_id, data } = mark
      ctx.log("error", "retention.failed", { space_id, data, error: describeError(error) })
    }
  }
  try {
    for (let full = true; full && hasTime(); ) {
      const looked = await forgetLeft(ctx)
      swept.looked += looked
      full = looked >= RETENTION_POLICY.batch
    }
  } catch (error) {
    swept.failed++
    ctx.log("error", "retention.left_failed", { error: describeError(error) })
  }
  swept.objects = await removeObjects(ctx)
  if (swept.failed > 0) throw new Error(`${swept.failed} parts failed`)
  return swept
}

async function takeMark(ctx: SweepContext): Promise<Mark | null> {
  const moment = ctx.clock.now()
  const again = new Date(moment.getTime() + RETENTION_POLICY.againMs)
  const { take_retention: taken } = await callOne(ctx.db, "take_retention", { again, moment })
  return taken && taken.space_id !== null ? taken : null
}

async function forgetBatch(ctx: SweepContext, { space_id, data }: Mark): Promise<{ looked: number; deleted: number }> {
  const moment = ctx.clock.now()
  const limit = RETENTION_POLICY.batch
  if (data === "account") {
    const next = new Date(moment.getTime() + RETENTION_POLICY.accountPauseMs)
    const { forget_account_data: most } = await callOne(ctx.db, "forget_account_data", { limit, next, moment })
    return { looked: most ?? 0, deleted: most ?? 0 }
  }
  const next = new Date(moment.getTime() + RETENTION_POLICY.pauseMs)
  const { looked, deleted } = await callOne(ctx.db, "forget_turns", { space_id, data, limit, next, moment })
  return { looked: looked ?? 0, deleted: deleted ?? 0 }
}

async function forgetLeft(ctx: SweepContext): Promise<number> {
  const { forget_left } = await callOne(ctx.db, "forget_left", {
    limit: RETENTION_POLICY.batch,
    moment: ctx.clock.now(),
  })
  return forget_left ?? 0
}

/** Removes images of deleted steps from the bucket. A key is forgotten only after its object is gone. */
async function removeObjects(ctx: SweepContext): Promise<number> {
  const rows = await ctx.db.selectFrom("deleted_objects").select("object_key").limit(RETENTION_POLICY.objects).execute()
  if (rows.length === 0) return 0
  const keys = rows.map((row) => row.object_key)
  await ctx.files.delete(keys)
  await callOne(ctx.db, "note_removed_objects", { keys })
  return keys.length
}
