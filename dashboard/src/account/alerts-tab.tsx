import { useSearch } from "@tanstack/react-router"
import { wordsOf } from "../api/code-words.ts"
import { EVENT_LABELS } from "../api/event-labels.ts"
import type { AnomalyFoundEvent, BalanceReached, BudgetReachedEvent, CapReached, FeedEvent } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { wholeCurl } from "../ui/commands.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { ChoiceFilter, FilterBar } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { CursorPager, PAGE_ROWS } from "../ui/pager.tsx"
import { CreatedRange } from "../ui/range.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { createdIn } from "../ui/time-range.ts"
import { Id, Money, Time } from "../ui/values.tsx"
import { ALERT_TYPES, type AlertType } from "./words.ts"

/** The default type. */
const [USUAL, ...OTHERS] = ALERT_TYPES
const CHOICES = OTHERS.map((type) => [type, EVENT_LABELS[type]] as const)

const curlOf = (type: AlertType) => wholeCurl(`/v1/events?type=${type}`)

export function AlertsTab() {
  const { type = USUAL, cursor, test, ...range } = useSearch({ from: "/app/account" })
  const events = useRead("listEvents", {
    query: { type, ...createdIn(range), cursor, limit: PAGE_ROWS, order: "desc", test: test && "true" },
  })
  return (
    <Section title="Alerts">
      <p className="max-w-[72ch] text-muted">
        Webhooks deliver the same events.{" "}
        <TextLink to="/webhooks" search={{ test }}>
          Create a webhook
        </TextLink>{" "}
        to receive them immediately.
      </p>
      <FilterBar set={{}}>
        <ChoiceFilter
          label="Alert"
          name="type"
          value={type === USUAL ? undefined : type}
          all={EVENT_LABELS[USUAL]}
          options={CHOICES}
        />
        <CreatedRange of={range} />
      </FilterBar>
      <Read of={events} rows={5}>
        {({ data, next_cursor }) => (
          <>
            <Table
              caption="Alerts, newest first"
              rows={data}
              rowKey={({ id }) => id}
              columns={COLUMNS}
              stale={events.isPlaceholderData}
              empty={
                <EmptyState title="No alerts" curl={curlOf(type)}>
                  Alerts of this type in the selected period appear here.
                </EmptyState>
              }
            />
            <CursorPager cursor={cursor} next={next_cursor} />
          </>
        )}
      </Read>
    </Section>
  )
}

const COLUMNS: Column<FeedEvent>[] = [
  { title: "Time", cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: "Alert",
    cell: ({ type }) => <Status word={type} tone={type === "balance.depleted" ? "bad" : "warn"} />,
  },
  { title: "Details", cell: (event) => <AlertWords event={event} /> },
  { title: "Event", cell: ({ id }) => <Id id={id} /> },
]

function AlertWords({ event: { type, data } }: { event: FeedEvent }) {
  switch (type) {
    case "cap.reached":
      return <CapWords of={data as CapReached} />
    case "balance.low":
    case "balance.depleted": {
      const { available_usd, threshold_usd } = data as BalanceReached
      return (
        <>
          <Money usd={available_usd} /> available, below <Money usd={threshold_usd} />
        </>
      )
    }
    case "budget.reached":
      return <BudgetWords of={data as BudgetReached} />
    case "anomaly.found":
      return <AnomalyWords of={data as AnomalyFoundEvent["data"]} />
    default: {
      const { webhook_id, url } = data as { webhook_id?: string; url?: string }
      return webhook_id ? (
        <Id id={webhook_id} href={`/webhooks/${webhook_id}`} />
      ) : (
        <span className="break-all">{url ?? "–"}</span>
      )
    }
  }
}

type BudgetReached = BudgetReachedEvent["data"]

const BudgetWords = ({ of: { percent, month, budget_usd, spent_usd, expected_usd } }: { of: BudgetReached }) => (
  <>
    {percent === null ? (
      <>
        <Money usd={expected_usd ?? 0} /> expected in {month}, above the budget of <Money usd={budget_usd} />
      </>
    ) : (
      <>
        {percent} % of the budget of <Money usd={budget_usd} /> for {month}: <Money usd={spent_usd} /> spent
      </>
    )}
  </>
)

const AnomalyWords = ({
  of: { end_user_ref, key_id, space, day, spent_usd, usual_usd },
}: {
  of: AnomalyFoundEvent["data"]
}) => (
  <>
    {key_id ? <Id id={key_id} href={`/keys/${key_id}`} /> : (end_user_ref ?? space)} was billed{" "}
    <Money usd={spent_usd} /> on {day} (UTC), usually <Money usd={usual_usd} />
  </>
)

const CapWords = ({ of: { cap, percent, limit_usd, spent_usd, end_user_ref, key_id } }: { of: CapReached }) => (
  <span className="inline-flex flex-wrap items-center gap-x-2">
    <span>
      {percent} % of the {wordsOf(cap)} of <Money usd={limit_usd} />: <Money usd={spent_usd} /> spent
    </span>
    {end_user_ref && (
      <TextLink to="/end-users/$endUserRef" params={{ endUserRef: end_user_ref }} className="break-all font-mono">
        {end_user_ref}
      </TextLink>
    )}
    {key_id && <Id id={key_id} href={`/keys/${key_id}`} />}
  </span>
)
