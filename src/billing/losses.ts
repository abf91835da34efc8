import type { Context, SystemContext } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"

/** Why no account pays the cost of a model call. */
export const LOSS_CAUSES = {
  over_hold: "The provider counted more tokens than the worst case that the hold covered.",
  engine_lost: "Workers lost the turn several times, so the whole turn is free.",
  worker_lost: "A worker stopped before its commit. The cost of its calls is not known.",
  uncommitted: "The database did not answer until the retries of the commit ended.",
  stale: "A response arrived after the worker had lost its claim on the turn.",
  unfinished: "The provider's response broke off or stalled before it had any output that an account can see.",
  worker_time: "A model exceeded the time limit of a worker before it produced any output.",
} as const

export type LossCause = keyof typeof LOSS_CAUSES

/**
 * Records a worker's lost call. Never throws: if this fails, the turn continues
 * and the error is logged. `micros`: the cost at the catalog's price.
 */
export async function noteLoss(
  ctx: Context,
  { turn_id, epoch, test }: { turn_id: string; epoch: number; test: boolean },
  { step, cause, micros }: { step: number; cause: LossCause; micros: number },
): Promise<void> {
  if (test || micros === 0) return
  ctx.log("error", "model.lost", { turn_id, step, cause, credit_micros: micros })
  await call(ctx.db, "note_loss", { turn_id, epoch, step, cause, micros, moment: ctx.clock.now() }).catch(
    (error: unknown) => ctx.log("error", "model.loss_unnoted", { turn_id, error: describeError(error) }),
  )
}

/** Records a lost picture, unless its file was committed after all. `fileId`: null if the picture has no file. */
export async function noteLostPicture(
  ctx: Context,
  { turn_id, test }: { turn_id: string; test: boolean },
  { fileId, cause, micros }: { fileId: string | null; cause: LossCause; micros: number },
): Promise<void> {
  if (test || micros === 0) return
  ctx.log("error", "picture.lost", { turn_id, cause, credit_micros: micros })
  const args = { turn_id, file_id: fileId, cause, micros, moment: ctx.clock.now() }
  await call(ctx.db, "note_lost_picture", args).catch((error: unknown) =>
    ctx.log("error", "picture.loss_unnoted", { turn_id, error: describeError(error) }),
  )
}

/**
 * Returns the losses of the last `days` by day (UTC) and
 * cause: the number of calls, and USD at the catalog's prices.
 */
export async function reportLosses({ db, clock }: SystemContext, days: number) {
  const since = new Date(clock.now().getTime() - days * 86_400_000)
  const rows = await db
    .selectFrom("losses as l")
    .where("l.created_at", ">=", since)
    .select((eb) => [
      eb.fn<string>("to_char", [eb.fn("timezone", [eb.val("UTC"), "l.created_at"]), eb.val("YYYY-MM-DD")]).as("day"),
      "l.cause",
      eb.fn.countAll<number>().as("calls"),
      eb.fn.sum<number | null>("l.credit_micros").as("micros"),
    ])
    .groupBy(["day", "l.cause"])
    .orderBy("day", "desc")
    .orderBy("l.cause")
    .execute()
  return rows.map(({ day, cause, calls, micros }) => {
    return {
      day,
      cause,
      calls: Number(calls),
      usd: toUsd(Number(micros ?? 0)),
      meaning: LOSS_CAUSES[cause as LossCause],
    }
  })
}
