import * as z from "zod"
import { MICROS_PER_ENERGY } from "../base/money.ts"
import { type Range, rangeBetween, startOfUnit } from "../base/report-range.ts"
import type { ReportAsked } from "./brand.ts"
import { procedureRows } from "./procedure-rows.ts"
import { GRANULARITIES, GRANULARITIES_BY_LENGTH } from "./range.ts"

export interface LedgerQuery extends ReportAsked {
  /** Begins with the earliest ledger row. `days`, `start` and `period` are ignored. */
  all_time: boolean
}

/**
 * The end of a report on the ledger, and a query for its start and the size of its buckets (as in
 * `granularityOf`). A report of all time ends tonight at the latest. VALIDATION_FAILED as in `rangeBetween`.
 */
export function ledgerRange(now: Date, { all_time, ...asked }: LedgerQuery) {
  const { from, to }: { from: Date | null; to: Date } = all_time ? allTime(now, asked.end) : rangeBetween(now, asked)
  const [{ upToDays: daily }, { upToDays: weekly }] = GRANULARITIES
  return { to, range: procedureRows("ledger_range", { from, to, daily, weekly }).as("r") }
}

function allTime(now: Date, end: string | undefined): { from: null; to: Date } {
  const tonight = startOfUnit("day", now, 1)
  const to = end === undefined ? tonight : new Date(end)
  return { from: null, to: to < tonight ? to : tonight }
}

/** The range that was read. */
export const rangeRead = (fromAt: string | undefined, to: Date): Range => ({ from: new Date(fromAt ?? to), to })

export const toEnergy = (micros: number) => micros / MICROS_PER_ENERGY

export const granularityByLength = z.enum(GRANULARITIES_BY_LENGTH).meta({
  description: `\`day\` in ranges of up to ${GRANULARITIES[0].upToDays} days, \`week\` up to ${GRANULARITIES[1].upToDays}, else \`month\`. Weeks begin on Monday.`,
  example: "day",
})
