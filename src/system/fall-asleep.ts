import type { Context } from "../actor/context.ts"
import { SLEEP_POLICY } from "../platform/cron-state.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import type { ArgumentsOf } from "../platform/procedures.ts"
import { getHealth } from "./get-health.ts"

/** The times of the sweeps' policies that decide when their work is due. */
export type DueTimes = ArgumentsOf<"due_work">

/**
 * Lets the cron sleep until the first moment at which a sweep has work, if that is far enough away and every check of
 * the service's health passes. Call it after a quiet run in which nothing failed. Never throws: a cron that stays
 * awake loses nothing.
 */
export async function fallAsleep(ctx: Context, times: DueTimes, health = () => getHealth(ctx)): Promise<void> {
  const { cron } = ctx
  if (!cron) return
  try {
    if ((await health()).status !== "ok") return
    const looked = ctx.clock.now()
    const first = await firstDue(ctx, times)
    const until = Math.min(first?.at.getTime() ?? Number.POSITIVE_INFINITY, looked.getTime() + SLEEP_POLICY.longestMs)
    if (until - looked.getTime() < SLEEP_POLICY.shortestMs) return
    if (!(await cron.sleep({ looked, until: new Date(until) }))) return
    ctx.log("info", "cron.asleep", { until: new Date(until).toISOString(), sweep: first?.sweep ?? null })
  } catch (error) {
    ctx.log("error", "cron.sleep_failed", { error: describeError(error) })
  }
}

/** The sweep that has work first, and when; null if none has. */
async function firstDue({ db }: Pick<Context, "db">, times: DueTimes): Promise<{ sweep: string; at: Date } | null> {
  const due = await call<"due_work", { sweep: string; at: Date | null }>(db, "due_work", times)
  let first: { sweep: string; at: Date } | null = null
  for (const { sweep, at } of due) if (at && (first === null || at < first.at)) first = { sweep, at }
  return first
}
