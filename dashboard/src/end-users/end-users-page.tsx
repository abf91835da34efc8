import { useSearch } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { Customer, CustomerTotals } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { firstTurnCurl } from "../ui/commands.ts"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { Stat, Stats } from "../ui/facts.tsx"
import { AlignedMoney, Percent, Seconds, Sparkline, UseBar, When } from "../ui/figures.tsx"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { roughUsd } from "../ui/numbers.ts"
import { Page } from "../ui/page.tsx"
import { OffsetPager, PAGE_ROWS } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { useSorting } from "../ui/sorting.ts"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, Money, MoneyFigure } from "../ui/values.tsx"
import { endUsersPages } from "./pages.ts"

const CapEndUser = lazyPart(() =>
  import("./limits-dialog.tsx").then((module) => ({ default: module.CapEndUserDialog })),
)

export function EndUsersPage() {
  const { q, blocked, sort = "month", direction = "desc", offset = 0, test } = useSearch({ from: "/app/end-users" })
  const [capping, setCapping] = useState(false)
  const query = { q, blocked, sort, direction, test: test && ("true" as const) }
  const customers = useRead("listCustomers", { query: { ...query, limit: PAGE_ROWS, offset } })
  const sorting = useSorting(sort, direction)
  return (
    <Page
      {...endUsersPages.list}
      action={
        <Button does="putEndUserLimits" kind="primary" icon="plus" onClick={() => setCapping(true)}>
          Set caps
        </Button>
      }
    >
      <FilterBar
        set={{ q, blocked }}
        views="customers"
        end={<CsvLink of="listCustomers" input={{ query }} />}
        filters={
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
        }
      >
        <TextFilter label="Search customers" name="q" value={q} wide />
      </FilterBar>
      <Read of={customers} rows={8}>
        {({ items, total, totals }) => (
          <>
            <Totals of={totals} isFiltered={Boolean(q || blocked)} />
            <Table
              caption="End users with their spend"
              list="customers"
              columns={columnsOf(test)}
              rows={items}
              rowKey={({ end_user_ref }) => end_user_ref}
              stale={customers.isPlaceholderData}
              sorting={sorting}
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
            <OffsetPager offset={offset} total={total} />
          </>
        )}
      </Read>
      <Suspense>{capping && <CapEndUser test={test} onClose={() => setCapping(false)} />}</Suspense>
    </Page>
  )
}

/** The sums of all customers that match. */
const Totals = ({ of, isFiltered }: { of: CustomerTotals; isFiltered: boolean }) => (
  <Stats>
    <Stat label={isFiltered ? "Customers found" : "Customers"} hint={of.blocked > 0 && `${of.blocked} blocked`}>
      <Count value={of.customers} />
    </Stat>
    <Stat label="Today (UTC)">
      <MoneyFigure usd={of.billed_today_usd} />
    </Stat>
    <Stat
      label="This month"
      hint={
        <>
          <Count value={of.month.turns} /> turns
        </>
      }
    >
      <MoneyFigure usd={of.billed_this_month_usd} />
    </Stat>
    <Stat
      label="All time"
      hint={
        <>
          <Count value={of.turns} /> turns
          {of.refunded_usd > 0 && (
            <>
              , <Money usd={of.refunded_usd} /> refunded
            </>
          )}
        </>
      }
    >
      <MoneyFigure usd={of.billed_usd} />
    </Stat>
    <Stat
      label="Success, this month"
      hint={
        of.month.failed > 0 && (
          <TextLink to="/turns" search={{ state: "failed" }}>
            {of.month.failed.toLocaleString()} failed
          </TextLink>
        )
      }
    >
      <Percent share={of.month.success_rate} />
    </Stat>
    <Stat label="Latency, this month" hint="average, from acceptance to end">
      <Seconds value={of.month.avg_seconds} />
    </Stat>
  </Stats>
)

const columnsOf = (test: true | undefined): Column<Customer>[] => [
  {
    title: "End user",
    sort: "name",
    cell: ({ end_user_ref, blocked }) => (
      <span className="inline-flex min-w-[15ch] max-w-[30ch] flex-wrap items-center gap-2">
        <TextLink
          to="/end-users/$endUserRef"
          params={{ endUserRef: end_user_ref }}
          search={{ test }}
          className="break-all font-mono"
        >
          {end_user_ref}
        </TextLink>
        {blocked && <Status word="blocked" tone="bad" />}
      </span>
    ),
  },
  { title: "Today", sort: "today", right: true, cell: (row) => <AlignedMoney usd={row.billed_today_usd} /> },
  { title: "This month", sort: "month", right: true, cell: (row) => <AlignedMoney usd={row.billed_this_month_usd} /> },
  { title: "All time", sort: "all_time", right: true, cell: (row) => <AlignedMoney usd={row.billed_usd} /> },
  { title: "Cap use", sort: "share", cell: (row) => <NearestCap of={row} /> },
  {
    title: "30 days",
    cell: ({ trend_usd, end_user_ref }) => {
      const most = Math.max(...trend_usd, 0)
      return (
        <Sparkline
          values={trend_usd}
          label={`Spend of ${end_user_ref} on each of the last ${trend_usd.length} days, at most ${roughUsd(most)}`}
          most={most > 0 ? roughUsd(most) : undefined}
        />
      )
    },
  },
  { title: "Turns", sort: "turns", right: true, cell: ({ turns }) => <Count value={turns} /> },
  {
    title: "Failed",
    sort: "failed",
    right: true,
    cell: ({ end_user_ref, month: { failed } }) =>
      failed === 0 ? (
        "0"
      ) : (
        <TextLink to="/turns" search={{ end_user_ref, state: "failed", test }}>
          {failed.toLocaleString()}
        </TextLink>
      ),
  },
  {
    title: "Latency",
    rare: true,
    sort: "latency",
    right: true,
    cell: ({ month }) => <Seconds value={month.avg_seconds} />,
  },
  {
    title: "Last turn",
    timed: true,
    sort: "last_turn",
    right: true,
    cell: ({ last_turn_at }) => <When at={last_turn_at} />,
  },
]

/** The cap that is nearest to its limit. */
function NearestCap({ of: { daily, monthly } }: { of: Customer }) {
  const caps = [
    { label: "Daily", cap: daily },
    { label: "Monthly", cap: monthly },
  ].flatMap(({ label, cap }) => (cap ? [{ label, limit: cap.limit_usd, used: cap.spent_usd + cap.reserved_usd }] : []))
  const shareOf = ({ used, limit }: { used: number; limit: number }) => (limit === 0 ? 1 : used / limit)
  const [nearest] = caps.sort((a, b) => shareOf(b) - shareOf(a))
  return nearest ? <UseBar {...nearest} /> : <span className="text-muted">no cap</span>
}
