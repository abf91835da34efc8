import { Suspense, useState } from "react"
import type { ExternalApiKey } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { List } from "../operator/list.tsx"
import { curl, PersonName } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import type { Column } from "../ui/table.tsx"
import { Count, Money, Time } from "../ui/values.tsx"
import { settingsPages } from "./pages.ts"

const SetKey = lazyPart(() => import("./key-set.tsx").then((file) => ({ default: file.SetKey })))
const UnsetKey = lazyPart(() => import("./key-unset.tsx").then((file) => ({ default: file.UnsetKey })))

interface Change {
  kind: "set" | "unset"
  of: ExternalApiKey
}

const columnsOf = (change: (change: Change) => void): Column<ExternalApiKey>[] => [
  {
    title: "Key",
    cell: ({ name, file }) => (
      <span>
        <code>{name}</code> <span className="text-muted text-xs">in {file}</span>
      </span>
    ),
  },
  { title: "Providers", cell: ({ providers }) => providers.join(", ") || <span className="text-muted">–</span> },
  {
    title: "Value",
    cell: ({ is_set, last_four }) =>
      is_set ? <code>…{last_four}</code> : <span className="text-muted">none stored</span>,
  },
  { title: "Calls", right: true, cell: ({ calls }) => <Count value={calls} /> },
  { title: "Input tokens", right: true, cell: ({ tokens_input }) => <Count value={tokens_input} /> },
  { title: "Output tokens", right: true, cell: ({ tokens_output }) => <Count value={tokens_output} /> },
  { title: "Cost", right: true, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
  { title: "Last used", right: true, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  {
    title: "Last changed",
    cell: ({ updated_at, updated_by }) =>
      updated_at ? (
        <span>
          <Time at={updated_at} />
          {updated_by && (
            <>
              {" by "}
              <PersonName of={updated_by} />
            </>
          )}
        </span>
      ) : (
        <span className="text-muted">never</span>
      ),
  },
  {
    title: "Actions",
    actions: true,
    cell: (of) => (
      <>
        <Button
          kind="quiet"
          aria-label={`${of.is_set ? "Replace" : "Set"} ${of.key_id}`}
          onClick={() => change({ kind: "set", of })}
        >
          {of.is_set ? "Replace" : "Set"}
        </Button>
        {of.is_set && (
          <Button kind="quiet" aria-label={`Unset ${of.key_id}`} onClick={() => change({ kind: "unset", of })}>
            Unset
          </Button>
        )}
      </>
    ),
  },
]

export function ProviderKeysPage() {
  const keys = useRead("listExternalApiKeys")
  const [changing, setChanging] = useState<Change | null>(null)
  const since = keys.data?.items.find(({ counted_since }) => counted_since)?.counted_since
  return (
    <Page
      {...settingsPages.keys}
      action={
        <TextLink to="/operator/audit" search={{ action: "api_key.update" }}>
          View changes
        </TextLink>
      }
    >
      <List
        caption="Provider keys"
        list="provider-keys"
        of={keys}
        columns={columnsOf(setChanging)}
        rowKey={({ key_id }) => key_id}
        empty={<EmptyState title="No provider keys" curl={curl("/api/admin/api-keys")} />}
      />
      {since && (
        <p className="text-muted text-xs">
          Only the newest calls are counted, since <Time at={since} exact />.
        </p>
      )}
      {changing && (
        <Suspense>
          {changing.kind === "set" ? (
            <SetKey of={changing.of} onClose={() => setChanging(null)} />
          ) : (
            <UnsetKey of={changing.of} onClose={() => setChanging(null)} />
          )}
        </Suspense>
      )}
    </Page>
  )
}
