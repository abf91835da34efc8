import { useRead } from "../api/query.ts"
import { getUsageBreakdownQuery } from "../api/rules.ts"
import { choicesOf, type QueryWord } from "../api/words.ts"
import { ReportedFilter, reportedOf, reportedSet } from "../operator/report-range.tsx"
import { Chart } from "../ui/chart.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { ChoiceFilter, FilterBar } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { decimal } from "../ui/numbers.ts"
import { Page } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { analyticsPages } from "./pages.ts"
import { MEASURE_LABELS, MeasureFilter, Ranked, Scope, UsedStats, useReportSearch } from "./report-parts.tsx"

const DAYS = getUsageBreakdownQuery.days.default
const FIRST = getUsageBreakdownQuery.dimension.default
const NAMES: Record<Dimension, string> = { space: "Space", user: "User", model: "Model", provider: "Provider" }

type Dimension = QueryWord<"getUsageBreakdown", "dimension">

export function AnalyticsBreakdownPage() {
  const search = useReportSearch()
  const { dimension = FIRST, limit = 20, measure = "billed_cost_usd" } = search
  const input = { query: { ...reportedOf(search, DAYS), dimension, limit } }
  const report = useRead("getUsageBreakdown", input)
  return (
    <Page {...analyticsPages.breakdown}>
      <FilterBar set={reportedSet(search)} end={<CsvLink of="getUsageBreakdown" input={input} />}>
        <ChoiceFilter
          label="Dimension"
          name="dimension"
          value={dimension === FIRST ? undefined : dimension}
          all="By space"
          options={choicesOf(NAMES)
            .slice(1)
            .map(([name, label]) => [name, `By ${label.toLowerCase()}`])}
        />
        <MeasureFilter measure={measure} />
        <ReportedFilter range={search} usual={DAYS} />
      </FilterBar>
      <Read of={report}>
        {(data) => (
          <>
            <Scope report={data} />
            <UsedStats of={data.total} />
            {data.items.length > 0 && (
              <Chart
                title={`${MEASURE_LABELS[measure]}, top ${Math.min(12, data.items.length)}`}
                kind="bars"
                series={[{ key: "all", label: MEASURE_LABELS[measure] }]}
                points={data.items
                  .slice(0, 12)
                  .map((item) => ({ label: item.name ?? item.key, values: { all: item[measure] } }))}
                {...(measure === "billed_cost_usd" && { unit: "usd" })}
              />
            )}
            <Ranked
              title={`By ${NAMES[data.dimension].toLowerCase()}`}
              items={data.items}
              other={data.other}
              total={data.total}
              rowKey={({ key }) => key}
              costs
              first={[
                { title: NAMES[data.dimension], cell: (row) => <Named dimension={data.dimension} {...row} /> },
                {
                  title: "Share",
                  right: true,
                  cell: ({ share }) => (share === null ? "–" : `${decimal(100 * share)} %`),
                },
              ]}
            />
          </>
        )}
      </Read>
    </Page>
  )
}

function Named({
  dimension,
  name,
  ...row
}: {
  dimension: keyof typeof NAMES
  name: string | null
  key?: string
  chat_key: string | null
}) {
  const key = row.key ?? ""
  if (dimension === "user")
    return (
      <TextLink to="/operator/users/$userId" params={{ userId: String(key) }}>
        {name ?? key}
      </TextLink>
    )
  return name && name !== key ? <span title={key}>{name}</span> : <code>{key}</code>
}
