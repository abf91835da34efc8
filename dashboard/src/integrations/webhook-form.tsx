import { EVENT_LABELS } from "../api/event-labels.ts"
import { Checkbox, TextInput } from "../ui/field.tsx"
import { EVENT_TYPES, type EventType } from "./webhook-words.ts"

export interface WebhookValues {
  url: string
  description: string
  /** Empty: all types, also those that come later. A webhook may have types that this page does not know: they are kept. */
  events: readonly EventType[]
}

interface WebhookFieldsProps {
  values: WebhookValues
  onChange: (values: WebhookValues) => void
  error: unknown
}

export function WebhookFields({ values, onChange, error }: WebhookFieldsProps) {
  return (
    <>
      <TextInput
        label="URL"
        name="url"
        type="url"
        placeholder="https://example.com/webhooks/turnpike"
        hint="An https address with a public host name. Events are posted to it."
        autoComplete="off"
        error={error}
        value={values.url}
        onChange={({ target }) => onChange({ ...values, url: target.value })}
      />
      <TextInput
        label="Description"
        name="description"
        hint="A note of your own; may be left out."
        autoComplete="off"
        error={error}
        value={values.description}
        onChange={({ target }) => onChange({ ...values, description: target.value })}
      />
      <EventFields events={values.events} onChange={(events) => onChange({ ...values, events })} />
    </>
  )
}

interface EventFieldsProps {
  events: readonly EventType[]
  onChange: (events: readonly EventType[]) => void
}

/** The types of events; none chosen means all. */
export function EventFields({ events, onChange }: EventFieldsProps) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 font-strong">Events</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {[...new Set([...EVENT_TYPES, ...events])].map((type) => (
          <Checkbox
            key={type}
            label={
              <>
                <code>{type}</code> <span className="text-muted text-xs">{EVENT_LABELS[type]}</span>
              </>
            }
            checked={events.includes(type)}
            onChange={({ target }) =>
              onChange(target.checked ? [...events, type] : events.filter((other) => other !== type))
            }
          />
        ))}
      </div>
      <p className="text-muted text-xs">With none of them chosen: all types.</p>
    </fieldset>
  )
}

/** The body of a webhook as the API takes it. */
export const webhookBody = ({ url, description, events }: WebhookValues) => ({
  url,
  description: description || null,
  events: events.length > 0 ? [...events] : null,
})
