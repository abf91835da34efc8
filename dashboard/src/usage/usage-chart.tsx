import type { UsageReport } from "../api/operations.ts"
import { Chart } from "../ui/chart.tsx"
import { everyDay } from "../ui/days.ts"
import { filterOfGroup, type GroupFilters } from "./usage-search.ts"
import type { Previous } from "./use-previous.ts"
import { groupWords, kindWords, type UsageNames } from "./use-usage-names.ts"

const TOP = 12
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"))

interface UsageChartProps {
  report: UsageReport
  /** The amounts of the period before. Undefined while it loads. */
  previous: Previous | undefined
  names: UsageNames
  /** Without it, bars do nothing. */
  onFilter?: (filters: GroupFilters) => void
}

/**
 * The billed amounts, by day or hour with the period before as a dotted line, or of the largest groups. A click on a
 * bar shows only its group.
 */
export function UsageChart({ report, previous, names, onFilter }: UsageChartProps) {
  const { group_by, data, from, to, has_more } = report
  const series = [{ key: "billed", label: "Billed" }]
  if (group_by === "day" || group_by === "hour") {
    const billed = new Map(data.map(({ group, billed_usd }) => [group, billed_usd]))
    const days = () => (has_more ? data.map(({ group }) => group).sort() : everyDay(from, to))
    const times = group_by === "hour" ? HOURS : days()
    return (
      <Chart
        title={`Billed by ${group_by}, USD (UTC)`}
        kind="bars"
        series={series}
        {...(previous && { guides: [{ key: "before", label: "Period before", of: "billed" }] })}
        points={times.map((time) => ({
          label: groupWords(group_by, time, names),
          values: { billed: billed.get(time) ?? 0, before: previous?.billed(time, "value") ?? null },
        }))}
        {...(onFilter &&
          group_by === "day" && { onPick: (place) => onFilter(filterOfGroup(group_by, times[place] ?? "") ?? {}) })}
        unit="usd"
      />
    )
  }
  // A single bar would only repeat the total above it.
  if (data.length < 2) return null
  const largest = [...data].sort((a, b) => b.billed_usd - a.billed_usd).slice(0, TOP)
  const onPick = (place: number) => {
    const { group, kind } = largest[place] ?? {}
    const filters = kind === "value" && group !== undefined && filterOfGroup(group_by, group)
    if (filters) onFilter?.(filters)
  }
  const isFilter = onFilter && data.some(({ group }) => filterOfGroup(group_by, group))
  return (
    <Chart
      title={`Billed, USD: the largest ${largest.length}${has_more ? " of this page" : ""}`}
      kind="bars"
      series={series}
      points={largest.map(({ group, kind, billed_usd }) => ({
        label: kind === "value" ? groupWords(group_by, group, names) : kindWords(kind),
        values: { billed: billed_usd },
      }))}
      {...(isFilter && { onPick })}
      unit="usd"
    />
  )
}
