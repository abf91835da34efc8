import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import { ANALYTICS_POLICY } from "./policies.ts"

type Rolling = Pick<Context, "db" | "clock">

/**
 * Moves ended turns and ledger rows from their queues into rollups and
 * totals. Then makes the sums of whole months and the balances of whole days.
 */
export async function sweepAnalytics(
  ctx: Rolling,
): Promise<{ usage: number; ledger: number; marks: number; days: number }> {
  const until = ctx.clock.now().getTime() + ANALYTICS_POLICY.runMs
  const [usage, ledger] = [await roll(ctx, "roll_turns", until), await roll(ctx, "roll_ledger", until)]
  // While many rows are queued, a sum or a day that is made now would have to be changed again.
  const marks = usage.isEmpty ? await repeat(ctx, until, () => markUsage(ctx)) : 0
  const days = ledger.isEmpty ? await repeat(ctx, until, () => closeBalances(ctx)) : 0
  return { usage: usage.rows, ledger: ledger.rows, marks, days }
}

async function roll(ctx: Rolling, name: "roll_turns" | "roll_ledger", until: number) {
  const limit = ANALYTICS_POLICY.rollBatch
  let rows = 0
  for (let batch = 0; batch < ANALYTICS_POLICY.rollBatches && ctx.clock.now().getTime() < until; batch++) {
    const answer: { roll_turns?: number | null; roll_ledger?: number | null } = await callOne(ctx.db, name, { limit })
    const moved = answer[name] ?? 0
    rows += moved
    if (moved < limit) return { rows, isEmpty: true }
  }
  return { rows, isEmpty: false }
}

async function repeat(ctx: Rolling, until: number, make: () => Promise<boolean>): Promise<number> {
  let made = 0
  while (ctx.clock.now().getTime() < until && (await make())) made++
  return made
}

async function markUsage(ctx: Rolling): Promise<boolean> {
  const { mark_usage } = await callOne(ctx.db, "mark_usage", { moment: ctx.clock.now() })
  return mark_usage === true
}

async function closeBalances(ctx: Rolling): Promise<boolean> {
  const moment = new Date(ctx.clock.now().getTime() - ANALYTICS_POLICY.closeAfterMs)
  const { close_balances } = await callOne(ctx.db, "close_balances", { moment, most: ANALYTICS_POLICY.mostWindowDays })
  return close_balances === true
}
