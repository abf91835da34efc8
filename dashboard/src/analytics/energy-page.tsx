import type { EnergyTimeline } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { getEnergyTimelineQuery } from "../api/rules.ts"
import { choicesOf } from "../api/words.ts"
import { ReportedFilter, reportedOf, reportedSet } from "../operator/report-range.tsx"
import { Chart } from "../ui/chart.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { Stat, Stats } from "../ui/facts.tsx"
import { ChoiceFilter, FilterBar } from "../ui/filter-bar.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count } from "../ui/values.tsx"
import { analyticsPages } from "./pages.ts"
import { GRANULARITY_TITLES, Scope, useReportSearch } from "./report-parts.tsx"

type Booked = EnergyTimeline["totals"]

const KINDS = choicesOf<keyof Booked>({
  free: "Free",
  bonus: "Bonus",
  paid: "Paid",
  spent: "Spent",
  refunded: "Refunded",
  unbucketed: "Other",
  change: "Change",
})

const DAYS = getEnergyTimelineQuery.days.default

export function AnalyticsEnergyPage() {
  const search = useReportSearch()
  const { all_time } = search
  const input = { query: { ...reportedOf(search, DAYS), ...(all_time && { all_time }) } }
  const report = useRead("getEnergyTimeline", input)
  return (
    <Page {...analyticsPages.energy}>
      <FilterBar set={{ ...reportedSet(search), all_time }} end={<CsvLink of="getEnergyTimeline" input={input} />}>
        <ReportedFilter range={search} usual={DAYS} />
        <AllTime all_time={all_time} />
      </FilterBar>
      <Read of={report}>
        {(data) => (
          <>
            <Scope report={data} />
            <Stats>
              {KINDS.map(([name, label]) => (
                <Stat key={name} label={label}>
                  <Count value={data.totals[name]} />
                </Stat>
              ))}
            </Stats>
            <Chart
              title={`Energy by ${data.granularity} (UTC)`}
              unit="energy"
              series={KINDS.slice(0, 4).map(([key, label]) => ({ key, label }))}
              points={data.items.map(({ date, ...values }) => ({ label: date, values }))}
            />
            <Section title="Ledger changes">
              <Table
                caption={`Energy by ${data.granularity}`}
                rows={[...data.items].reverse()}
                rowKey={({ date }) => date}
                columns={[
                  { title: `${GRANULARITY_TITLES[data.granularity]} (UTC)`, cell: ({ date }) => date },
                  ...KINDS.map(
                    ([name, label]): Column<EnergyTimeline["items"][number]> => ({
                      title: label,
                      right: true,
                      cell: (row) => <Count value={row[name]} />,
                    }),
                  ),
                ]}
              />
            </Section>
          </>
        )}
      </Read>
    </Page>
  )
}

/** Extends the range to the first ledger row, and overrides the chosen days. */
export const AllTime = ({ all_time }: { all_time: string | undefined }) => (
  <ChoiceFilter label="Range" name="all_time" value={all_time} all="Selected range" options={[["true", "All time"]]} />
)
