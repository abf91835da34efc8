import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import type { Delivery, Webhook } from "../api/operations.ts"
import { queryOf, readAgain, useChange } from "../api/query.ts"
import { AttemptAnswer, DELIVERIES } from "../turns/delivery-table.tsx"
import { Button } from "../ui/button.tsx"
import { lasted } from "../ui/durations.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Icon } from "../ui/icon.tsx"
import { TextLink } from "../ui/link.tsx"

const LOOK_MS = 1000
/** How often a delivery is read that is attempted again later. */
const RETRY_MS = 5000

interface LiveTestProps {
  webhook: Pick<Webhook, "webhook_id" | "enabled">
  primary?: boolean
  /** Called when a test event is sent. */
  onSend?: () => void
}

/** Sends a test event, and shows the endpoint's response as soon as it comes, also to a later attempt. */
export function LiveTest({ webhook: { webhook_id, enabled }, primary, onSend }: LiveTestProps) {
  const { test } = useSearch({ from: "/app" })
  const query = { test: test && ("true" as const) }
  const ping = useChange("testWebhook", { changes: DELIVERIES })
  const [deliveryId, setDeliveryId] = useState<string | null>(null)
  const delivery = useQuery({
    ...queryOf("getDelivery", { path: { delivery_id: deliveryId ?? "" }, query }),
    enabled: deliveryId !== null,
    refetchInterval: ({ state: { data } }) =>
      data && data.state !== "pending" ? false : data && data.attempt_count > 0 ? RETRY_MS : LOOK_MS,
  })
  const attempts = delivery.data?.attempt_count ?? 0
  const client = useQueryClient()
  // Each attempt may have changed the webhook's state.
  useEffect(() => {
    if (attempts > 0) void readAgain(client, [...DELIVERIES, "getSetup"])
  }, [client, attempts])
  const send = () => {
    onSend?.()
    ping.mutate({ path: { webhook_id }, query }, { onSuccess: (made) => setDeliveryId(made.delivery_id) })
  }
  return (
    <div className="flex flex-col items-start gap-2">
      <Button
        does="testWebhook"
        kind={primary ? "primary" : "plain"}
        busy={ping.isPending}
        disabled={!enabled}
        onClick={send}
      >
        Send a test event
      </Button>
      {ping.error && <ErrorState error={ping.error} />}
      {deliveryId !== null && <Result delivery={delivery.data} />}
    </div>
  )
}

function Result({ delivery }: { delivery: Delivery | undefined }) {
  const last = delivery?.attempts.at(-1)
  if (!delivery || !last) {
    return (
      <p role="status" className="flex items-center gap-2 text-muted">
        <Icon name="waiting" />
        The test event is on its way.
      </p>
    )
  }
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <AttemptAnswer attempt={last} />
      <span className="text-muted">after {lasted(last.duration_ms)}</span>
      <TextLink to="/deliveries/$deliveryId" params={{ deliveryId: delivery.delivery_id }}>
        View the delivery
      </TextLink>
    </p>
  )
}
