import { useRead } from "../api/query.ts"
import { getTopUsersQuery } from "../api/rules.ts"
import { ReportedFilter, reportedOf, reportedSet } from "../operator/report-range.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { FilterBar } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { LimitFilter } from "./limit-filter.tsx"
import { analyticsPages } from "./pages.ts"
import { Ranked, Scope, UsedStats, useReportSearch } from "./report-parts.tsx"

const DAYS = getTopUsersQuery.days.default

export function AnalyticsTopUsersPage() {
  const search = useReportSearch()
  const { limit = getTopUsersQuery.limit.default } = search
  const input = { query: { ...reportedOf(search, DAYS), limit } }
  const report = useRead("getTopUsers", input)
  return (
    <Page {...analyticsPages.topUsers}>
      <FilterBar set={reportedSet(search)} end={<CsvLink of="getTopUsers" input={input} />}>
        <ReportedFilter range={search} usual={DAYS} />
        <LimitFilter limit={limit} />
      </FilterBar>
      <Read of={report}>
        {(data) => (
          <>
            <Scope report={data} />
            <UsedStats of={data.total} />
            <Ranked
              title="Users"
              items={data.items}
              other={data.other}
              total={data.total}
              rowKey={({ user_id }) => user_id}
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
          </>
        )}
      </Read>
    </Page>
  )
}
