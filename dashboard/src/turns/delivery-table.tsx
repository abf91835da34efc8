import { useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { OperationId } from "../api/call.ts"
import { wordsOf } from "../api/code-words.ts"
import type { Delivery } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { TextLink } from "../ui/link.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { toast } from "../ui/toast.tsx"
import { Id, Time } from "../ui/values.tsx"

interface DeliveryTableProps {
  deliveries: readonly Delivery[] | undefined
  empty: ReactNode
  stale?: boolean
  /** True for the deliveries of one webhook. A column with the turn replaces the one with the webhook. */
  ofOne?: boolean
}

/** Deliveries, each with the response to its last attempt and a button that resends it. */
export function DeliveryTable({ deliveries, empty, stale, ofOne }: DeliveryTableProps) {
  const webhook: Column<Delivery>[] = ofOne
    ? [{ title: "Turn", cell: ({ turn_id }) => (turn_id ? <Id id={turn_id} href={`/turns/${turn_id}`} /> : "–") }]
    : [{ title: "Webhook", cell: ({ webhook_id }) => <Id id={webhook_id} href={`/webhooks/${webhook_id}`} /> }]
  return (
    <Table
      caption="Deliveries"
      rows={deliveries}
      rowKey={({ delivery_id }) => delivery_id}
      stale={stale}
      empty={empty}
      columns={[
        {
          title: "Event",
          cell: ({ delivery_id, event_type }) => (
            <TextLink to="/deliveries/$deliveryId" params={{ deliveryId: delivery_id }}>
              {event_type}
            </TextLink>
          ),
        },
        { title: "State", cell: (row) => <DeliveryState delivery={row} /> },
        { title: "Last response", cell: ({ attempts }) => <AttemptAnswer attempt={attempts.at(-1)} /> },
        { title: "Attempts", right: true, cell: ({ attempt_count }) => attempt_count },
        ...webhook,
        { title: "Delivery", cell: ({ delivery_id }) => <Id id={delivery_id} /> },
        { title: "Created", right: true, cell: ({ created_at }) => <Time at={created_at} /> },
        { title: "Actions", actions: true, cell: (row) => <Redeliver delivery={row} /> },
      ]}
    />
  )
}

export const DeliveryState = ({ delivery: { state, status_reason, next_attempt_at } }: { delivery: Delivery }) => (
  <span className="inline-flex flex-wrap items-center gap-2">
    <Status word={state} />
    <span className="text-muted text-xs">
      {status_reason && wordsOf(status_reason)}
      {next_attempt_at && (
        <>
          {" "}
          retry <Time at={next_attempt_at} />
        </>
      )}
    </span>
  </span>
)

/** The HTTP status of an attempt, or the reason why it got no response. */
export function AttemptAnswer({ attempt }: { attempt: Delivery["attempts"][number] | undefined }) {
  if (!attempt) return <span className="text-muted">no attempt yet</span>
  const { status, error, location } = attempt
  const isGood = status !== null && status >= 200 && status < 300
  return (
    <span className={isGood ? "text-ok" : "text-bad"}>
      {status ?? error ?? "no response"}
      {location && <span className="break-all"> to {location}</span>}
      {status !== null && error && <span className="block text-muted text-xs">{error}</span>}
    </span>
  )
}

/** The operations whose answers a new delivery changes. */
export const DELIVERIES: OperationId[] = [
  "listDeliveries",
  "listTurnDeliveries",
  "getDelivery",
  "getWebhook",
  "getWebhookHealth",
  "listWebhooks",
  "getAttention",
]

export function Redeliver({ delivery: { delivery_id, event_type } }: { delivery: Delivery }) {
  const { test } = useSearch({ from: "/app" })
  const send = useChange("redeliver", { changes: DELIVERIES })
  return (
    <Button
      does="redeliver"
      busy={send.isPending}
      aria-label={`Resend: ${event_type} of ${delivery_id}`}
      onClick={() =>
        send.mutate(
          { path: { delivery_id }, query: { test: test && "true" } },
          {
            onSuccess: () => toast(`${event_type} is queued for delivery.`),
            onError: ({ message }) => toast(message, { bad: true }),
          },
        )
      }
    >
      Resend
    </Button>
  )
}
