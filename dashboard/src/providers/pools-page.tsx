import { Suspense, useState } from "react"
import type { Pools, Provider } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { exportBaseUrl } from "../ui/commands.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { Stat, Stats } from "../ui/facts.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { ButtonLink, TextLink } from "../ui/link.tsx"
import { Menu } from "../ui/menu.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { toast } from "../ui/toast.tsx"
import { Count, Id, Money, Time } from "../ui/values.tsx"
import type { ProviderChange } from "./change-dialog.tsx"
import { providersPages } from "./pages.ts"
import { KINDS, ProviderState, Windows } from "./provider-parts.tsx"

const ChangeDialog = lazyPart(() =>
  import("./change-dialog.tsx").then((module) => ({ default: module.ProviderChangeDialog })),
)

export function ProviderPoolsPage() {
  const providers = useRead("listProviders")
  const pools = useRead("getPools")
  const altPool = useRead("getAltPool")
  const [change, setChange] = useState<ProviderChange | null>(null)
  return (
    <Page
      {...providersPages.pools}
      action={
        <ButtonLink kind="primary" to="/operator/providers/sign-in">
          Add an account
        </ButtonLink>
      }
    >
      <Read of={pools} rows={2}>
        {(data) => <PoolStats pools={data} />}
      </Read>
      <p className="text-muted">
        An account serves the models of its engine. If the environment also configures an account for that engine, only
        accounts with the same base URL serve those models.
      </p>
      <Section title="Main pool">
        <Read of={providers}>
          {({ items }) => (
            <Accounts pool="main" accounts={items.filter(({ pool }) => pool === "main")} ask={setChange} />
          )}
        </Read>
      </Section>
      <Section title="Alt-pool">
        <Read of={altPool}>
          {({ accounts, active, state }) => (
            <>
              <p className="text-muted">
                {active ? `Active account: ${active.name}.` : "No account is usable now."} The pool is {state}.
              </p>
              <Accounts pool="alt-pool" accounts={accounts} ask={setChange} />
            </>
          )}
        </Read>
      </Section>
      <Suspense>{change && <ChangeDialog {...change} onClose={() => setChange(null)} />}</Suspense>
    </Page>
  )
}

interface AccountsProps {
  pool: "main" | "alt-pool"
  accounts: Provider[]
  ask: (change: ProviderChange) => void
}

function Accounts({ pool, accounts, ask }: AccountsProps) {
  const key = {
    name: `Key of ${pool}`,
    kind: "api_key",
    pool,
    engine: "anthropic",
    api_key: "your-key-at-the-provider",
  }
  return (
    <Table
      caption={`Accounts in the pool ${pool}`}
      rows={accounts}
      rowKey={({ provider_id }) => provider_id}
      columns={[...COLUMNS, { title: "Actions", actions: true, cell: (row) => <Actions row={row} ask={ask} /> }]}
      empty={
        <EmptyState
          title="No accounts in this pool"
          curl={[
            exportBaseUrl(),
            'curl -s "$TURNPIKE_BASE_URL/api/admin/providers/add" \\',
            '  -H "Cookie: token=$TURNPIKE_SESSION" -H "Origin: $TURNPIKE_BASE_URL" -H "Content-Type: application/json" \\',
            `  -d '${JSON.stringify(key)}'`,
          ].join("\n")}
        >
          Until you add an account, model calls use the keys from the environment.
        </EmptyState>
      }
    />
  )
}

const COLUMNS: Column<Provider>[] = [
  {
    title: "Account",
    cell: ({ provider_id, name }) => (
      <span className="inline-flex flex-col">
        <span className="font-strong">{name}</span>
        <Id id={provider_id} />
      </span>
    ),
  },
  { title: "State", cell: (row) => <ProviderState provider={row} /> },
  {
    title: "Kind",
    cell: ({ kind }) => KINDS[kind],
  },
  {
    title: "Engine",
    cell: ({ engine, base_url }) => (
      <span className="inline-flex flex-col">
        {engine}
        <span className="text-muted text-xs">{base_url ?? "the engine's own server"}</span>
      </span>
    ),
  },
  { title: "Used", cell: ({ windows }) => <Windows windows={windows} /> },
  { title: "Running turns", right: true, cell: ({ in_flight }) => <Count value={in_flight} /> },
  {
    title: "Calls, 30 days",
    right: true,
    cell: ({ provider_id, usage }) => (
      <TextLink to="/operator/turns" search={{ provider: provider_id }}>
        <Count value={usage.model_calls} />
      </TextLink>
    ),
  },
  { title: "Cost, 30 days", right: true, cell: ({ usage }) => <Money usd={usage.cost_usd} /> },
  { title: "Last used", right: true, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
]

function PoolStats({ pools: { pools } }: { pools: Pools }) {
  return (
    <Stats>
      {pools.map(({ pool, available, published_at, capacity }) => (
        <Stat
          key={pool}
          label={pool === "main" ? "Main pool" : "Alt-pool"}
          hint={
            available && capacity ? (
              <>
                {capacity.recovers_at && (
                  <>
                    recovers <Time at={capacity.recovers_at} />,{" "}
                  </>
                )}
                published <Time at={published_at} />
              </>
            ) : (
              "No capacity was published in the last minutes."
            )
          }
        >
          {available && capacity ? `${capacity.usable} of ${capacity.accounts} usable` : "Not available"}
        </Stat>
      ))}
    </Stats>
  )
}

function Actions({ row, ask }: { row: Provider; ask: (change: ProviderChange) => void }) {
  const enable = useChange("enableProvider")
  const enableAlt = useChange("enableAltPoolAccount")
  const refresh = useChange("refreshProviderLimits")
  const { provider_id, name, pool } = row
  const told = (words: string) => ({
    onSuccess: () => toast(words),
    onError: (error: Error) => toast(error.message, { bad: true }),
  })
  const bringBack = () =>
    pool === "main"
      ? enable.mutate({ path: { provider_id } }, told(`${name} was enabled.`))
      : enableAlt.mutate({ path: { account_id: provider_id } }, told(`${name} was enabled.`))
  return (
    <Menu
      label={`Actions for the account ${name}`}
      items={[
        {
          label: "Refresh limits",
          onSelect: () => refresh.mutate({ path: { provider_id } }, told(`The limits of ${name} were refreshed.`)),
        },
        ...(row.disabled || row.health === "contained" || row.state === "suspended"
          ? [{ label: "Enable", onSelect: bringBack }]
          : []),
        ...(row.disabled ? [] : [{ label: "Disable", onSelect: () => ask({ kind: "disable", provider: row }) }]),
        { label: "Remove", danger: true, onSelect: () => ask({ kind: "remove", provider: row }) },
      ]}
    />
  )
}
