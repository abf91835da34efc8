import { useSearch } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { ApiKey } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { useFilters } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { OffsetPager, PAGE_ROWS } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Money, Time } from "../ui/values.tsx"
import type { KeyChange } from "./key-dialogs.tsx"
import { KeyMenu } from "./key-menu.tsx"
import { KEY_SCOPES, keyState } from "./key-words.ts"
import { integrationsPages } from "./pages.ts"

const NewKeyDialog = lazyPart(() => import("./new-key-dialog.tsx").then((module) => ({ default: module.NewKeyDialog })))
const KeyDialog = lazyPart(() => import("./key-dialogs.tsx").then((module) => ({ default: module.KeyDialog })))

export function KeysPage() {
  const { test, offset = 0, new: making } = useSearch({ from: "/app/keys" })
  const change = useFilters()
  const keys = useRead("listKeys", { query: { test: test && "true", limit: PAGE_ROWS, offset } })
  const [asked, setAsked] = useState<KeyChange | null>(null)
  const make = () => change({ new: true, offset: offset || undefined })
  return (
    <Page
      {...integrationsPages.keys}
      action={
        <Button does="createKey" kind="primary" icon="plus" onClick={make}>
          Create a key
        </Button>
      }
    >
      <Read of={keys} rows={4}>
        {({ items, total }) => (
          <>
            <Table
              caption="API keys"
              list="keys"
              rows={items}
              rowKey={({ key_id }) => key_id}
              stale={keys.isPlaceholderData}
              columns={[
                ...COLUMNS,
                { title: "Actions", actions: true, cell: (row) => <KeyMenu apiKey={row} ask={setAsked} /> },
              ]}
              empty={<NoKeys test={test} />}
            />
            <OffsetPager offset={offset} total={total} />
          </>
        )}
      </Read>
      <Section title="Key scopes">
        <KeyValues entries={Object.values(KEY_SCOPES).map(({ title, about }) => [title, about])} />
        <p className="max-w-[88ch] text-muted">
          Each key can have its own caps: per day, per window of any length, and per end user. A test key runs the
          rehearsal model at no cost and accesses only test data.
        </p>
      </Section>
      <Suspense>
        {making && <NewKeyDialog test={test} onClose={() => change({ new: undefined, offset: offset || undefined })} />}
        {asked && <KeyDialog {...asked} onClose={() => setAsked(null)} />}
      </Suspense>
    </Page>
  )
}

const COLUMNS: Column<ApiKey>[] = [
  {
    title: "Name",
    cell: ({ key_id, name, test }) => (
      <span className="inline-flex flex-wrap items-center gap-2">
        <TextLink to="/keys/$keyId" params={{ keyId: key_id }}>
          {name}
        </TextLink>
        {test && <Status word="test" tone="none" />}
      </span>
    ),
  },
  { title: "State", cell: (row) => <Status word={keyState(row)} /> },
  { title: "Scope", cell: ({ scope }) => KEY_SCOPES[scope]?.reach },
  { title: "Value", cell: ({ hint }) => <code className="break-all">{hint}</code> },
  { title: "Daily cap", right: true, cell: ({ caps }) => <Money usd={caps.daily_usd} /> },
  { title: "Last used", right: true, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  { title: "Expires", right: true, cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : "never") },
]

const NoKeys = ({ test }: { test: true | undefined }) => (
  <EmptyState title={test ? "No test keys yet" : "No API keys yet"}>
    A key lets your server send turns. Its value is shown only once, when the key is created.
  </EmptyState>
)
