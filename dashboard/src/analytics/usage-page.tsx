import type { DailyUsage, SlugUsageReport } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { getDailyUsageQuery } from "../api/rules.ts"
import { ReportedFilter, reportedOf, reportedSet } from "../operator/report-range.tsx"
import { Chart } from "../ui/chart.tsx"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Table } from "../ui/table.tsx"
import { UtcDay } from "../ui/values.tsx"
import { analyticsPages } from "./pages.ts"
import { ReportCsv } from "./report-csv.tsx"
import {
  MEASURE_LABELS,
  MeasureFilter,
  sumOf,
  type Used,
  UsedStats,
  usedColumns,
  useReportSearch,
} from "./report-parts.tsx"

type Line = (Used & { date: string })[]

const DAYS = getDailyUsageQuery.days.default

/** The number of spaces with a line of their own in the chart. */
const SHOWN = 20

const daysOf = (report: DailyUsage | SlugUsageReport): DailyUsage => (Array.isArray(report) ? report : [])

/** The lines of the chart: one total, or the top spaces and one line for all other spaces. */
function linesOf(all: Line, report: DailyUsage | SlugUsageReport): Record<string, Line> {
  if (Array.isArray(report)) return { all }
  const series = Object.values(report.series)
  const other = all.map((day, at) => {
    const shown = sumOf(series.flatMap((line) => line[at] ?? []))
    const rest = Object.entries(shown).map(([key, value]) => [
      key,
      (day[key as keyof Used] as number) - (value as number),
    ])
    return { date: day.date, ...(Object.fromEntries(rest) as unknown as Used) }
  })
  return { ...report.series, other }
}

export function AnalyticsUsagePage() {
  const search = useReportSearch()
  const { user_id, chat_key, measure = "billed_cost_usd", tab } = search
  const bySpace = tab === "space"
  const filters = { ...reportedOf(search, DAYS), ...(user_id && { user_id }), ...(chat_key && { chat_key }) }
  const input = { query: { ...filters, ...(bySpace && { group_by: "slug" as const, limit: SHOWN }) } }
  const everything = useRead("getDailyUsage", { query: filters })
  const report = useRead("getDailyUsage", input)
  return (
    <Page {...analyticsPages.usage}>
      <FilterBar
        set={{ ...reportedSet(search), user_id, chat_key }}
        end={<ReportCsv of="getDailyUsage" input={input} />}
      >
        <ReportedFilter range={search} usual={DAYS} />
        <ChoiceFilter
          label="Group by"
          name="tab"
          value={bySpace ? "space" : undefined}
          all="Total"
          options={[["space", "By space"]]}
        />
        <MeasureFilter measure={measure} />
        <TextFilter label="User id" name="user_id" value={user_id?.toString()} />
        <TextFilter label="Chat key" name="chat_key" value={chat_key} />
      </FilterBar>
      <Read of={report}>
        {(data) => {
          const dates = everything.data ? daysOf(everything.data) : []
          const lines = linesOf(dates, data)
          const rows = dates
          return (
            <>
              <p className="text-muted">
                {dates[0]?.date} to {dates.at(-1)?.date}, by day (UTC)
              </p>
              <UsedStats of={sumOf(rows)} />
              <Chart
                title={`${MEASURE_LABELS[measure]} by day (UTC)`}
                kind="bars"
                series={Object.keys(lines).map((key) => ({
                  key,
                  label: key === "all" ? MEASURE_LABELS[measure] : key,
                }))}
                points={dates.map(({ date }, at) => ({
                  label: date,
                  values: Object.fromEntries(Object.entries(lines).map(([key, of]) => [key, of[at]?.[measure] ?? 0])),
                }))}
                {...(measure === "billed_cost_usd" && { unit: "usd" })}
              />
              <Section title="Days">
                <Table
                  caption="Usage by day"
                  rows={[...rows].reverse()}
                  rowKey={({ date }) => date}
                  columns={[{ title: "Day (UTC)", cell: ({ date }) => <UtcDay of={date} /> }, ...usedColumns()]}
                  stale={report.isPlaceholderData}
                />
              </Section>
            </>
          )
        }}
      </Read>
    </Page>
  )
}
