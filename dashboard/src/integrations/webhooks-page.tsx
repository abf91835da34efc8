import { useSearch } from "@tanstack/react-router"
import { Suspense } from "react"
import type { ListedWebhook } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { wholeCurl } from "../ui/commands.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { useFilters } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { ButtonLink, TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { OffsetPager, PAGE_ROWS } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Id, Time } from "../ui/values.tsx"
import { integrationsPages } from "./pages.ts"
import { SuccessRate } from "./success-rate.tsx"
import { WebhookState } from "./webhook-state.tsx"

const NewWebhookDialog = lazyPart(() =>
  import("./new-webhook-dialog.tsx").then((module) => ({ default: module.NewWebhookDialog })),
)

export function WebhooksPage() {
  const { test, offset = 0, new: making } = useSearch({ from: "/app/webhooks" })
  const change = useFilters()
  const webhooks = useRead("listWebhooks", { query: { test: test && "true", limit: PAGE_ROWS, offset } })
  const open = (isOpen: boolean) => change({ new: isOpen || undefined, offset: offset || undefined })
  return (
    <Page
      {...integrationsPages.webhooks}
      action={
        <>
          <ButtonLink to="/event-types">Event catalog</ButtonLink>
          <Button does="createWebhook" kind="primary" icon="plus" onClick={() => open(true)}>
            Create a webhook
          </Button>
        </>
      }
    >
      <Read of={webhooks} rows={4}>
        {({ items, total }) => (
          <>
            <Table
              caption="Webhooks"
              list="webhooks"
              rows={items}
              rowKey={({ webhook_id }) => webhook_id}
              stale={webhooks.isPlaceholderData}
              columns={COLUMNS}
              empty={<NoWebhooks />}
            />
            <OffsetPager offset={offset} total={total} />
          </>
        )}
      </Read>
      <Suspense>{making && <NewWebhookDialog onClose={() => open(false)} />}</Suspense>
    </Page>
  )
}

const COLUMNS: Column<ListedWebhook>[] = [
  {
    title: "URL",
    cell: ({ webhook_id, url, description }) => (
      <span className="inline-flex min-w-0 flex-col">
        <TextLink to="/webhooks/$webhookId" params={{ webhookId: webhook_id }} className="break-all">
          {url}
        </TextLink>
        {description && <span className="text-muted text-xs">{description}</span>}
      </span>
    ),
  },
  { title: "State", cell: (row) => <WebhookState webhook={row} /> },
  { title: "Success", cell: ({ health }) => <SuccessRate health={health} /> },
  { title: "Events", cell: ({ events }) => events?.join(", ") ?? "all" },
  { title: "Webhook", cell: ({ webhook_id }) => <Id id={webhook_id} /> },
  { title: "Created", right: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

const EXAMPLE = { url: "https://example.com/webhooks/turnpike", events: ["turn.done", "turn.failed"] }

const NoWebhooks = () => (
  <EmptyState title="No webhooks yet" curl={wholeCurl("/v1/webhooks", { method: "POST", body: EXAMPLE })}>
    A webhook notifies your server when a turn ends, a cap is reached or the balance is low. Events are signed, and
    failed deliveries are retried.
  </EmptyState>
)
