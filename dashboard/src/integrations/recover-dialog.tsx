import { useState } from "react"
import type { Webhook } from "../api/operations.ts"
import { Button } from "../ui/button.tsx"
import { fieldOfInstant, instantOfField } from "../ui/days.ts"
import { AnswerDialog, DismissButton } from "../ui/dialog.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { TextInput } from "../ui/field.tsx"
import { useReplay } from "./use-replay.ts"

interface RecoverProps {
  webhook: Webhook
  onClose: () => void
}

const HOUR_MS = 3_600_000

/** Sends everything again that failed since a moment: at first, since the webhook began to fail. */
export function RecoverEvents({ webhook, onClose }: RecoverProps) {
  const [since, setSince] = useState(() =>
    fieldOfInstant(webhook.failing_since ?? new Date(Date.now() - HOUR_MS).toISOString()),
  )
  const recover = useReplay(webhook, () => ({ from: instantOfField(since), include_delivered: false }), onClose)
  return (
    <AnswerDialog
      open
      onClose={onClose}
      onSubmit={() => recover.mutate()}
      title={`Recover events of ${webhook.url}`}
      about="Events from this moment on that failed, or were never sent to this webhook, are sent again under the same ids. Events that it has accepted are not."
      actions={
        <>
          <DismissButton />
          <Button type="submit" kind="primary" busy={recover.isPending} disabled={since === ""}>
            Recover events
          </Button>
        </>
      }
    >
      <TextInput
        label="Since (UTC)"
        name="from"
        type="datetime-local"
        error={recover.error}
        value={since}
        onChange={({ target }) => setSince(target.value)}
      />
      {recover.error && <ErrorState error={recover.error} />}
    </AnswerDialog>
  )
}
