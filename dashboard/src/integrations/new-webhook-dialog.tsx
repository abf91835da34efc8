import { useSearch } from "@tanstack/react-router"
import { useState } from "react"
import type { WebhookWithSecret } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { AnswerDialog } from "../ui/dialog.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { SecretDialog } from "../ui/secret-dialog.tsx"
import { WebhookFields, type WebhookValues, webhookBody } from "./webhook-form.tsx"

/** Makes a webhook, and shows its signing secret once. */
export function NewWebhookDialog({ onClose }: { onClose: () => void }) {
  const { test } = useSearch({ from: "/app" })
  const create = useChange("createWebhook", { changes: ["listWebhooks"] })
  const [made, setMade] = useState<WebhookWithSecret | null>(null)
  const [values, setValues] = useState<WebhookValues>({ url: "", description: "", events: [] })
  if (made) {
    return (
      <SecretDialog secret={made.secret} title={`The signing secret of ${made.url}`} onClose={onClose}>
        <p className="text-muted">Your server verifies each event with it (Standard Webhooks).</p>
      </SecretDialog>
    )
  }
  return (
    <AnswerDialog
      open
      wide
      onClose={onClose}
      onSubmit={() =>
        create.mutate({ query: { test: test && "true" }, body: webhookBody(values) }, { onSuccess: setMade })
      }
      title="Make a webhook"
      about="Your server hears of what happens instead of asking for it."
      actions={
        <>
          <Button onClick={onClose}>Make none</Button>
          <Button type="submit" kind="primary" busy={create.isPending} disabled={values.url === ""}>
            Make the webhook
          </Button>
        </>
      }
    >
      <WebhookFields values={values} onChange={setValues} error={create.error} />
      {create.error && <ErrorState error={create.error} />}
    </AnswerDialog>
  )
}
