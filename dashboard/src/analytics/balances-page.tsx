import { useRead } from "../api/query.ts"
import { getBalanceTrendQuery } from "../api/rules.ts"
import { ReportedFilter, reportedOf, reportedSet } from "../operator/report-range.tsx"
import { Chart } from "../ui/chart.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { ChoiceFilter, FilterBar } from "../ui/filter-bar.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Table } from "../ui/table.tsx"
import { Count } from "../ui/values.tsx"
import { AllTime } from "./energy-page.tsx"
import { analyticsPages } from "./pages.ts"
import { GRANULARITY_TITLES, Scope, useReportSearch } from "./report-parts.tsx"

const WINDOWS = [7, 14, 30, 90]
const WINDOW = getBalanceTrendQuery.active_window_days.default

const DAYS = getBalanceTrendQuery.days.default

export function AnalyticsBalancesPage() {
  const search = useReportSearch()
  const { all_time, window = WINDOW } = search
  const input = {
    query: { ...reportedOf(search, DAYS), ...(all_time && { all_time }), active_window_days: window },
  }
  const report = useRead("getBalanceTrend", input)
  return (
    <Page {...analyticsPages.balances}>
      <FilterBar set={{ ...reportedSet(search), all_time }} end={<CsvLink of="getBalanceTrend" input={input} />}>
        <ReportedFilter range={search} usual={DAYS} />
        <AllTime all_time={all_time} />
        <ChoiceFilter
          label="Active within"
          name="window"
          value={window === WINDOW ? undefined : String(window)}
          all={`Charged within ${WINDOW} days`}
          options={WINDOWS.filter((days) => days !== WINDOW).map(
            (days) => [String(days), `Charged within ${days} days`] as const,
          )}
        />
      </FilterBar>
      <Read of={report}>
        {(data) => (
          <>
            <Scope report={data} />
            <Chart
              title={`Balance of active users by ${data.granularity}, energy (UTC)`}
              unit="energy"
              series={[
                { key: "average", label: "Average" },
                { key: "median", label: "Median" },
              ]}
              points={data.items.map(({ date, average_balance, median_balance }) => ({
                label: date,
                values: { average: average_balance, median: median_balance },
              }))}
            />
            <Section title="Buckets">
              <Table
                caption={`Balances by ${data.granularity}`}
                rows={[...data.items].reverse()}
                rowKey={({ date }) => date}
                columns={[
                  { title: `${GRANULARITY_TITLES[data.granularity]} (UTC)`, cell: ({ date }) => date },
                  { title: "Active users", right: true, cell: (row) => <Count value={row.active_users} /> },
                  { title: "Average", right: true, cell: (row) => <Count value={row.average_balance} /> },
                  { title: "Median", right: true, cell: (row) => <Count value={row.median_balance} /> },
                ]}
              />
            </Section>
          </>
        )}
      </Read>
    </Page>
  )
}
