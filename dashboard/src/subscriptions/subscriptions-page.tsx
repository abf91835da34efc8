import { getRouteApi } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { SubscriptionUsage } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { getSubscriptionUsageQuery } from "../api/rules.ts"
import { List } from "../operator/list.tsx"
import { curl } from "../operator/parts.tsx"
import { ReportedFilter, reportedOf, reportedSet } from "../operator/report-range.tsx"
import { Button } from "../ui/button.tsx"
import { Chart } from "../ui/chart.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { PAGE_ROWS } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, Money } from "../ui/values.tsx"
import { subscriptionsPages } from "./pages.ts"
import { PlansTable } from "./plans.tsx"
import { planColumns } from "./subscription-table.tsx"

const Give = lazyPart(() => import("./subscription-create.tsx").then((file) => ({ default: file.GivePlan })))
const route = getRouteApi("/app/admin/operator/subscriptions")

const DAYS = getSubscriptionUsageQuery.days.default

/** The number of subscriptions on the page. */
const SHOWN = 500

type Used = SubscriptionUsage["items"][number]
type Day = Used["days"][number]

const sum = (used: Used, of: (day: Day) => number) => used.days.reduce((total, day) => total + of(day), 0)

const COLUMNS: Column<Used>[] = [
  { title: "Subscription", cell: ({ subscription_id }) => <code className="break-all">{subscription_id}</code> },
  {
    title: "User",
    cell: ({ user_id, plan }) =>
      user_id === null ? (
        <span className="text-muted">provider account</span>
      ) : (
        <span className="inline-flex flex-wrap gap-2">
          <TextLink to="/operator/users/$userId" params={{ userId: String(user_id) }}>
            User {user_id}
          </TextLink>
          {plan && <span className="text-muted">{plan}</span>}
        </span>
      ),
  },
  { title: "Days with usage", right: true, cell: ({ days }) => days.length },
  { title: "Calls", right: true, cell: (used) => <Count value={sum(used, (day) => day.model_calls)} /> },
  { title: "Input tokens", right: true, cell: (used) => <Count value={sum(used, (day) => day.tokens_input)} /> },
  {
    title: "Cached input tokens",
    right: true,
    cell: (used) => <Count value={sum(used, (day) => day.tokens_cached)} />,
  },
  { title: "Output tokens", right: true, cell: (used) => <Count value={sum(used, (day) => day.tokens_output)} /> },
  { title: "Billed", right: true, cell: ({ billed_usd }) => <Money usd={billed_usd} /> },
]

export function SubscriptionsPage() {
  const search = route.useSearch()
  const { offset = 0, state, plan, several } = search
  const all = useRead("listSubscriptions", { query: { state, plan, several, limit: PAGE_ROWS, offset } })
  const used = { query: { ...reportedOf(search, DAYS), limit: SHOWN } }
  const usage = useRead("getSubscriptionUsage", used)
  const settings = useRead("listSettings")
  const [giving, setGiving] = useState(false)
  return (
    <Page
      {...subscriptionsPages.subscriptions}
      action={
        <Button kind="primary" icon="plus" onClick={() => setGiving(true)}>
          Assign a plan
        </Button>
      }
    >
      <Section title="Subscriptions">
        <FilterBar
          set={{ state, plan, several }}
          end={<CsvLink of="listSubscriptions" input={{ query: { state, plan, several } }} />}
        >
          <ChoiceFilter
            label="State"
            name="state"
            value={state}
            all="All states"
            options={["active", "scheduled", "ended"]}
          />
          <TextFilter label="Plan" name="plan" value={plan} />
          <ChoiceFilter
            label="Users"
            name="several"
            value={several && "true"}
            all="All users"
            options={[["true", "Users with several active plans"]]}
          />
        </FilterBar>
        <List
          caption="Subscriptions"
          of={all}
          columns={planColumns}
          rowKey={({ sub_id }) => sub_id}
          empty={
            <EmptyState title="No subscriptions match these filters" curl={curl("/api/admin/subscriptions")}>
              A subscription gives a user a plan, with its monthly credit and its daily cap.
            </EmptyState>
          }
        />
      </Section>
      <Section title="Usage">
        <FilterBar set={reportedSet(search)} end={<CsvLink of="getSubscriptionUsage" input={used} />}>
          <ReportedFilter range={search} usual={DAYS} choices={[1, 7, 30, 90]} />
        </FilterBar>
        <Read of={usage} rows={8}>
          {(data) => <Use of={data} stale={usage.isPlaceholderData} />}
        </Read>
      </Section>
      <Section
        title="Plans"
        action={
          <TextLink to="/operator/settings" className="text-xs">
            Edit plans
          </TextLink>
        }
      >
        <Read of={settings} rows={3}>
          {({ items }) => <PlansTable plans={items.find(({ key }) => key === "plans")?.value ?? {}} />}
        </Read>
      </Section>
      {giving && (
        <Suspense>
          <Give onClose={() => setGiving(false)} />
        </Suspense>
      )}
    </Page>
  )
}

function Use({ of, stale }: { of: SubscriptionUsage; stale: boolean }) {
  const dates = [...new Set(of.items.flatMap(({ days }) => days.map(({ date }) => date)))].sort()
  return (
    <>
      {dates.length > 1 && (
        <Chart
          title="Model calls by day and subscription (UTC)"
          kind="bars"
          series={of.items.map(({ subscription_id: key }) => ({ key, label: key }))}
          points={dates.map((date) => ({
            label: date,
            values: Object.fromEntries(
              of.items.map(({ subscription_id, days }) => [
                subscription_id,
                days.find((day) => day.date === date)?.model_calls ?? 0,
              ]),
            ),
          }))}
        />
      )}
      <Table
        caption="Usage of subscriptions"
        rows={of.items}
        rowKey={({ subscription_id }) => subscription_id}
        stale={stale}
        columns={COLUMNS}
        empty={
          <EmptyState title="No usage in this range" curl={curl("/api/admin/subscriptions/usage?days=90")}>
            Each model call counts for the provider account that served it. Without one, it counts for the plan of the
            billed user.
          </EmptyState>
        }
      />
      {of.items.length < of.total && (
        <p className="text-muted text-xs">
          Showing the {of.items.length} subscriptions with the highest bills, of <Count value={of.total} />.
        </p>
      )}
    </>
  )
}
