import type { Context } from "../actor/context.ts"
import { endTurns } from "../ending/end-turns.ts"
import { deleteKeys, keysBelow } from "../platform/bucket.ts"
import { call, callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import type { OpenErasure } from "./get-erasure.ts"
import { ERASURE_POLICY } from "./policies.ts"

/**
 * Runs up to `rounds` of each step of an erasure: cancels open turns, redacts ended turns, removes objects, and records
 * completion. Every step can be repeated, and the sweeper continues after a failure.
 */
export async function runErasure(ctx: Context, erasure: OpenErasure, { rounds }: { rounds: number }): Promise<void> {
  await endTurns(ctx, causeOf(erasure), { batches: rounds })
  await repeat(rounds, async () => (await redactTurns(ctx, erasure)) > 0)
  await repeat(rounds, async () => (await removeErasedObjects(ctx, erasure)) === ERASURE_POLICY.objectsPerRound)
  await callOne(ctx.db, "note_erased", { erasure_id: erasure.erasure_id, moment: ctx.clock.now() })
}

const causeOf = ({ user_id, test, end_user_ref, until_at }: OpenErasure) =>
  ({
    cause: "end_user",
    userId: user_id,
    test,
    endUserRef: end_user_ref,
    until: new Date(until_at),
  }) as const

/**
 * Searches a second time for data that a lost worker may have written after the first search, and then closes the
 * erasure.
 */
async function checkErasure(ctx: Context, erasure: OpenErasure): Promise<void> {
  const { erasure_id } = erasure
  await callOne(ctx.db, "reopen_objects", { erasure_id })
  await runErasure(ctx, erasure, { rounds: ERASURE_POLICY.roundsOfSweep })
  await callOne(ctx.db, "close_erasure", { erasure_id, moment: ctx.clock.now() })
}

async function repeat(rounds: number, work: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < rounds; round++) if (!(await work())) return
}

/** Redacts a batch of ended turns with all their data. Returns the number of turns. */
async function redactTurns(ctx: Context, { erasure_id }: OpenErasure): Promise<number> {
  const { redact_turns: turns } = await callOne(ctx.db, "redact_turns", {
    erasure_id,
    most_turns: ERASURE_POLICY.turnsPerStatement,
    most_events: ERASURE_POLICY.eventsPerStatement,
    moment: ctx.clock.now(),
  })
  return turns ?? 0
}

/** Removes a batch of an erasure's objects from the bucket: single objects, and all objects below a turn's prefix. */
async function removeErasedObjects(ctx: Context, { erasure_id }: OpenErasure): Promise<number> {
  const rows = await ctx.db
    .selectFrom("erased_objects")
    .where("erasure_id", "=", erasure_id)
    .where("removed_at", "is", null)
    .select("object_key")
    .limit(ERASURE_POLICY.objectsPerRound)
    .execute()
  if (rows.length === 0) return 0
  const keys = rows.map((row) => row.object_key)
  const keysFound = await Promise.all(keys.map((key) => (key.endsWith("/") ? keysBelow(ctx.files, key) : [key])))
  await deleteKeys(ctx.files, keysFound.flat())
  await callOne(ctx.db, "note_objects_removed", { erasure_id, keys, moment: ctx.clock.now() })
  return rows.length
}

/** Continues incomplete erasures. An erasure that fails comes after the others in the next run. */
export async function sweepErasures(ctx: Context): Promise<{ tried: number; failed: number }> {
  const now = ctx.clock.now()
  const taken = await call(ctx.db, "take_erasures", {
    settled: new Date(now.getTime() - ERASURE_POLICY.checkAfterMs),
    limit: ERASURE_POLICY.sweepBatch,
    moment: now,
  })
  let failed = 0
  for (const { erasure } of taken) {
    if (!erasure) continue
    try {
      if (erasure.erased_at === null) await runErasure(ctx, erasure, { rounds: ERASURE_POLICY.roundsOfSweep })
      else await checkErasure(ctx, erasure)
    } catch (error) {
      failed++
      ctx.log("error", "erasure.failed", { erasure_id: erasure.erasure_id, error: describeError(error) })
    }
  }
  return { tried: taken.length, failed }
}
