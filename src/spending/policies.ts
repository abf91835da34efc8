/** How the pace of an account's spend is computed (src/spending/pace.ts). */
export const PACE_POLICY = {
  /** The days that are looked at, before today. */
  days: 56,
  /** With fewer days since the first charge there is no forecast. */
  leastDays: 3,
  /** With fewer days, all days of the week count as equal. */
  weekdayDays: 14,
  /** A day this long ago counts half. */
  halfLifeDays: 14,
  /** A day counts as at most this many times the median of the days with charges. */
  highest: 4,
  /** The longest time for which a balance is said to last, in days. */
  longestDays: 365,
} as const

/** Budgets of accounts (src/spending/sweep-budgets.ts). */
export const BUDGET_POLICY = {
  /** The percents that are told if the owner chooses none. */
  usual: [50, 80, 100],
  /** The most percents of a budget, and the highest. */
  mostPercents: 10,
  highestPercent: 200,
  /** The accounts that the sweep looks at together. */
  accounts: 50,
  /** After this time, in milliseconds, a sweep looks at no further accounts. The next one continues. */
  sweepMs: 30_000,
} as const

/** Anomalies of spend (src/spending/unusual.ts). A simulated year chose the numbers of the comparison. */
export const UNUSUAL_POLICY = {
  /** The days before a day that make its pattern. */
  days: 56,
  /** With fewer days with spend there is no pattern. */
  leastDays: 5,
  /** With fewer days of its weekday, all days count as equal. */
  leastWeekdays: 3,
  /** The spend of a day is unusual above this many times the usual one, and this much more, in credit micros. */
  times: 5,
  floor: 500_000,
  /** The most anomalies of an account that begin on one day. */
  mostPerDay: 20,
  /** Time between the starts of two rounds, in milliseconds. */
  everyMs: 600_000,
  /** The turns of a day are rolled up this long after its end, in milliseconds. */
  closedMs: 3_600_000,
  /** After a longer pause of the sweep, in days, the days before are not compared. */
  lateDays: 7,
  /** The accounts and the subjects that one statement looks at. */
  accounts: 500,
  page: 500,
  /** After this time, in milliseconds, a sweep begins no further statement. The next one continues. */
  sweepMs: 20_000,
  /** How long an anomaly is kept, in days, and how many a sweep deletes. */
  keptDays: 400,
  forgotten: 1_000,
} as const
