import { useSearch } from "@tanstack/react-router"
import { useRead } from "../api/query.ts"
import { Icon } from "../ui/icon.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Time } from "../ui/values.tsx"

const SHOWN = 5

/** The webhooks whose last attempt failed, from the first failure on. Renders nothing if all work. */
export function FailingWebhooks() {
  const { test } = useSearch({ from: "/app" })
  const { data } = useRead("listWebhooks", { query: { test: test && "true", failing: "true", limit: SHOWN } })
  if (!data || data.items.length === 0) return null
  return (
    <Section title="Failing webhooks" action={<TextLink to="/webhooks">All webhooks</TextLink>}>
      <ul className="flex flex-col gap-2 [&_a]:text-bad [&_a]:underline">
        {data.items.map(({ webhook_id, url, failing_since, health }) => (
          <li key={webhook_id} className="flex items-start gap-2 rounded-md bg-bad-soft px-3 py-2 text-bad">
            <span className="flex h-5 items-center">
              <Icon name="error" />
            </span>
            <span className="min-w-0 grow break-words">
              <TextLink to="/webhooks/$webhookId" params={{ webhookId: webhook_id }}>
                {url}
              </TextLink>{" "}
              has failed since <Time at={failing_since} />. Of its newest deliveries, {health.delivered} arrived,{" "}
              {health.retrying} are retried and {health.failed} have failed.
            </span>
          </li>
        ))}
      </ul>
      {data.total > data.items.length && <p className="text-muted">{data.total} webhooks fail.</p>}
    </Section>
  )
}
