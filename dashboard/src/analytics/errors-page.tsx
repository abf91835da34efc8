import type { ErrorsReport } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { getErrorsReportQuery } from "../api/rules.ts"
import { choicesOf } from "../api/words.ts"
import { ReportedFilter, reportedOf, reportedSet } from "../operator/report-range.tsx"
import { Chart } from "../ui/chart.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { Stat, Stats } from "../ui/facts.tsx"
import { FilterBar } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, UtcDay } from "../ui/values.tsx"
import { analyticsPages } from "./pages.ts"
import { Scope, useReportSearch } from "./report-parts.tsx"

type Row = ErrorsReport["items"][number]
type Kind = Exclude<keyof Row, "date" | "total">

const KINDS = choicesOf<Kind>({
  container_start: "Container starts",
  container_exec: "Container calls",
  subagent_dispatch: "Delegations",
  model_call: "Model calls",
})

/** The range of a day (UTC), as filters of turns. */
function wholeDay(date: string) {
  const from = Date.parse(`${date}T00:00:00Z`)
  return { created_after: new Date(from).toISOString(), created_before: new Date(from + 86_400_000).toISOString() }
}

const DAYS = getErrorsReportQuery.days.default

export function AnalyticsErrorsPage() {
  const search = useReportSearch()
  const input = { query: reportedOf(search, DAYS) }
  const report = useRead("getErrorsReport", input)
  return (
    <Page {...analyticsPages.errors}>
      <FilterBar set={reportedSet(search)} end={<CsvLink of="getErrorsReport" input={input} />}>
        <ReportedFilter range={search} usual={DAYS} />
      </FilterBar>
      <Read of={report}>
        {(data) => (
          <>
            <Scope report={data} />
            <Stats>
              {KINDS.map(([kind, label]) => (
                <Stat
                  key={kind}
                  label={label}
                  hint={
                    <TextLink
                      to="/operator/turns"
                      search={{
                        failure: kind,
                        created_after: data.items[0] && wholeDay(data.items[0].date).created_after,
                      }}
                    >
                      View turns
                    </TextLink>
                  }
                >
                  <Count value={data.items.reduce((sum, row) => sum + row[kind], 0)} />
                </Stat>
              ))}
            </Stats>
            <Chart
              title="Failures by day (UTC)"
              kind="bars"
              series={KINDS.map(([key, label]) => ({ key, label }))}
              points={data.items.map(({ date, ...values }) => ({ label: date, values }))}
            />
            <Section title="Days with failures">
              <Table
                caption="Failures by day"
                rows={data.items.filter((row) => row.total + row.model_call > 0).reverse()}
                rowKey={({ date }) => date}
                columns={[
                  { title: "Day (UTC)", cell: ({ date }) => <UtcDay of={date} /> },
                  ...KINDS.map(
                    ([kind, label]): Column<Row> => ({
                      title: label,
                      right: true,
                      cell: (row) =>
                        row[kind] === 0 ? (
                          "0"
                        ) : (
                          <TextLink to="/operator/turns" search={{ failure: kind, ...wholeDay(row.date) }}>
                            {row[kind].toLocaleString()}
                          </TextLink>
                        ),
                    }),
                  ),
                ]}
                empty={<p className="text-muted">No failures in this range.</p>}
              />
            </Section>
          </>
        )}
      </Read>
    </Page>
  )
}
