import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import type { AdminRefundRequest } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { choicesOf } from "../api/words.ts"
import { PersonName } from "../operator/parts.tsx"
import { REFUND_TONES } from "../turns/refund-state.tsx"
import { Button } from "../ui/button.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { ChoiceFilter, FilterBar } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { OffsetPager, PAGE_ROWS } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Money, Time } from "../ui/values.tsx"
import { creditPages } from "./pages.ts"
import { DecideRefundDialog, type RefundDecision } from "./refund-decision.tsx"

const route = getRouteApi("/app/admin/operator/refunds")

const STATES = choicesOf<Exclude<AdminRefundRequest["state"], "open">>({ refunded: "refunded", declined: "declined" })

interface Deciding {
  of: AdminRefundRequest
  decision: RefundDecision
}

export function RefundsPage() {
  const { state, offset = 0 } = route.useSearch()
  const requests = useRead("listAllRefundRequests", { query: { state: state ?? "open", limit: PAGE_ROWS, offset } })
  const [deciding, setDeciding] = useState<Deciding | null>(null)
  return (
    <Page {...creditPages.refunds}>
      <FilterBar set={{ state }}>
        <ChoiceFilter label="State" name="state" value={state} all="Open requests" options={STATES} />
      </FilterBar>
      <Read of={requests} rows={6}>
        {({ items, total }) => (
          <>
            <Table
              caption="Requests for refunds"
              list="refunds"
              rows={items}
              rowKey={({ turn_id }) => turn_id}
              columns={columnsOf((of, decision) => setDeciding({ of, decision }))}
              stale={requests.isPlaceholderData}
              empty={
                <EmptyState title={state ? `No requests are ${state}` : "No open requests"}>
                  Owners ask for a refund on the page of a turn.
                </EmptyState>
              }
            />
            <OffsetPager offset={offset} limit={PAGE_ROWS} total={total} />
          </>
        )}
      </Read>
      {deciding && <DecideRefundDialog {...deciding} onClose={() => setDeciding(null)} />}
    </Page>
  )
}

const columnsOf = (
  decide: (of: AdminRefundRequest, decision: RefundDecision) => void,
): Column<AdminRefundRequest>[] => [
  { title: "Account", cell: ({ account }) => <PersonName of={account} /> },
  {
    title: "Amount",
    right: true,
    cell: ({ amount_usd }) => <Money usd={amount_usd} />,
  },
  {
    title: "Reason",
    long: true,
    cell: ({ reason, answer }) => (
      <span className="flex max-w-[56ch] flex-col break-words">
        {reason}
        {answer !== null && <span className="text-muted">{answer}</span>}
      </span>
    ),
  },
  {
    title: "Turn",
    cell: ({ turn_id }) => (
      <TextLink to="/operator/turns/$turnId" params={{ turnId: turn_id }}>
        View turn
      </TextLink>
    ),
  },
  { title: "State", cell: ({ state }) => <Status word={state} tone={REFUND_TONES[state]} /> },
  { title: "Requested", right: true, cell: ({ requested_at }) => <Time at={requested_at} /> },
  {
    title: "Actions",
    actions: true,
    cell: (of) =>
      of.state === "open" && (
        <span className="flex justify-end gap-2">
          <Button aria-label={`Refund the turn ${of.turn_id}`} onClick={() => decide(of, "refund")}>
            Refund
          </Button>
          <Button
            kind="danger"
            aria-label={`Decline the refund of the turn ${of.turn_id}`}
            onClick={() => decide(of, "decline")}
          >
            Decline
          </Button>
        </span>
      ),
  },
]
