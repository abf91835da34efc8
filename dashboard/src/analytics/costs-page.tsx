import { useRead } from "../api/query.ts"
import { getCostsReportQuery, getUserCostsReportQuery } from "../api/rules.ts"
import { ReportedFilter, reportedOf, reportedSet } from "../operator/report-range.tsx"
import { Chart } from "../ui/chart.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { FilterBar } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Table } from "../ui/table.tsx"
import { Tabs } from "../ui/tabs.tsx"
import { UtcDay } from "../ui/values.tsx"
import { analyticsPages } from "./pages.ts"
import { Ranked, Scope, UsedStats, usedColumns, useReportSearch } from "./report-parts.tsx"

const DAYS = getCostsReportQuery.days.default

export function AnalyticsCostsPage() {
  const search = useReportSearch()
  const { limit = getUserCostsReportQuery.limit.default, tab } = search
  const range = reportedOf(search, DAYS)
  const input = { query: range }
  const ofUsers = { query: { ...range, limit } }
  const costs = useRead("getCostsReport", input)
  const shown = analyticsPages.costs.tabs.find((one) => one === tab) ?? "days"
  return (
    <Page {...analyticsPages.costs}>
      <FilterBar
        set={reportedSet(search)}
        end={
          shown === "users" ? (
            <CsvLink of="getUserCostsReport" input={ofUsers} />
          ) : (
            <CsvLink of="getCostsReport" input={input} />
          )
        }
      >
        <ReportedFilter range={search} usual={DAYS} />
      </FilterBar>
      <Read of={costs}>
        {(data) => (
          <>
            <Scope report={data} />
            <UsedStats of={data.total} />
            <Chart
              title="Billed, cost and margin by day, USD (UTC)"
              series={[
                { key: "billed", label: "Billed" },
                { key: "cost", label: "Cost" },
                { key: "margin", label: "Margin" },
              ]}
              points={data.items.map((item) => ({
                label: item.date,
                values: { billed: item.billed_cost_usd, cost: item.cost_usd, margin: item.margin_usd },
              }))}
              unit="usd"
            />
            <Tabs
              label="Costs"
              value={shown}
              tabs={[
                {
                  value: "days",
                  label: "Days",
                  content: () => (
                    <Table
                      caption="Costs by day"
                      rows={[...data.items].reverse()}
                      rowKey={({ date }) => date}
                      columns={[{ title: "Day (UTC)", cell: ({ date }) => <UtcDay of={date} /> }, ...usedColumns(true)]}
                    />
                  ),
                },
                {
                  value: "models",
                  label: "Models",
                  content: () => (
                    <Table
                      caption="Costs by model"
                      rows={data.models}
                      rowKey={({ model }) => model}
                      columns={[{ title: "Model", cell: ({ model }) => <code>{model}</code> }, ...usedColumns(true)]}
                      empty={<p className="text-muted">No model was called in this range.</p>}
                    />
                  ),
                },
                { value: "users", label: "Users", content: () => <CostsOfUsers query={ofUsers.query} /> },
              ]}
            />
          </>
        )}
      </Read>
    </Page>
  )
}

function CostsOfUsers({ query }: { query: ReturnType<typeof reportedOf> & { limit: number } }) {
  const report = useRead("getUserCostsReport", { query })
  return (
    <Section title="Users">
      <Read of={report}>
        {(data) => (
          <Ranked
            title="Highest bills"
            items={data.items}
            other={data.other}
            total={data.total}
            rowKey={({ user_id }) => user_id}
            costs
            first={[
              {
                title: "User",
                cell: ({ user_id, name, email }) => (
                  <TextLink to="/operator/users/$userId" params={{ userId: String(user_id) }}>
                    {name ?? email ?? user_id}
                  </TextLink>
                ),
              },
            ]}
          />
        )}
      </Read>
    </Section>
  )
}
