import type { ContextComparisonReport } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { getContextComparisonQuery, getContextSizeQuery } from "../api/rules.ts"
import { ReportedFilter, reportedOf, reportedSet } from "../operator/report-range.tsx"
import { Chart } from "../ui/chart.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { decimal } from "../ui/numbers.ts"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Tabs } from "../ui/tabs.tsx"
import { Count, UtcDay } from "../ui/values.tsx"
import { analyticsPages } from "./pages.ts"
import { ReportCsv } from "./report-csv.tsx"
import { Scope, useReportSearch } from "./report-parts.tsx"
import { OwnerLink, SpaceLink } from "./space-link.tsx"

const DAYS = getContextComparisonQuery.days.default
const SIZE_DAYS = getContextSizeQuery.days.default

export function AnalyticsContextPage() {
  const { tab } = useReportSearch()
  return (
    <Page {...analyticsPages.context}>
      <Tabs
        label="Context"
        value={tab === "spaces" ? "spaces" : "roles"}
        tabs={[
          { value: "roles", label: "Orchestrators and sub-agents", content: () => <Comparison /> },
          { value: "spaces", label: "Spaces", content: () => <Sizes /> },
        ]}
      />
    </Page>
  )
}

type Day = ContextComparisonReport["items"][number]

const percent = (share: number | null) => (share === null ? "–" : `${decimal(100 * share)} %`)

const COLUMNS: Column<Day>[] = [
  { title: "Day (UTC)", cell: ({ date }) => <UtcDay of={date} /> },
  ...(["orchestrator", "subagent"] as const).flatMap((role): Column<Day>[] => {
    const name = role === "orchestrator" ? "Orchestrators" : "Sub-agents"
    return [
      { title: `${name}: calls`, right: true, cell: (day) => <Count value={day[role].model_calls} /> },
      { title: `${name}: image calls`, right: true, cell: (day) => <Count value={day[role].image_calls} /> },
      { title: `${name}: average context`, right: true, cell: (day) => <Count value={day[role].avg_context_tokens} /> },
      { title: `${name}: cache hit rate`, right: true, cell: (day) => percent(day[role].cache_hit_rate) },
    ]
  }),
]

function Comparison() {
  const search = useReportSearch()
  const input = { query: reportedOf(search, DAYS) }
  const report = useRead("getContextComparison", input)
  return (
    <div className="flex flex-col gap-5">
      <FilterBar set={reportedSet(search)} end={<CsvLink of="getContextComparison" input={input} />}>
        <ReportedFilter range={search} usual={DAYS} choices={[7, 30, 90, 120]} />
      </FilterBar>
      <Read of={report}>
        {(data) => (
          <>
            <Scope report={data} />
            <Chart
              title="Average context tokens by day (UTC)"
              series={[
                { key: "orchestrator", label: "Orchestrators" },
                { key: "subagent", label: "Sub-agents" },
              ]}
              points={data.items.map(({ date, orchestrator, subagent }) => ({
                label: date,
                values: { orchestrator: orchestrator.avg_context_tokens, subagent: subagent.avg_context_tokens },
              }))}
            />
            <Section title="Days">
              <Table
                caption="Contexts by day"
                rows={[...data.items].reverse()}
                rowKey={({ date }) => date}
                columns={COLUMNS}
              />
            </Section>
          </>
        )}
      </Read>
    </div>
  )
}

/** The number of spaces in the table; the CSV file has every space. */
const SHOWN = 50

function Sizes() {
  const search = useReportSearch()
  const { space } = search
  const input = { query: { ...reportedOf(search, SIZE_DAYS), limit: SHOWN, ...(space && { space }) } }
  const report = useRead("getContextSize", input)
  return (
    <div className="flex flex-col gap-5">
      <FilterBar set={{ ...reportedSet(search), space }} end={<ReportCsv of="getContextSize" input={input} />}>
        <ReportedFilter range={search} usual={SIZE_DAYS} choices={[7, 30, 90]} />
        <TextFilter label="Space (spc_…)" name="space" value={space} wide />
      </FilterBar>
      <Read of={report}>
        {(data) => (
          <>
            <Scope report={data} />
            {data.items.length > 0 && (
              <Chart
                title="Average input tokens per call by day (UTC)"
                series={data.items.slice(0, 6).map(({ slug, title }) => ({ key: slug, label: title }))}
                points={(data.items[0]?.days ?? []).map(({ date }, at) => ({
                  label: date,
                  values: Object.fromEntries(
                    data.items.slice(0, 6).map((item) => [item.slug, item.days[at]?.avg_tokens_input ?? null]),
                  ),
                }))}
              />
            )}
            <Section title="Spaces">
              <Table
                caption="Context sizes of spaces"
                rows={data.items}
                rowKey={({ space_id }) => space_id}
                columns={[
                  { title: "Space", cell: (row) => <SpaceLink {...row} /> },
                  { title: "Owner", cell: ({ owner_id }) => <OwnerLink owner_id={owner_id} /> },
                  { title: "Model calls", right: true, cell: (row) => <Count value={row.model_calls} /> },
                  { title: "Image calls", right: true, cell: (row) => <Count value={row.image_calls} /> },
                  { title: "Average input tokens", right: true, cell: (row) => <Count value={row.avg_tokens_input} /> },
                  { title: "Largest input tokens", right: true, cell: (row) => <Count value={row.max_tokens_input} /> },
                ]}
                empty={<p className="text-muted">No space called a model in this range.</p>}
              />
              {data.items.length < data.total && (
                <p className="text-muted text-xs">
                  Showing the {data.items.length} spaces with the highest bills, of <Count value={data.total} />. The
                  CSV file has every space.
                </p>
              )}
            </Section>
          </>
        )}
      </Read>
    </div>
  )
}
