import { getRouteApi } from "@tanstack/react-router"
import type { EndUsersReport } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { getEndUsersReportQuery } from "../api/rules.ts"
import { List } from "../operator/list.tsx"
import { curl } from "../operator/parts.tsx"
import { RangeFilter, rangeOf, rangeSet } from "../operator/report-range.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { FilterBar } from "../ui/filter-bar.tsx"
import { PAGE_ROWS } from "../ui/pager.tsx"
import { useSorting } from "../ui/sorting.ts"
import type { Column } from "../ui/table.tsx"
import { Count, Money } from "../ui/values.tsx"

const route = getRouteApi("/app/admin/operator/users/$userId")

const DAYS = getEndUsersReportQuery.days.default

const COLUMNS: Column<EndUsersReport["items"][number]>[] = [
  {
    title: "End user",
    cell: ({ end_user_ref }) =>
      end_user_ref === null ? <span className="text-muted">web chats</span> : <code>{end_user_ref}</code>,
  },
  { title: "Billed", right: true, sort: "spend", cell: ({ billed_cost_usd }) => <Money usd={billed_cost_usd} /> },
  { title: "Refunded", right: true, cell: ({ refunded_usd }) => <Money usd={refunded_usd} /> },
  { title: "Turns", right: true, sort: "turns", cell: ({ turns }) => <Count value={turns} /> },
  {
    title: "Tokens",
    right: true,
    sort: "tokens",
    cell: ({ tokens_input, tokens_output }) => <Count value={tokens_input + tokens_output} />,
  },
  { title: "Cached input tokens", right: true, cell: ({ tokens_cached }) => <Count value={tokens_cached} /> },
  { title: "Model calls", right: true, cell: ({ model_calls }) => <Count value={model_calls} /> },
]

/** The usage of the account in a range by end user. */
export function UserEndUsers({ userId }: { userId: number }) {
  const search = route.useSearch()
  const { offset = 0, sort = "spend", direction = "desc" } = search
  const query = { user_id: userId, ...rangeOf(search, DAYS), sort, direction }
  const report = useRead("getEndUsersReport", { query: { ...query, limit: PAGE_ROWS, offset } })
  return (
    <div className="flex flex-col gap-5">
      <FilterBar set={rangeSet(search)} end={<CsvLink of="getEndUsersReport" input={{ query }} />}>
        <RangeFilter range={search} usual={DAYS} />
      </FilterBar>
      <List
        caption="End users of the account"
        of={report}
        columns={COLUMNS}
        sorting={useSorting(sort, direction)}
        rowKey={({ end_user_ref }) => end_user_ref ?? ""}
        empty={
          <EmptyState
            title="No usage in this range"
            curl={curl(`/api/admin/analytics/end-users?user_id=${userId}&days=90`)}
          />
        }
      />
    </div>
  )
}
