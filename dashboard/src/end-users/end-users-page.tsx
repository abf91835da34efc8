import { useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import type { EndUser } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { firstTurnCurl } from "../ui/commands.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { CursorPager, PAGE_ROWS } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, Money, Time } from "../ui/values.tsx"
import { endUsersPages } from "./pages.ts"

const CapEndUser = lazy(() => import("./limits-dialog.tsx").then((module) => ({ default: module.CapEndUserDialog })))

export function EndUsersPage() {
  const { q, blocked, cursor, test } = useSearch({ from: "/app/end-users" })
  const [capping, setCapping] = useState(false)
  const endUsers = useRead("listEndUsers", { query: { q, blocked, cursor, limit: PAGE_ROWS, test: test && "true" } })
  return (
    <Page
      {...endUsersPages.list}
      action={
        <Button kind="primary" icon="plus" onClick={() => setCapping(true)}>
          Set caps
        </Button>
      }
    >
      <FilterBar set={{ q, blocked }}>
        <TextFilter label="Search by end_user_ref" name="q" value={q} wide />
        <ChoiceFilter
          label="Blocked"
          name="blocked"
          value={blocked}
          all="All end users"
          options={[
            ["true", "Blocked"],
            ["false", "Not blocked"],
          ]}
        />
      </FilterBar>
      <Read of={endUsers} rows={8}>
        {({ data, next_cursor }) => (
          <>
            <Table
              caption="End users, by latest turn"
              columns={columnsOf(test)}
              rows={data}
              rowKey={({ end_user_ref }) => end_user_ref}
              stale={endUsers.isPlaceholderData}
              empty={
                q || blocked ? (
                  <EmptyState title="No end users match these filters" />
                ) : (
                  <EmptyState title="No end users yet" curl={firstTurnCurl(undefined)}>
                    An end user is one of your customers, named by your own id. It appears here after its first turn, or
                    when you set its caps.
                  </EmptyState>
                )
              }
            />
            <CursorPager cursor={cursor} next={next_cursor} />
          </>
        )}
      </Read>
      <Suspense>{capping && <CapEndUser test={test} onClose={() => setCapping(false)} />}</Suspense>
    </Page>
  )
}

const columnsOf = (test: true | undefined): Column<EndUser>[] => [
  {
    title: "End user",
    cell: ({ end_user_ref }) => (
      <TextLink
        to="/end-users/$endUserRef"
        params={{ endUserRef: end_user_ref }}
        search={{ test }}
        className="break-all font-mono"
      >
        {end_user_ref}
      </TextLink>
    ),
  },
  {
    title: "State",
    cell: ({ limits }) =>
      limits.blocked ? <Status word="blocked" tone="bad" /> : <span className="text-muted">active</span>,
  },
  { title: "Daily cap", right: true, cell: (row) => <CapUse row={row} cap="end_user_daily" /> },
  { title: "Monthly cap", right: true, cell: (row) => <CapUse row={row} cap="end_user_monthly" /> },
  { title: "Today", right: true, cell: ({ billed_today_usd }) => <Money usd={billed_today_usd} /> },
  { title: "This month", right: true, cell: ({ billed_this_month_usd }) => <Money usd={billed_this_month_usd} /> },
  { title: "All time", right: true, cell: ({ billed_usd }) => <Money usd={billed_usd} /> },
  { title: "Turns", right: true, cell: ({ turns }) => <Count value={turns} /> },
  { title: "Last turn", right: true, cell: ({ last_turn_at }) => <Time at={last_turn_at} /> },
]

/** The remaining amount of a cap, and its limit. */
function CapUse({ row, cap }: { row: EndUser; cap: EndUser["caps"][number]["cap"] }) {
  const found = row.caps.find((one) => one.cap === cap)
  if (!found) return <span className="text-muted">none</span>
  return (
    <span className="whitespace-nowrap">
      {found.left_usd === 0 ? <span className="text-bad">reached</span> : <Money usd={found.left_usd} />}
      <span className="text-muted">
        {" "}
        of <Money usd={found.limit_usd} />
      </span>
    </span>
  )
}
