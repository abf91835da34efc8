import type { UsageReport } from "../api/operations.ts"
import { Chart } from "../ui/chart.tsx"
import { everyDay } from "../ui/days.ts"
import { groupWords, kindWords, type UsageNames } from "./use-usage-names.ts"

const TOP = 12

interface UsageChartProps {
  report: UsageReport
  /** The amounts of the period before. Undefined while it loads. */
  previous: Previous | undefined
  names: UsageNames
  /** Without it, bars do nothing. */
  onFilter?: (filters: GroupFilters) => void
}

/** The billed amounts, by day or of the largest groups. */
export function UsageChart({ report, names }: { report: UsageReport; names: UsageNames }) {
  const { group_by, data, from, to, has_more } = report
  const series = [{ key: "billed", label: "Billed" }]
  if (group_by === "day") {
    const byDay = new Map(data.map(({ group, billed_usd }) => [group, billed_usd]))
    const days = has_more ? data.map(({ group }) => group) : everyDay(from, to)
    return (
      <Chart
        title="Billed by day, USD (UTC)"
        kind="bars"
        series={series}
        points={days.map((label) => ({ label, values: { billed: byDay.get(label) ?? 0 } }))}
        format={usd}
      />
    )
  }
  // A single bar would only repeat the total above it.
  if (data.length < 2) return null
  const largest = [...data].sort((a, b) => b.billed_usd - a.billed_usd).slice(0, TOP)
  return (
    <Chart
      title={`Billed, USD: the largest ${largest.length}${has_more ? " of this page" : ""}`}
      kind="bars"
      series={series}
      points={largest.map(({ group, kind, billed_usd }) => ({
        label: kind === "value" ? groupWords(group_by, group, names) : kindWords(kind),
        values: { billed: billed_usd },
      }))}
      format={usd}
    />
  )
}
