import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useState } from "react"
import type { ApiError } from "../api/api-error.ts"
import type { Webhook } from "../api/operations.ts"
import { ReplayRules } from "../api/rules.ts"
import { send } from "../api/send.ts"
import { Button } from "../ui/button.tsx"
import { AnswerDialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Checkbox, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { EventFields } from "./webhook-form.tsx"
import type { EventType } from "./webhook-words.ts"

const instantOfText = (text: string) => new Date(`${text}Z`).toISOString()
const dayAgo = () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 16)

/** Sends the events of a time range again, for example after an outage of the receiving server. */
export function ReplayEvents({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { test } = useSearch({ from: "/app" })
  const client = useQueryClient()
  const draft = useDraft(`replay.${webhook.webhook_id}`)
  const [first] = useState(dayAgo)
  const [from, setFrom] = draft.useField("from", first)
  const [to, setTo] = draft.useField("to", "")
  const [events, setEvents] = draft.useField<readonly EventType[]>("events", [])
  const [again, setAgain] = draft.useField<boolean>("again", ReplayRules.include_delivered.default)
  const input = { path: { webhook_id: webhook.webhook_id }, query: { test: test && ("true" as const) } }
  const body = () => ({
    from: instantOfText(from),
    ...(to && { to: instantOfText(to) }),
    ...(events.length > 0 && { events: [...events] }),
    include_delivered: again,
  })
  /** Replays one page of events after another, until no cursor is left. */
  const replay = useMutation<number, ApiError>({
    mutationFn: async () => {
      let sum = 0
      let cursor: string | undefined
      do {
        const part = await send("replayEvents", { ...input, query: { ...input.query, cursor }, body: body() })
        sum += part.replayed
        cursor = part.next_cursor ?? undefined
      } while (cursor)
      return sum
    },
    onSuccess: (sum) => {
      draft.clear()
      toast(
        sum === 1
          ? "One event is queued for delivery."
          : `${sum.toLocaleString("en-US")} events are queued for delivery.`,
      )
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["listDeliveries"] }),
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
