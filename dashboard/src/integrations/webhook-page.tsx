import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useParams, useSearch } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { Delivery, Webhook, WebhookHealth } from "../api/operations.ts"
import { queryOf, useRead } from "../api/query.ts"
import { DeliveryRules, listDeliveriesQuery } from "../api/rules.ts"
import { DeliveryTable } from "../turns/delivery-table.tsx"
import { Button } from "../ui/button.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Menu } from "../ui/menu.tsx"
import { Page, Section } from "../ui/page.tsx"
import { OffsetPager, PAGE_ROWS } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { Id, Time } from "../ui/values.tsx"
import { LiveTest } from "./live-test.tsx"
import { integrationsPages } from "./pages.ts"
import { SuccessRate } from "./success-rate.tsx"
import type { WebhookChange } from "./webhook-dialogs.tsx"
import { WebhookState } from "./webhook-state.tsx"

const WebhookDialog = lazyPart(() =>
  import("./webhook-dialogs.tsx").then((module) => ({ default: module.WebhookDialog })),
)

export function WebhookPage() {
  const { webhookId } = useParams({ from: "/app/webhooks/$webhookId" })
  const { test } = useSearch({ from: "/app/webhooks/$webhookId" })
  const webhook = useRead("getWebhook", { path: { webhook_id: webhookId }, query: { test: test && "true" } })
  const health = useRead("getWebhookHealth", { path: { webhook_id: webhookId }, query: { test: test && "true" } })
  const [asked, setAsked] = useState<WebhookChange | null>(null)
  return (
    <Page
      {...integrationsPages.webhook}
      title={webhook.data?.url ?? integrationsPages.webhook.title}
      above={<TextLink to="/webhooks">Webhooks</TextLink>}
      action={webhook.data && <Actions webhook={webhook.data} health={health.data} ask={setAsked} />}
    >
      <Read of={webhook}>
        {(data) => (
          <>
            <KeyValues
              entries={[
                ["State", <WebhookState key="state" webhook={data} />],
                ["Success", <SuccessRate key="success" health={health.data} />],
                ["Webhook", <Id key="id" id={data.webhook_id} full />],
                ["Events", data.events?.join(", ") ?? "all, including future types"],
                ["Description", data.description ?? undefined],
                [
                  "Created by",
                  data.key_id ? <Id key="key" id={data.key_id} href={`/keys/${data.key_id}`} /> : "the dashboard",
                ],
                ["Created", <Time key="made" at={data.created_at} exact />],
                [
                  "Old secret expires",
                  data.previous_secret_expires_at ? (
                    <Time key="old" at={data.previous_secret_expires_at} exact />
                  ) : undefined,
                ],
              ]}
            />
            <Section title="Live test">
              <LiveTest webhook={data} />
            </Section>
            <Deliveries webhookId={webhookId} />
          </>
        )}
      </Read>
      <Suspense>{asked && <WebhookDialog {...asked} onClose={() => setAsked(null)} />}</Suspense>
    </Page>
  )
}

interface ActionsProps {
  webhook: Webhook
  health: WebhookHealth | undefined
  ask: (change: WebhookChange) => void
}

function Actions({ webhook, health, ask }: ActionsProps) {
  const isOn = webhook.enabled
  const hasLost = webhook.failing_since !== null || (health !== undefined && health.failed > 0)
  return (
    <>
      <Button
        does="replayEvents"
        kind={hasLost ? "primary" : "plain"}
        disabled={!isOn}
        onClick={() => ask({ kind: "recover", webhook })}
      >
        Recover events
      </Button>
      <Menu
        label={`Actions of the webhook ${webhook.url}`}
        items={[
          { label: "Edit", does: "updateWebhook", onSelect: () => ask({ kind: "edit", webhook }) },
          {
            label: isOn ? "Disable" : "Enable",
            does: "updateWebhook",
            onSelect: () => ask({ kind: "switch", webhook }),
          },
          { label: "Replay events", does: "replayEvents", onSelect: () => ask({ kind: "replay", webhook }) },
          { label: "Rotate the secret", does: "rotateWebhookSecret", onSelect: () => ask({ kind: "rotate", webhook }) },
          { label: "Delete", does: "deleteWebhook", danger: true, onSelect: () => ask({ kind: "delete", webhook }) },
        ]}
      />
    </>
  )
}

const LIVE_MS = 5000
const isPending = ({ state }: Delivery) => state === "pending"

function Deliveries({ webhookId }: { webhookId: string }) {
  const { test, offset = 0, ...set } = useSearch({ from: "/app/webhooks/$webhookId" })
  const deliveries = useQuery({
    ...queryOf("listDeliveries", {
      path: { webhook_id: webhookId },
      query: { ...set, test: test && "true", limit: PAGE_ROWS, offset },
    }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => state.data?.items.some(isPending) && LIVE_MS,
  })
  const isFiltered = Object.values(set).some((value) => value !== undefined)
  return (
    <Section title="Deliveries">
      <FilterBar
        set={set}
        end={
          <Button busy={deliveries.isFetching} onClick={() => void deliveries.refetch()}>
            Refresh
          </Button>
        }
        filters={
          <>
            <ChoiceFilter
              label="State"
              name="state"
              value={set.state}
              all="All states"
              options={DeliveryRules.state.words}
            />
            <ChoiceFilter
              label="Event"
              name="event_type"
              value={set.event_type}
              all="All events"
              options={listDeliveriesQuery.event_type.words.map((type) => [type, type] as const)}
            />
            <TextFilter label="Turn id (turn_…)" name="turn" value={set.turn} />
          </>
        }
      />
      <Read of={deliveries} rows={8}>
        {({ items, total }) => (
          <>
            <DeliveryTable
              ofOne
              deliveries={items}
              stale={deliveries.isPlaceholderData}
              empty={
                <p className="text-muted">
                  {isFiltered
                    ? "No deliveries match these filters."
                    : "No deliveries yet. Send a test event to see one here."}
                </p>
              }
            />
            <OffsetPager offset={offset} total={total} />
          </>
        )}
      </Read>
    </Section>
  )
}
