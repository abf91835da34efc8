import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { UsageReport } from "../api/operations.ts"
import { queryOf } from "../api/query.ts"
import { getUsageQuery } from "../api/rules.ts"
import { utcDay } from "../ui/days.ts"
import { type Chosen, periodBefore } from "./period-before.ts"
import type { UsageGroupBy, usageQueryOf } from "./usage-search.ts"

/** The amounts of the period before a report. All but `billed` are less refunds. */
export interface Previous {
  total: number
  of(group: string, kind: string): number
  billed(group: string, kind: string): number
}

/** The groupings whose groups can be named as a filter, so that the period before is read only for the shown groups. */
const FILTERS: readonly string[] = ["end_user_ref", "space", "model", "key"] satisfies UsageGroupBy[]

/** Reads the period before a report. Undefined while it loads. */
export function usePrevious(
  report: UsageReport | undefined,
  query: Omit<ReturnType<typeof usageQueryOf>, "from" | "to">,
  chosen: Chosen = {},
): Previous | undefined {
  const period = report && periodBefore(report, chosen, Date.now())
  const enabled = period?.isOver === true
  const by = report?.group_by ?? "day"
  const values = report?.data.filter(({ kind }) => kind === "value").map(({ group }) => group) ?? []
  const isPart = FILTERS.includes(by) && values.length > 0
  const shown = isPart ? { [by]: values } : {}
  const input = { ...query, ...period?.range }
  const groups = useQuery({
    ...queryOf("getUsage", {
      query: { ...input, ...shown, group_by: by, sort: "billed", limit: getUsageQuery.limit.maximum },
    }),
    enabled,
    placeholderData: keepPreviousData,
  })
  // The total of some groups is not the total of the period.
  const all = useQuery({ ...queryOf("getUsage", { query: { ...input, limit: 1 } }), enabled: enabled && isPart })
  const whole = isPart ? all.data : groups.isPlaceholderData ? undefined : groups.data
  if (!groups.data || !whole || !period) return undefined
  const rows = new Map(groups.data.data.map((row) => [`${row.kind} ${row.group}`, row]))
  const before = (group: string, kind: string) =>
    rows.get(`${kind} ${by === "day" ? utcDay(Date.parse(group) - period.distance) : group}`)
  return {
    total: whole.total.net_usd,
    of: (group, kind) => before(group, kind)?.net_usd ?? 0,
    billed: (group, kind) => before(group, kind)?.billed_usd ?? 0,
  }
}
