import { useSearch } from "@tanstack/react-router"
import { EVENT_LABELS } from "../api/event-labels.ts"
import { EVENT_SAMPLES } from "../api/event-samples.ts"
import { Json } from "../ui/code-block.tsx"
import { useFilters } from "../ui/filter-bar.tsx"
import { OutLink, TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { integrationsPages } from "./pages.ts"

const TYPES = Object.entries(EVENT_LABELS)

/** Every type of event, each with the body that a webhook receives. */
export function EventTypesPage() {
  const { type: open } = useSearch({ from: "/app/event-types" })
  const change = useFilters()
  return (
    <Page
      {...integrationsPages.eventTypes}
      above={<TextLink to="/webhooks">Webhooks</TextLink>}
      action={<OutLink href="/docs">API reference</OutLink>}
    >
      <ul className="flex flex-col rounded-md border border-line">
        {TYPES.map(([type, label]) => (
          <li key={type} className="border-line border-b last:border-b-0">
            <h2>
              <button
                type="button"
                aria-expanded={open === type}
                onClick={() => change({ type: open === type ? undefined : type })}
                className="flex w-full flex-wrap items-baseline gap-x-4 px-3 py-2 text-left -outline-offset-2 hover:bg-hover"
              >
                <code className="font-strong">{type}</code>
                <span className="font-normal text-muted">{label}</span>
              </button>
            </h2>
            {open === type && (
              <div className="px-3 pb-3">
                <Json value={EVENT_SAMPLES[type]} label={`A sample of ${type}`} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </Page>
  )
}
