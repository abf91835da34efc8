import { wordsOf } from "../api/code-words.ts"
import type { Overview } from "../api/operations.ts"
import { listAllTurnsQuery } from "../api/rules.ts"
import { oneIn } from "../shell/search.ts"
import { TextLink } from "../ui/link.tsx"
import { Status } from "../ui/status.tsx"
import { Table } from "../ui/table.tsx"
import { Count, Time } from "../ui/values.tsx"

type Pool = Overview["pools"][number]

export function ErrorCounts({ errors }: { errors: Overview["errors"] }) {
  return (
    <Table
      caption="Infrastructure failures in the last 24 hours"
      rows={errors}
      rowKey={({ kind }) => kind}
      empty={<p className="text-muted">No failures in the last 24 hours.</p>}
      columns={[
        { title: "Kind", cell: ({ kind }) => wordsOf(kind) },
        {
          title: "Count",
          right: true,
          cell: ({ kind, count }) =>
            count === 0 ? (
              <span className="text-muted">0</span>
            ) : (
              <TextLink
                to="/operator/turns"
                search={{
                  failure: oneIn(kind, listAllTurnsQuery.failure.words),
                  created_after: new Date(Date.now() - 86_400_000).toISOString(),
                }}
              >
                {count.toLocaleString()}
              </TextLink>
            ),
        },
      ]}
    />
  )
}

/** The pools of provider accounts: how many accounts are usable, and how much of their limits remains. */
export function PoolCounts({ pools }: { pools: readonly Pool[] }) {
  return (
    <Table
      caption="Pools of provider accounts"
      rows={pools}
      rowKey={({ pool }) => pool}
      empty={<p className="text-muted">No pools.</p>}
      columns={[
        { title: "Pool", cell: ({ pool }) => pool },
        { title: "State", cell: (pool) => <PoolState of={pool} /> },
        { title: "Usable", right: true, cell: ({ usable, accounts }) => `${usable} of ${accounts}` },
        {
          title: "Remaining",
          right: true,
          cell: ({ windows }) =>
            windows.length === 0 ? (
              <span className="text-muted">unknown</span>
            ) : (
              <span className="flex flex-col items-end">
                {windows.map(({ resource, window_seconds, best_room_pct }) => (
                  <span key={`${resource} ${window_seconds}`}>
                    {Math.round(best_room_pct)}%{" "}
                    <span className="text-muted">of {windowOf(resource, window_seconds)}</span>
                  </span>
                ))}
              </span>
            ),
        },
        { title: "Running turns", right: true, cell: ({ in_flight }) => <Count value={in_flight} /> },
      ]}
    />
  )
}

function PoolState({ of }: { of: Pool }) {
  const parts = [
    [of.cooling, "cooling", "warn"],
    [of.suspended, "suspended", "bad"],
    [of.needs_login, "needs login", "bad"],
    [of.contained, "contained", "bad"],
    [of.disabled, "disabled", "none"],
  ] as const
  const shown = parts.filter(([count]) => count > 0)
  if (of.accounts === 0) return <span className="text-muted">no accounts</span>
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      {shown.length === 0 && <Status word="healthy" />}
      {shown.map(([count, word, tone]) => (
        <Status key={word} word={`${count} ${word}`} tone={tone} />
      ))}
      {of.recovers_at && (
        <span className="text-muted text-xs">
          recovers <Time at={of.recovers_at} />
        </span>
      )}
    </span>
  )
}

const windowOf = (resource: string, seconds: number) => {
  const size =
    seconds >= 86_400 ? `${seconds / 86_400} d` : seconds >= 3600 ? `${seconds / 3600} h` : `${seconds / 60} min`
  return resource === "unified" ? size : `${resource.replace("-", " ")}, ${size}`
}
