import { useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { EVENT_LABELS } from "../api/event-labels.ts"
import type { BalanceReached, CapReached, FeedEvent } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Icon } from "../ui/icon.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Money, Time } from "../ui/values.tsx"

const DAY_MS = 86_400_000
const DAYS = 7
const SHOWN = 5

/** Midnight UTC a week ago: a whole day, so that the query key stays the same all day. */
const since = () => `${new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10)}T00:00:00.000Z`

/** The warnings of the last days. Renders nothing if the account has no warnings. */
export function Alerts() {
  const { test } = useSearch({ from: "/app" })
  const query = { test: test && ("true" as const), created_after: since(), limit: SHOWN }
  const reads = [
    useRead("listEvents", { query: { ...query, type: "balance.depleted" } }),
    useRead("listEvents", { query: { ...query, type: "balance.low" } }),
    useRead("listEvents", { query: { ...query, type: "cap.reached" } }),
    useRead("listEvents", { query: { ...query, type: "endpoint.disabled" } }),
  ]
  const events = reads
    .flatMap(({ data }) => data?.data ?? [])
    .sort((a, b) => b.created_at.localeCompare(a.created_at))
    .slice(0, SHOWN)
  if (events.length === 0) return null
  return (
    <Section title="Alerts">
      <ul className="flex flex-col gap-2 [&_a]:text-warn [&_a]:decoration-current">
        {events.map((event) => (
          <li key={event.id} className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn">
            <span className="flex h-5 items-center">
              <Icon name="warning" />
            </span>
            <div className="flex min-w-0 grow flex-wrap justify-between gap-x-3">
              <span className="min-w-0 break-words">
                {EVENT_LABELS[event.type]}: {detailsOf(event)}
              </span>
              <Time at={event.created_at} />
            </div>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function detailsOf({ type, data }: FeedEvent): ReactNode {
  if (type === "endpoint.disabled") return <EndpointWords data={data as Record<string, unknown>} />
  if (type === "cap.reached") return <CapWords cap={data as CapReached} />
  const { available_usd, threshold_usd } = data as BalanceReached
  if (type === "balance.depleted") {
    return (
      <>
        new turns are rejected. <TextLink to="/balance">Balance</TextLink>
      </>
    )
  }
  return (
    <>
      <Money usd={available_usd} /> available, below <Money usd={threshold_usd} />.{" "}
      <TextLink to="/balance">Balance</TextLink>
    </>
  )
}

function CapWords({ cap: { cap, percent, limit_usd, key_id, end_user_ref, resets_at } }: { cap: CapReached }) {
  return (
    <>
      {percent} % of the {cap.replaceAll("_", " ")} cap of <Money usd={limit_usd} />
      {end_user_ref && (
        <>
          {" by "}
          <TextLink to="/end-users/$endUserRef" params={{ endUserRef: end_user_ref }}>
            {end_user_ref}
          </TextLink>
        </>
      )}
      {key_id && (
        <>
          {", set on "}
          <TextLink to="/keys/$keyId" params={{ keyId: key_id }}>
            the API key
          </TextLink>
        </>
      )}
      . It resets <Time at={resets_at} />.
    </>
  )
}

function EndpointWords({ data }: { data: Record<string, unknown> }) {
  const { webhook_id, url, reason } = data as { webhook_id: string; url: string; reason: string }
  return (
    <>
      {url}, {reason.replaceAll("_", " ")}.{" "}
      <TextLink to="/webhooks/$webhookId" params={{ webhookId: webhook_id }}>
        View deliveries
      </TextLink>
    </>
  )
}
