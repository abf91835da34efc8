import { useSearch } from "@tanstack/react-router"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { AnswerDialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { showOnce } from "../ui/secret-host.tsx"
import { WebhookFields, type WebhookValues, webhookBody } from "./webhook-form.tsx"

/** Creates a webhook, then shows its signing secret once. No ping is sent before the user has it. */
export function NewWebhookDialog({ onClose }: { onClose: () => void }) {
  const { test } = useSearch({ from: "/app" })
  const draft = useDraft("webhook.new")
  const create = useChange("createWebhook", {
    changes: ["listWebhooks", "getSetup"],
    draft,
    onAnswer: ({ url, secret }) =>
      showOnce({
        secret,
        title: `The signing secret of ${url}`,
        more: (
          <p className="text-muted">
            Your server verifies each event with this secret (Standard Webhooks). Start it with the secret. Then send it
            a test event: all other events wait until it has answered one.
          </p>
        ),
      }),
  })
  const [values, setValues] = draft.useField<WebhookValues>("values", { url: "", description: "", events: [] })
  return (
    <AnswerDialog
      draft={draft}
      open
      wide
      onClose={onClose}
      onSubmit={() =>
        create.mutate(
          { query: { test: test && "true" }, body: { ...webhookBody(values), ping: false } },
          { onSuccess: onClose },
        )
      }
      title="Create a webhook"
      about="Turnpike posts events to your server, so that it does not have to poll."
      actions={
        <>
          <DismissButton />
          <Button type="submit" kind="primary" busy={create.isPending} disabled={values.url === ""}>
            Create the webhook
          </Button>
        </>
      }
    >
      <WebhookFields values={values} onChange={setValues} error={create.error} />
      {create.error && <ErrorState error={create.error} />}
    </AnswerDialog>
  )
}
