import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { AccountSetup } from "../api/operations.ts"
import { queryOf } from "../api/query.ts"
import { LiveTest } from "../integrations/live-test.tsx"
import { RECEIVER_PYTHON, RECEIVER_TYPESCRIPT } from "../integrations/receiver-code.ts"
import { WebhookState } from "../integrations/webhook-state.tsx"
import { installCommand, pipCommand } from "../turns/turn-code.ts"
import { Button } from "../ui/button.tsx"
import { CodeBlock } from "../ui/code-block.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"

const NewWebhookDialog = lazyPart(() =>
  import("../integrations/new-webhook-dialog.tsx").then((module) => ({ default: module.NewWebhookDialog })),
)

interface WebhookStepProps {
  setup: AccountSetup
  test: true | undefined
  onTest: () => void
}

/** A receiver to run, the registration of its URL, and a live test of it. */
export function WebhookStep({ setup, test, onTest }: WebhookStepProps) {
  const { tab } = useSearch({ from: "/app/home" })
  const hasOne = setup.webhook !== "none"
  const webhooks = useQuery({
    ...queryOf("listWebhooks", { query: { test: test && "true", limit: 1 } }),
    enabled: hasOne,
  })
  const [making, setMaking] = useState(false)
  const [webhook] = webhooks.data?.items ?? []
  const isPython = tab === "python"
  return (
    <>
      <p className="text-muted">
        Turnpike posts each event to your server, so that it does not have to poll. Create the webhook, and run this
        receiver with the secret that is then shown in TURNPIKE_WEBHOOK_SECRET. Nothing is sent before your test event.
      </p>
      <CodeBlock
        code={isPython ? pipCommand() : installCommand()}
        label={`The installation of the ${isPython ? "Python client" : "client"} for the receiver`}
      />
      <CodeBlock
        code={isPython ? RECEIVER_PYTHON : RECEIVER_TYPESCRIPT}
        label={`A receiver in ${isPython ? "Python" : "TypeScript"}`}
      />
      {webhook && (
        <div className="flex flex-wrap items-center gap-3">
          <TextLink to="/webhooks/$webhookId" params={{ webhookId: webhook.webhook_id }} className="break-all">
            {webhook.url}
          </TextLink>
          <WebhookState webhook={webhook} />
        </div>
      )}
      <div className="flex flex-wrap items-start gap-3">
        {webhook && <LiveTest webhook={webhook} primary onSend={onTest} />}
        <Button does="createWebhook" kind={hasOne ? "plain" : "primary"} icon="plus" onClick={() => setMaking(true)}>
          {hasOne ? "Create another webhook" : "Create a webhook"}
        </Button>
      </div>
      <Suspense>{making && <NewWebhookDialog onClose={() => setMaking(false)} />}</Suspense>
    </>
  )
}
