import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"
import { startOfUnit } from "../base/report-range.ts"
import { dateOfDay } from "./outlook.ts"
import { dayNumber } from "./pace.ts"

/** The budget of the caller's account and its spend of this month, without a forecast. Null: it has no budget. */
export async function getBudgetSpend(
  ctx: Context,
  credential: SessionCredential,
): Promise<{ amount_usd: number; spent_usd: number } | null> {
  const from = dateOfDay(dayNumber(startOfUnit("month", ctx.clock.now())))
  const { row } = await callAs(ctx, credential, "get_budget_spend", { from })
  return row.amount === null ? null : { amount_usd: toUsd(row.amount), spent_usd: toUsd(row.spent ?? 0) }
}
