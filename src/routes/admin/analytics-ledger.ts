import * as z from "zod"
import { type BalanceTrend, balanceTrendSchema, reportBalanceTrend } from "../../analytics/report-balance-trend.ts"
import {
  type EnergyTimeline,
  energyTimelineSchema,
  reportEnergyTimeline,
} from "../../analytics/report-energy-timeline.ts"
import { ENERGY_RATE } from "../../base/money.ts"
import type { App } from "../../http/app.ts"
import { type CsvColumns, csvOf } from "../../http/csv.ts"
import { booleanParam, wholeParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { reportAnswer, reportQuery, reportTag as tag } from "./report.ts"

const TIMELINE: CsvColumns<EnergyTimeline["items"][number]> = {
  date: ({ date }) => date,
  free: ({ free }) => free,
  bonus: ({ bonus }) => bonus,
  paid: ({ paid }) => paid,
  refunded: ({ refunded }) => refunded,
  spent: ({ spent }) => spent,
  unbucketed: ({ unbucketed }) => unbucketed,
  change: ({ change }) => change,
}

const TREND: CsvColumns<BalanceTrend["items"][number]> = {
  date: ({ date }) => date,
  active_users: ({ active_users }) => active_users,
  average_balance: ({ average_balance }) => average_balance,
  median_balance: ({ median_balance }) => median_balance,
}

const ledgerQuery = {
  ...reportQuery(3650),
  all_time: booleanParam.default(false).meta({
    description:
      "`true`: starts on the day of the earliest ledger entry, and ignores `days`, `start` and `period`. Default: false.",
  }),
}

/** Reports about the ledger over time (docs/contract.md). */
export function mountLedgerAnalytics(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/analytics/energy-timeline",
      id: "getEnergyTimeline",
      tag,
      summary: "Report the ledger of all accounts over time",
      description:
        `All amounts are in energy (${ENERGY_RATE}). Credit that was given is \`free\`, \`bonus\` or \`paid\`, by its reason; \`refunded\` is the ` +
        "credit for refunded turns, and `spent` the amount charged. Commissions are in a currency, so they count nowhere. The charge of a turn counts from its end on, even before it is in the ledger.",
      query: z.strictObject(ledgerQuery),
      answer: reportAnswer("The report.", energyTimelineSchema),
      errors: [],
    },
    async (c, { query: { format, ...asked } }) => {
      const report = await reportEnergyTimeline(c.get("ctx"), sessionOf(c), asked)
      return format === "csv" ? csvOf(c, "energy-timeline", TIMELINE, report.items) : report
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/analytics/balance-trend",
      id: "getBalanceTrend",
      tag,
      summary: "Report balances of active users over time",
      description:
        "The average and the median in energy. Active users are those with a charge in the preceding days. A user's balance is the running " +
        "total of their latest ledger entry at that time.",
      query: z.strictObject({
        ...ledgerQuery,
        active_window_days: wholeParam(1, 90).default(30).meta({
          description: "A user is active if they were charged within this many days before the end of a bucket.",
        }),
      }),
      answer: reportAnswer("The report.", balanceTrendSchema),
      errors: [],
    },
    async (c, { query: { format, ...asked } }) => {
      const report = await reportBalanceTrend(c.get("ctx"), sessionOf(c), asked)
      return format === "csv" ? csvOf(c, "balance-trend", TREND, report.items) : report
    },
  )
}
