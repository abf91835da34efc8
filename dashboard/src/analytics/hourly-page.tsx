import { useMemo } from "react"
import { useRead } from "../api/query.ts"
import { getHourlySpacesQuery, getHourlyUsageQuery } from "../api/rules.ts"
import { ReportedFilter, reportedOf, reportedSet } from "../operator/report-range.tsx"
import { Chart } from "../ui/chart.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { Page, Section } from "../ui/page.tsx"
import { RangeChoice } from "../ui/range.tsx"
import { Read } from "../ui/read.tsx"
import { Table } from "../ui/table.tsx"
import { Tabs } from "../ui/tabs.tsx"
import { wordsOfEnds } from "../ui/time-range.ts"
import { Money } from "../ui/values.tsx"
import { analyticsPages } from "./pages.ts"
import {
  hourLabel,
  MEASURE_LABELS,
  MeasureFilter,
  Scope,
  sumOf,
  UsedStats,
  usedColumns,
  useReportSearch,
} from "./report-parts.tsx"
import { SpaceLink } from "./space-link.tsx"

const HOUR_MS = 3_600_000
const DAYS = getHourlyUsageQuery.days.default
const TOPS = [4, 8, 12, 20]
const TOP = getHourlySpacesQuery.top.default

export function AnalyticsHourlyPage() {
  const { tab } = useReportSearch()
  return (
    <Page {...analyticsPages.hourly}>
      <Tabs
        label="Hours"
        value={tab === "spaces" ? "spaces" : "all"}
        tabs={[
          { value: "all", label: "All spaces", content: () => <Hours /> },
          { value: "spaces", label: "By space", content: () => <HoursOfSpaces /> },
        ]}
      />
    </Page>
  )
}

function Hours() {
  const search = useReportSearch()
  const { measure = "turns" } = search
  const input = { query: reportedOf(search, DAYS) }
  const report = useRead("getHourlyUsage", input)
  return (
    <div className="flex flex-col gap-5">
      <FilterBar set={reportedSet(search)} end={<CsvLink of="getHourlyUsage" input={input} />}>
        <ReportedFilter range={search} usual={DAYS} choices={[1, 7, 30]} />
        <MeasureFilter measure={measure} />
      </FilterBar>
      <Read of={report}>
        {(data) => {
          const passed = data.items.filter(({ hour }) => hour <= data.as_of)
          return (
            <>
              <Scope report={data} />
              <UsedStats of={sumOf(data.items)} />
              <Chart
                title={`${MEASURE_LABELS[measure]} by hour (UTC)`}
                kind="bars"
                series={[{ key: "all", label: MEASURE_LABELS[measure] }]}
                points={passed.map((item) => ({ label: hourLabel(item.hour), values: { all: item[measure] } }))}
                {...(measure === "billed_cost_usd" && { unit: "usd" })}
              />
              <Section title="Last 48 hours">
                <Table
                  caption="Usage by hour"
                  rows={passed.slice(-48).reverse()}
                  rowKey={({ hour }) => hour}
                  columns={[{ title: "Hour (UTC)", cell: ({ hour }) => hourLabel(hour) }, ...usedColumns()]}
                />
              </Section>
            </>
          )
        }}
      </Read>
    </div>
  )
}

function HoursOfSpaces() {
  const { start, end, brand, limit: top = TOP } = useReportSearch()
  // The range ends with the current hour. It is computed once, so that it does not move while the page is open.
  const now = useMemo(() => Math.ceil(Date.now() / HOUR_MS) * HOUR_MS, [])
  const range = { start: start ?? new Date(now - 24 * HOUR_MS).toISOString(), end: end ?? new Date(now).toISOString() }
  const input = { query: { ...range, top, ...(brand && { brand }) } }
  const report = useRead("getHourlySpaces", input)
  return (
    <div className="flex flex-col gap-5">
      <FilterBar set={{ start, end, brand }} end={<CsvLink of="getHourlySpaces" input={input} />}>
        <RangeChoice
          shown={start || end ? wordsOfEnds(start, end) : "Last 24 hours"}
          presets={[{ label: "Last 24 hours", search: {} }]}
          names={["start", "end"]}
          from={range.start}
          to={range.end}
        />
        <TextFilter label="Brand" name="brand" value={brand} />
        <ChoiceFilter
          label="Rows"
          name="limit"
          value={top === TOP ? undefined : String(top)}
          all={`Top ${TOP}`}
          options={TOPS.filter((one) => one !== TOP).map((one) => [String(one), `Top ${one}`] as const)}
        />
      </FilterBar>
      <Read of={report}>
        {(data) => {
          const lines = [
            ...data.series.map(({ slug, title, points }) => ({ key: slug, label: title, points })),
            { key: "others", label: "All others", points: data.other.points },
          ]
          return (
            <>
              <Scope report={data} />
              <Chart
                title="Billed by hour, USD (UTC)"
                kind="bars"
                series={lines}
                points={data.other.points.map(({ hour }, at) => ({
                  label: hourLabel(hour),
                  values: Object.fromEntries(lines.map(({ key, points }) => [key, points[at]?.billed_cost_usd ?? 0])),
                }))}
                unit="usd"
              />
              <Section title="Spaces">
                <Table
                  caption="Spaces with the highest bills"
                  rows={data.series}
                  rowKey={({ space_id }) => space_id}
                  columns={[
                    { title: "Space", cell: (row) => <SpaceLink {...row} /> },
                    { title: "Billed", right: true, cell: (row) => <Money usd={row.billed_cost_usd} /> },
                  ]}
                  empty={<p className="text-muted">No space was billed in this range.</p>}
                />
              </Section>
            </>
          )
        }}
      </Read>
    </div>
  )
}
