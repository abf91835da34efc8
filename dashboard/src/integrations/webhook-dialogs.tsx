import { useNavigate, useSearch } from "@tanstack/react-router"
import type { Webhook } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { AnswerDialog, ConfirmDialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Select } from "../ui/field.tsx"
import { showOnce } from "../ui/secret-host.tsx"
import { toast } from "../ui/toast.tsx"
import { OVERLAPS } from "./key-words.ts"
import { RecoverEvents } from "./recover-dialog.tsx"
import { ReplayEvents } from "./replay-dialog.tsx"
import { WebhookFields, type WebhookValues, webhookBody } from "./webhook-form.tsx"
import type { EventType } from "./webhook-words.ts"

export interface WebhookChange {
  kind: "edit" | "switch" | "rotate" | "replay" | "recover" | "delete"
  webhook: Webhook
}

export interface WebhookDialogProps {
  webhook: Webhook
  onClose: () => void
}

/** The dialogs that change an existing webhook. */
export function WebhookDialog({ kind, ...props }: WebhookChange & { onClose: () => void }) {
  if (kind === "edit") return <EditWebhook {...props} />
  if (kind === "switch") return <SwitchWebhook {...props} />
  if (kind === "rotate") return <RotateSecret {...props} />
  if (kind === "recover") return <RecoverEvents {...props} />
  return kind === "replay" ? <ReplayEvents {...props} /> : <DeleteWebhook {...props} />
}

function useWebhookInput({ webhook_id }: Webhook) {
  const { test } = useSearch({ from: "/app" })
  return { path: { webhook_id }, query: { test: test && ("true" as const) } }
}

const CHANGES = { changes: ["listWebhooks" as const, "getWebhook" as const] }

function EditWebhook({ webhook, onClose }: WebhookDialogProps) {
  const input = useWebhookInput(webhook)
  const draft = useDraft(`webhook.${webhook.webhook_id}`)
  const update = useChange("updateWebhook", { ...CHANGES, draft })
  const [values, setValues] = draft.useField<WebhookValues>("values", {
    url: webhook.url,
    description: webhook.description ?? "",
    events: (webhook.events ?? []) as EventType[],
  })
  const saved = () => {
    toast("The webhook is saved.")
    onClose()
  }
  return (
    <AnswerDialog
      draft={draft}
      open
      wide
      onClose={onClose}
      onSubmit={() => update.mutate({ ...input, body: webhookBody(values) }, { onSuccess: saved })}
      title={`Edit the webhook ${webhook.url}`}
      actions={
        <>
          <DismissButton />
          <Button type="submit" kind="primary" busy={update.isPending} disabled={values.url === ""}>
            Save
          </Button>
        </>
      }
    >
      <WebhookFields values={values} onChange={setValues} error={update.error} />
      {update.error && <ErrorState error={update.error} />}
    </AnswerDialog>
  )
}

function RotateSecret({ webhook, onClose }: WebhookDialogProps) {
  const input = useWebhookInput(webhook)
  const draft = useDraft(`rotation.${webhook.webhook_id}`)
  const rotate = useChange("rotateWebhookSecret", {
    ...CHANGES,
    draft,
    onAnswer: ({ secret }) =>
      showOnce({
        secret,
        title: `The new signing secret of ${webhook.url}`,
        more: (
          <p className="text-muted">
            Until the old secret expires, events are signed with both. Switch your server to the new secret before then.
          </p>
        ),
      }),
  })
  const [overlap, setOverlap] = draft.useField("overlap", OVERLAPS[0][0] as string)
  const send = () =>
    rotate.mutate({ ...input, query: { ...input.query, overlap_seconds: Number(overlap) } }, { onSuccess: onClose })
  return (
    <AnswerDialog
      draft={draft}
      open
      onClose={onClose}
      onSubmit={send}
      title={`Rotate the signing secret of ${webhook.url}?`}
      about="The new secret is shown once. Until the old secret expires, events are signed with both."
      actions={
        <>
          <DismissButton />
          <Button type="submit" kind="primary" busy={rotate.isPending}>
            Rotate secret
          </Button>
        </>
      }
    >
      <Select
        label="Old secret expires"
        hint="Immediately: the secrets of earlier rotations expire too."
        value={overlap}
        onChange={({ target }) => setOverlap(target.value)}
        options={OVERLAPS}
      />
      {rotate.error && <ErrorState error={rotate.error} />}
    </AnswerDialog>
  )
}

function SwitchWebhook({ webhook, onClose }: WebhookDialogProps) {
  const input = useWebhookInput(webhook)
  const update = useChange("updateWebhook", CHANGES)
  const isOn = webhook.enabled
  const done = () => {
    toast(isOn ? "The webhook is disabled." : "The webhook is enabled.")
    onClose()
  }
  return (
    <ConfirmDialog
      safe={!isOn}
      open
      onClose={onClose}
      title={isOn ? "Disable the webhook?" : "Enable the webhook?"}
      about={
        isOn ? "It receives no more events, and pending deliveries are dropped." : "It receives events from now on."
      }
      verb={isOn ? "Disable webhook" : "Enable webhook"}
      busy={update.isPending}
      error={update.error}
      onConfirm={() => update.mutate({ ...input, body: { enabled: !isOn } }, { onSuccess: done })}
    />
  )
}

function DeleteWebhook({ webhook, onClose }: WebhookDialogProps) {
  const input = useWebhookInput(webhook)
  const remove = useChange("deleteWebhook", { changes: ["listWebhooks"] })
  const navigate = useNavigate()
  const gone = () => {
    toast("The webhook is deleted.")
    onClose()
    void navigate({ to: "/webhooks" })
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete the webhook ${webhook.url}?`}
      about="It receives no more events, pending deliveries are dropped, and its secret is deleted."
      verb="Delete webhook"
      typed={webhook.url}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(input, { onSuccess: gone })}
    />
  )
}
