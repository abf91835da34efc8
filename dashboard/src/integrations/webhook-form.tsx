import { EVENT_LABELS } from "../api/event-labels.ts"
import { Checkbox, TextInput } from "../ui/field.tsx"
import { EVENT_TYPES, type EventType } from "./webhook-words.ts"

export interface WebhookValues {
  url: string
  description: string
  /** Empty: all types, including future ones. Types of a webhook that this page does not know are kept. */
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
        hint="An https URL with a public host name. Events are posted to it."
        autoComplete="off"
        error={error}
        value={values.url}
        onChange={({ target }) => onChange({ ...values, url: target.value })}
      />
      <TextInput
        label="Description"
        name="description"
        hint="Optional. For your own notes."
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

/** Checkboxes for the types of events. No selection means all types but the one that must be named. */
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
      <p className="text-muted text-xs">If none is selected, all types are included, except activity.recorded.</p>
    </fieldset>
  )
}

/** The request body of a webhook. */
export const webhookBody = ({ url, description, events }: WebhookValues) => ({
  url,
  description: description || null,
  events: events.length > 0 ? [...events] : null,
})
