import type { CostRatesReport } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { getCostRatesReportQuery } from "../api/rules.ts"
import { choicesOf } from "../api/words.ts"
import { ReportedFilter, reportedOf, reportedSet } from "../operator/report-range.tsx"
import { Chart } from "../ui/chart.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { Stat, Stats } from "../ui/facts.tsx"
import { FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, Money, MoneyFigure, UtcDay } from "../ui/values.tsx"
import { analyticsPages } from "./pages.ts"
import { Scope, useReportSearch } from "./report-parts.tsx"

type Rates = CostRatesReport["total"]["cost"]
type Row = CostRatesReport["items"][number]

const RATES = choicesOf<keyof Rates>({
  per_turn_usd: "per turn",
  per_million_usd: "per million tokens",
  per_million_input_usd: "per million input tokens",
  per_million_cached_usd: "per million cached input tokens",
  per_million_output_usd: "per million output tokens",
})

const DAYS = getCostRatesReportQuery.days.default

export function AnalyticsRatesPage() {
  const search = useReportSearch()
  const { user_id, chat_key } = search
  const input = { query: { ...reportedOf(search, DAYS), ...(user_id && { user_id }), ...(chat_key && { chat_key }) } }
  const report = useRead("getCostRatesReport", input)
  return (
    <Page {...analyticsPages.rates}>
      <FilterBar
        set={{ ...reportedSet(search), user_id, chat_key }}
        end={<CsvLink of="getCostRatesReport" input={input} />}
      >
        <ReportedFilter range={search} usual={DAYS} choices={[7, 30, 90]} />
        <TextFilter label="User id" name="user_id" value={user_id?.toString()} />
        <TextFilter label="Chat key" name="chat_key" value={chat_key} />
      </FilterBar>
      <Read of={report}>
        {(data) => (
          <>
            <Scope report={data} />
            <Stats>
              {RATES.slice(0, 2).flatMap(([name, label]) => [
                <Stat key={`billed ${name}`} label={`Billed ${label}`}>
                  <MoneyFigure usd={data.total.billed[name]} />
                </Stat>,
                <Stat key={`cost ${name}`} label={`Cost ${label}`}>
                  <MoneyFigure usd={data.total.cost[name]} />
                </Stat>,
              ])}
            </Stats>
            <Chart
              title="USD per million tokens by day (UTC)"
              series={[
                { key: "billed", label: "Billed" },
                { key: "cost", label: "Cost" },
              ]}
              points={data.items.map(({ date, billed, cost }) => ({
                label: date,
                values: { billed: billed.per_million_usd, cost: cost.per_million_usd },
              }))}
              unit="usd"
            />
            <Section title="Days">
              <Table
                caption="Cost rates by day"
                rows={[...data.items].reverse()}
                rowKey={({ date }) => date}
                columns={COLUMNS}
              />
            </Section>
          </>
        )}
      </Read>
    </Page>
  )
}

const COLUMNS: Column<Row>[] = [
  { title: "Day (UTC)", cell: ({ date }) => <UtcDay of={date} /> },
  { title: "Turns", right: true, cell: ({ turns }) => <Count value={turns} /> },
  ...RATES.map(
    ([name, label]): Column<Row> => ({
      title: `Cost ${label}`,
      right: true,
      cell: ({ cost }) => <Money usd={cost[name]} />,
    }),
  ),
  { title: "Margin", right: true, cell: ({ margin_usd }) => <Money usd={margin_usd} /> },
]
