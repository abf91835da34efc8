import type { Context } from "../actor/context.ts"
import { storedRows } from "../base/casts.ts"
import { inParallel } from "../base/in-parallel.ts"
import { toUsd } from "../base/money.ts"
import { startOfUnit } from "../base/report-range.ts"
import { call, callOne } from "../platform/db.ts"
import { sendEmail } from "../platform/email-hook.ts"
import { describeError } from "../platform/log.ts"
import type { Answers } from "../platform/procedures.ts"
import { FORECAST } from "./budget.ts"
import { dateOfDay, expectedOfMonth, firstDayOf, monthOutlook } from "./outlook.ts"
import { BUDGET_POLICY } from "./policies.ts"

/** A row of due_budgets(). */
interface DueBudget {
  user_id: number
  amount: number
  percents: number[]
  forecast: boolean
  days: Answers["spent_day"][]
  daily_cap: number | null
  ledger_id: number
  is_first: boolean
}

interface Standing {
  amount: number
  percents: readonly number[]
  forecast: boolean
  spent: number
  expected: number | null
}

/** The alerts that a budget has reached. A forecast says nothing new once the budget is spent. */
export const reachedAlerts = ({ amount, percents, forecast, spent, expected }: Standing): string[] => [
  ...percents.filter((percent) => spent * 100 >= amount * percent).map(String),
  ...(forecast && expected !== null && expected > amount && spent < amount ? [FORECAST] : []),
]

/** Tells owners of budgets which parts were spent since the last look. One that fails does not stop the others. */
export async function sweepBudgets(ctx: Context): Promise<{ looked: number; told: number; failed: number }> {
  const swept = { looked: 0, told: 0, failed: 0 }
  const now = ctx.clock.now()
  const isOver = () => ctx.clock.now().getTime() > now.getTime() + BUDGET_POLICY.sweepMs
  for (let after = 0; !isOver(); ) {
    const limit = BUDGET_POLICY.accounts
    const args = { from: dateOfDay(firstDayOf(now)), after, limit, moment: now }
    const page = storedRows<DueBudget>(await call(ctx.db, "due_budgets", args))
    await inParallel(page, async (due) => {
      try {
        swept.told += await look(ctx, due, now)
        swept.looked++
      } catch (error) {
        swept.failed++
        ctx.log("error", "budgets.failed", { user_id: due.user_id, error: describeError(error) })
      }
    })
    after = page.at(-1)?.user_id ?? after
    if (page.length < limit) break
  }
  return swept
}

/** Looks at this month, and first at what the last one still spent. Returns how many alerts were told. */
async function look(ctx: Context, due: DueBudget, now: Date): Promise<number> {
  const { days, daily_cap: dailyCap } = due
  let told = 0
  if (due.is_first) {
    const endOfLast = new Date(startOfUnit("month", now).getTime() - 1)
    const { spent } = monthOutlook(days, { now: endOfLast, dailyCap })
    told += await tell(ctx, { ...due, spent, expected: null, ledger_id: 0 }, { at: endOfLast, now })
  }
  const month = monthOutlook(days, { now, dailyCap })
  const standing = { ...due, spent: month.spent, expected: expectedOfMonth(month, now) }
  return told + (await tell(ctx, standing, { at: now, now }))
}

/** Tells the alerts of the month of `at`. Returns how many. */
async function tell(ctx: Context, due: DueBudget & Standing, { at, now }: { at: Date; now: Date }): Promise<number> {
  const { user_id, amount, spent, expected, ledger_id } = due
  const month = at.toISOString().slice(0, 7)
  const { told, account } = await callOne(ctx.db, "tell_budget", {
    user_id,
    amount,
    month: `${month}-01`,
    alerts: reachedAlerts(due),
    spent,
    expected,
    ledger_id,
    moment: now,
  })
  if (!told || !account) return 0
  for (const alert of told) {
    const data = {
      alert: alert === FORECAST ? FORECAST : "spent",
      percent: alert === FORECAST ? null : Number(alert),
      month,
      budget_usd: toUsd(amount),
      spent_usd: toUsd(spent),
      expected_usd: expected === null ? null : toUsd(expected),
    }
    sendEmail(ctx, { kind: "budget_reached", to: account.email, brand: account.brand, data })
  }
  return told.length
}
