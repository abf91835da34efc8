import { useQuery } from "@tanstack/react-query"
import { useParams, useSearch } from "@tanstack/react-router"
import type { Delivery, DeliveryAttempt } from "../api/operations.ts"
import { queryOf, useRead } from "../api/query.ts"
import { AttemptAnswer, DeliveryState, Redeliver } from "../turns/delivery-table.tsx"
import { Json } from "../ui/code-block.tsx"
import { lasted } from "../ui/durations.ts"
import { KeyValues } from "../ui/facts.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Id, Time } from "../ui/values.tsx"
import { integrationsPages } from "./pages.ts"

const LIVE_MS = 3000

export function DeliveryPage() {
  const { deliveryId } = useParams({ from: "/app/deliveries/$deliveryId" })
  const { test } = useSearch({ from: "/app" })
  const delivery = useQuery({
    ...queryOf("getDelivery", { path: { delivery_id: deliveryId }, query: { test: test && "true" } }),
    refetchInterval: ({ state }) => state.data?.state === "pending" && LIVE_MS,
  })
  return (
    <Page
      {...integrationsPages.delivery}
      about={<Id id={deliveryId} full />}
      above={<TextLink to="/webhooks">Webhooks</TextLink>}
      action={delivery.data && <Redeliver delivery={delivery.data} />}
    >
      <Read of={delivery}>{(data) => <WholeDelivery delivery={data} test={test} />}</Read>
    </Page>
  )
}

function WholeDelivery({ delivery, test }: { delivery: Delivery; test: true | undefined }) {
  const { event_id, event_type, webhook_id, turn_id, attempts } = delivery
  const event = useRead("getEvent", { path: { event_id }, query: { test: test && "true" } })
  return (
    <>
      <KeyValues
        entries={[
          ["State", <DeliveryState key="state" delivery={delivery} />],
          ["Event", event_type],
          ["Event id", <Id key="event" id={event_id} full />],
          ["Webhook", <Id key="webhook" id={webhook_id} href={`/webhooks/${webhook_id}`} full />],
          ["Turn", turn_id ? <Id key="turn" id={turn_id} href={`/turns/${turn_id}`} full /> : undefined],
          ["Created", <Time key="made" at={delivery.created_at} exact />],
          ["Ended", delivery.finished_at ? <Time key="ended" at={delivery.finished_at} exact /> : undefined],
        ]}
      />
      <Section title="Attempts">
        <Table
          caption="Attempts"
          rows={[...attempts].reverse()}
          rowKey={({ attempt }) => attempt}
          columns={ATTEMPTS}
          empty={<p className="text-muted">No attempts yet. They appear here.</p>}
        />
      </Section>
      <Section title="Payload">
        <Read of={event}>{(data) => <Json value={data} label="Body of the event" />}</Read>
      </Section>
    </>
  )
}

/** The headers of an attempt. The signature is not stored, because it belongs to the secret. */
const RequestHeaders = ({ headers }: { headers: Record<string, string> }) => (
  <details>
    <summary className="cursor-pointer text-accent">Headers</summary>
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-left text-xs">
      {Object.entries({ ...headers, "webhook-signature": "v1,… (not stored)" }).map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="break-all font-mono">{value}</dd>
        </div>
      ))}
    </dl>
  </details>
)

const ATTEMPTS: Column<DeliveryAttempt>[] = [
  { title: "Attempt", cell: ({ attempt }) => attempt },
  { title: "Response", cell: (row) => <AttemptAnswer attempt={row} /> },
  { title: "Response body", cell: ({ answer }) => <code className="break-all">{answer || "–"}</code> },
  { title: "Request headers", cell: ({ request_headers }) => <RequestHeaders headers={request_headers} /> },
  { title: "Duration", right: true, cell: ({ duration_ms }) => lasted(duration_ms) },
  { title: "Time", right: true, cell: ({ created_at }) => <Time at={created_at} /> },
]
