import { useParams } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { ApiKeyWithCaps } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { getUsageQuery } from "../api/rules.ts"
import { useSpaceTitles } from "../api/titles.ts"
import { Button } from "../ui/button.tsx"
import { Chart } from "../ui/chart.tsx"
import { KeyValues, Stat, Stats } from "../ui/facts.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { RateTable, rateText } from "../ui/rate-table.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { Table } from "../ui/table.tsx"
import { UnusualSpend } from "../ui/unusual-spend.tsx"
import { Count, Id, Money, MoneyFigure, Time } from "../ui/values.tsx"
import type { KeyChange } from "./key-dialogs.tsx"
import { KeyMenu, useKeyRefusal } from "./key-menu.tsx"
import { CAP_TITLES, KEY_SCOPES, keyState } from "./key-words.ts"
import { integrationsPages } from "./pages.ts"

const KeyDialog = lazyPart(() => import("./key-dialogs.tsx").then((module) => ({ default: module.KeyDialog })))

export function KeyPage() {
  const { keyId } = useParams({ from: "/app/keys/$keyId" })
  const key = useRead("getKey", { path: { key_id: keyId } })
  const [asked, setAsked] = useState<KeyChange | null>(null)
  const apiKey = key.data
  const beyond = useKeyRefusal(apiKey)
  return (
    <Page
      {...integrationsPages.key}
      title={apiKey?.name ?? integrationsPages.key.title}
      above={<TextLink to="/keys">API keys</TextLink>}
      action={
        apiKey && (
          <>
            <Button
              does="updateKey"
              title={beyond ?? undefined}
              disabled={apiKey.revoked_at !== null || beyond !== null}
              onClick={() => setAsked({ kind: "edit", apiKey })}
            >
              Edit name, caps and rates
            </Button>
            <KeyMenu apiKey={apiKey} ask={setAsked} />
          </>
        )
      }
    >
      <Read of={key}>
        {(data) => (
          <>
            <KeyFacts apiKey={data} />
            {!data.test && <UnusualSpend key_id={keyId} />}
            <KeyCaps apiKey={data} />
            <KeyUse apiKey={data} />
          </>
        )}
      </Read>
      <Suspense>{asked && <KeyDialog {...asked} onClose={() => setAsked(null)} />}</Suspense>
    </Page>
  )
}

function KeyFacts({ apiKey }: { apiKey: ApiKeyWithCaps }) {
  const { key_id, space, hint, scope, test } = apiKey
  const scopeWords = KEY_SCOPES[scope]
  const moment = (at: string | null) => (at ? <Time at={at} exact /> : undefined)
  return (
    <KeyValues
      entries={[
        ["State", <Status key="state" word={keyState(apiKey)} />],
        ["Key", <Id key="id" id={key_id} full />],
        ["Value", <code key="value">{hint}</code>],
        [
          "Scope",
          <span key="scope">
            {scopeWords?.title}
            <span className="block text-muted text-xs">{scopeWords?.about}</span>
          </span>,
        ],
        ["Space", space ? <SpaceOfKey key="space" id={space} test={test || undefined} /> : undefined],
        ["Test key", test ? "yes (rehearsal model, no cost)" : undefined],
        ["Created", moment(apiKey.created_at)],
        ["Last used", <Time key="used" at={apiKey.last_used_at} />],
        ["Expires", moment(apiKey.expires_at) ?? "never"],
        ["Default customer", apiKey.default_end_user_ref ?? apiKey.key_id],
        ["Old value expires", moment(apiKey.previous_expires_at)],
        ["Revoked", moment(apiKey.revoked_at)],
        [
          "Changes",
          <TextLink key="changes" to="/activity" search={{ subject_id: key_id }}>
            Who changed this key
          </TextLink>,
        ],
      ]}
    />
  )
}

/** The title of the key's space, and its id. */
function SpaceOfKey({ id, test }: { id: string; test: true | undefined }) {
  const title = useSpaceTitles([id], test).get(id)
  return (
    <span>
      {title}
      <span className="block">
        <Id id={id} href={`/spaces/${id}`} full />
      </span>
    </span>
  )
}

function KeyCaps({ apiKey: { cap_states, caps, test, rate_states, end_user_rate } }: { apiKey: ApiKeyWithCaps }) {
  const forEndUsers = caps.end_user_daily_usd !== null || caps.end_user_monthly_usd !== null
  return (
    <Section title="Caps and rates">
      <Table
        caption="Caps of this key"
        rows={cap_states}
        rowKey={({ cap }) => cap}
        columns={[
          { title: "Cap", cell: ({ cap }) => CAP_TITLES[cap] ?? cap },
          { title: "Limit", right: true, cell: ({ limit_usd }) => <Money usd={limit_usd} /> },
          { title: "Spent", right: true, cell: ({ spent_usd }) => <Money usd={spent_usd} /> },
          { title: "Held", right: true, cell: ({ reserved_usd }) => <Money usd={reserved_usd} /> },
          { title: "Remaining", right: true, cell: ({ left_usd }) => <Money usd={left_usd} /> },
          {
            title: "Resets",
            right: true,
            cell: ({ resets_at }) => (resets_at ? <Time at={resets_at} /> : "no open window"),
          },
        ]}
        empty={
          <p className="text-muted">
            {test ? "Test keys cost nothing and have no caps." : "No caps. The key can spend the whole balance."}
          </p>
        }
      />
      <RateTable caption="Rates of this key" states={rate_states} />
      {end_user_rate && <p className="text-muted">Each end user has a default rate: {rateText(end_user_rate)}.</p>}
      {forEndUsers && (
        <p className="text-muted">
          Default caps per end user: <Money usd={caps.end_user_daily_usd} /> per day,{" "}
          <Money usd={caps.end_user_monthly_usd} /> per month.
        </p>
      )}
    </Section>
  )
}

/** The billed amount of the key's turns in the last 30 days. */
function KeyUse({ apiKey: { key_id, test } }: { apiKey: ApiKeyWithCaps }) {
  const usage = useRead("getUsage", {
    query: { group_by: "day", key: [key_id], test: test ? "true" : undefined, limit: getUsageQuery.limit.maximum },
  })
  return (
    <Section
      title="Usage, last 30 days"
      action={
        <TextLink to="/turns" search={{ key: key_id, test: test || undefined }}>
          View turns
        </TextLink>
      }
    >
      <Read of={usage}>
        {({ data, total }) => (
          <>
            <Stats>
              <Stat label="Billed">
                <MoneyFigure usd={total.billed_usd} />
              </Stat>
              <Stat label="Turns">
                <Count value={total.turns} />
              </Stat>
              <Stat label="Model calls">
                <Count value={total.model_calls} />
              </Stat>
            </Stats>
            {data.length > 0 && (
              <Chart
                title="Billed by day, USD (UTC)"
                kind="bars"
                series={[{ key: "billed", label: "Billed" }]}
                points={data
                  .map(({ group, billed_usd }) => ({ label: group, values: { billed: billed_usd } }))
                  .sort((a, b) => a.label.localeCompare(b.label))}
                unit="usd"
              />
            )}
          </>
        )}
      </Read>
    </Section>
  )
}
