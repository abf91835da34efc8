import type { DailyUsageReport, SlugUsageReport } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Chart } from "../ui/chart.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { ChoiceFilter, DaysPicker, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Table } from "../ui/table.tsx"
import { analyticsPages } from "./pages.ts"
import {
  MEASURE_LABELS,
  MeasureFilter,
  Scope,
  sumOf,
  type Used,
  UsedStats,
  usd,
  usedColumns,
  useReportSearch,
} from "./report-parts.tsx"

const isBySlug = (report: DailyUsageReport | SlugUsageReport): report is SlugUsageReport => "series" in report

export function AnalyticsUsagePage() {
  const { days = 30, user_id, chat_key, measure = "billed_cost_usd", tab } = useReportSearch()
  const bySpace = tab === "space"
  const input = {
    query: {
      days,
      ...(user_id && { user_id }),
      ...(chat_key && { chat_key }),
      ...(bySpace && { group_by: "slug" as const }),
    },
  }
  const report = useRead("getDailyUsage", input)
  return (
    <Page {...analyticsPages.usage}>
      <FilterBar set={{ user_id, chat_key }} end={<CsvLink of="getDailyUsage" input={input} />}>
        <DaysPicker days={days} choices={[7, 30, 90, 365]} />
        <ChoiceFilter
          label="Series"
          name="tab"
          value={bySpace ? "space" : undefined}
          all="All together"
          options={[["space", "By space"]]}
        />
        <MeasureFilter measure={measure} />
        <TextFilter label="User id" name="user_id" value={user_id?.toString()} />
        <TextFilter label="Chat key" name="chat_key" value={chat_key} />
      </FilterBar>
      <Read of={report}>
        {(data) => {
          const lines: Record<string, (Used & { date: string })[]> = isBySlug(data)
            ? { ...data.series, other: data.other }
            : { all: data.items }
          const dates = Object.values(lines).find((rows) => rows.length > 0) ?? []
          const rows = dates.map(({ date }, at) => ({
            date,
            ...sumOf(Object.values(lines).flatMap((of) => of[at] ?? [])),
          }))
          return (
            <>
              <Scope report={data} />
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
                {...(measure === "billed_cost_usd" && { format: usd })}
              />
              <Section title="Days">
                <Table
                  caption="Use by day"
                  rows={[...rows].reverse()}
                  rowKey={({ date }) => date}
                  columns={[{ title: "Day (UTC)", cell: ({ date }) => date }, ...usedColumns()]}
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
