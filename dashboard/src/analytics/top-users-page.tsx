import { useRead } from "../api/query.ts"
import { getTopUsersQuery } from "../api/rules.ts"
import { CsvLink } from "../ui/csv-link.tsx"
import { FilterBar } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { LimitFilter } from "./limit-filter.tsx"
import { analyticsPages } from "./pages.ts"
import { Ranked, Scope, UsedStats, useReportSearch } from "./report-parts.tsx"

export function AnalyticsTopUsersPage() {
  const { days = getTopUsersQuery.days.default, limit = getTopUsersQuery.limit.default } = useReportSearch()
  const input = { query: { days, limit } }
  const report = useRead("getTopUsers", input)
  return (
    <Page {...analyticsPages.topUsers}>
      <FilterBar set={{}} end={<CsvLink of="getTopUsers" input={input} />}>
        <DaysPicker days={days} choices={[7, 30, 90, 365]} />
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
