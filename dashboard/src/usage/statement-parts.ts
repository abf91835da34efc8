import type { Statement, UsageReport } from "../api/operations.ts"

/** The groupings of a statement: the query's word, the title of the table, and the word for all groups not listed. */
export const PARTS = [
  { by: "model", title: "By model", rest: "Playground, and models not listed" },
  { by: "end_user_ref", title: "By end user", rest: "Playground, and end users not listed" },
] as const

export type StatementPart = (typeof PARTS)[number] & {
  /** The groups with the largest amounts first. */
  rows: { group: string; turns: number; usd: number }[]
  /** The amount of the receipts that are in no group. */
  restUsd: number
}

/** The query of a grouping over the month of a statement. */
export const queryOfPart = ({ from, to }: Statement, by: (typeof PARTS)[number]["by"] | "day") =>
  ({ from, to, group_by: by, ...(by !== "day" && { sort: "billed" as const }) }) as const

/** Units of the last decimal of a signed amount. They add up exactly, also as numbers. */
const unitsOf = (usd: string | number) => Math.round(Number(usd) * 1e7)

export function partOf(
  part: (typeof PARTS)[number],
  report: UsageReport | undefined,
  { receipts }: Pick<Statement, "receipts">,
): StatementPart | null {
  if (!report) return null
  const rows = report.data.map(({ group, turns, billed_usd }) => ({ group, turns, usd: billed_usd }))
  const listed = rows.reduce((sum, { usd }) => sum + unitsOf(usd), 0)
  return { ...part, rows, restUsd: (unitsOf(receipts.amount_usd) - listed) / 1e7 }
}
