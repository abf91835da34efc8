import { useState } from "react"
import type { Webhook } from "../api/operations.ts"
import { ReplayRules } from "../api/rules.ts"
import { Button } from "../ui/button.tsx"
import { fieldOfInstant, instantOfField } from "../ui/days.ts"
import { AnswerDialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Checkbox, TextInput } from "../ui/field.tsx"
import { useReplay } from "./use-replay.ts"
import { EventFields } from "./webhook-form.tsx"
import type { EventType } from "./webhook-words.ts"

const DAY_MS = 86_400_000

/** Sends the events of a time range again, for example after an outage of the receiving server. */
export function ReplayEvents({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const draft = useDraft(`replay.${webhook.webhook_id}`)
  const [first] = useState(() => fieldOfInstant(new Date(Date.now() - DAY_MS).toISOString()))
  const [from, setFrom] = draft.useField("from", first)
  const [to, setTo] = draft.useField("to", "")
  const [events, setEvents] = draft.useField<readonly EventType[]>("events", [])
  const [again, setAgain] = draft.useField<boolean>("again", ReplayRules.include_delivered.default)
  const body = () => ({
    from: instantOfField(from),
    ...(to && { to: instantOfField(to) }),
    ...(events.length > 0 && { events: [...events] }),
    include_delivered: again,
  })
  const replay = useReplay(webhook, body, () => {
    draft.clear()
    onClose()
  })
  return (
    <AnswerDialog
      open
      wide
      draft={draft}
      onClose={onClose}
      onSubmit={() => replay.mutate()}
      title={`Replay events to ${webhook.url}`}
      about="The events of this period are posted again, with the same webhook-id as before."
      actions={
        <>
          <DismissButton />
          <Button type="submit" kind="primary" busy={replay.isPending} disabled={from === ""}>
            Replay
          </Button>
        </>
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextInput
          label="From (UTC)"
          name="from"
          type="datetime-local"
          error={replay.error}
          value={from}
          onChange={({ target }) => setFrom(target.value)}
        />
        <TextInput
          label="To (UTC)"
          name="to"
          type="datetime-local"
          hint="Empty: until now."
          error={replay.error}
          value={to}
          onChange={({ target }) => setTo(target.value)}
        />
      </div>
      <EventFields events={events} onChange={setEvents} />
      <Checkbox
        label="Include events that were already delivered"
        checked={again}
        onChange={({ target }) => setAgain(target.checked)}
      />
      {replay.error && <ErrorState error={replay.error} />}
    </AnswerDialog>
  )
}
