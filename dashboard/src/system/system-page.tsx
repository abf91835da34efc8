import { useQuery } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import { wordsOf } from "../api/code-words.ts"
import type { System } from "../api/operations.ts"
import { queryOf } from "../api/query.ts"
import { Waits, waitingOf } from "../operator/waiting-work.tsx"
import { Button } from "../ui/button.tsx"
import { Stat, Stats } from "../ui/facts.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, MoneyFigure, Time } from "../ui/values.tsx"
import { systemPages } from "./pages.ts"
import { SystemReconciliations } from "./reconciliations.tsx"

const Reconcile = lazyPart(() =>
  import("./reconcile-dialog.tsx").then((file) => ({ default: file.SystemReconcileDialog })),
)

const LIVE_MS = 10_000
/** Charges that wait longer than this are shown as a fault. */
const POSTING_SECONDS = 2
/** Sweeps run every minute while the cron is awake. A sweep counts as late if its last run is older than this. */
const LATE_SWEEP_MS = 5 * 60_000

export function SystemPage() {
  const system = useQuery({ ...queryOf("getSystem"), refetchInterval: LIVE_MS })
  const [asking, setAsking] = useState(false)
  return (
    <Page
      {...systemPages.system}
      action={
        <Button kind="primary" disabled={!!system.data?.reconciliation_running} onClick={() => setAsking(true)}>
          Reconcile now
        </Button>
      }
    >
      <Read of={system} rows={14}>
        {(data) => (
          <>
            <Health of={data} />
            <Sweeps of={data} />
            <SystemReconciliations of={data} />
          </>
        )}
      </Read>
      {asking && (
        <Suspense>
          <Reconcile onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </Page>
  )
}

const bad = (isBad: boolean, words: string) => (isBad ? <Status word={words} tone="bad" /> : undefined)

function Health({ of }: { of: System }) {
  const { database, turns, webhooks, postings, containers, outside } = of
  const waits = waitingOf(turns)
  return (
    <Section title="Health" action={<span className="text-muted text-xs">Updated every 10 seconds</span>}>
      <Stats>
        <Stat label="Database" hint={bad(!database.ok, "not responding")}>
          {database.round_trip_ms.toLocaleString(undefined, { maximumFractionDigits: 1 })} ms
        </Stat>
        {outside.map(({ name, ok, message }) => (
          <Stat key={name} label={name === "queue" ? "Queue" : "Redis"} hint={bad(ok === false, message)}>
            {ok === false ? "failing" : "ok"}
          </Stat>
        ))}
        <Stat label="Turns running" hint={waits > 0 ? `${waits.toLocaleString()} waiting` : undefined}>
          <Count value={turns.running} />
        </Stat>
        <Stat label="Turns queued" hint={bad(turns.overdue > 0, `${turns.overdue} overdue`)}>
          <Count value={turns.queued} />
        </Stat>
        <Stat label="Webhooks pending" hint={bad(webhooks.overdue > 0, `${webhooks.overdue} overdue`)}>
          <Count value={webhooks.pending} />
        </Stat>
        <Stat
          label="Charges to post"
          hint={
            postings.oldest_seconds === null
              ? undefined
              : (bad(postings.oldest_seconds > POSTING_SECONDS, `oldest ${Math.round(postings.oldest_seconds)} s`) ??
                `oldest ${Math.round(postings.oldest_seconds)} s`)
          }
        >
          <Count value={postings.queued} />
        </Stat>
        <Stat
          label="Containers"
          hint={
            containers.billed_until ? (
              <>
                billed <Time at={containers.billed_until} />
              </>
            ) : (
              "never billed"
            )
          }
        >
          <Count value={containers.mappings} />
        </Stat>
        <Stat
          label="Infrastructure due"
          hint={
            <TextLink to="/operator/system/billing" className="text-xs">
              Bill now
            </TextLink>
          }
        >
          <MoneyFigure usd={containers.due_usd} />
        </Stat>
      </Stats>
      <Waits turns={turns} webhooks={webhooks} />
      {of.errors.length > 0 && (
        <Table
          caption="Failures in the last 24 hours"
          rows={of.errors}
          rowKey={({ kind, name }) => `${kind} ${name}`}
          columns={[
            { title: "Failures, 24 hours", cell: ({ kind }) => wordsOf(kind) },
            { title: "Where", cell: ({ name }) => <code>{name}</code> },
            {
              title: "Count",
              right: true,
              cell: ({ kind, errors }) => (
                <TextLink
                  to="/operator/turns"
                  search={{ failure: kind, created_after: new Date(Date.now() - 86_400_000).toISOString() }}
                >
                  {errors.toLocaleString()}
                </TextLink>
              ),
            },
          ]}
        />
      )}
    </Section>
  )
}

type Sweep = System["sweeps"][number]

const isLate = ({ ran_at }: Sweep) => Date.now() - Date.parse(ran_at) > LATE_SWEEP_MS

const sweepColumns = (isAsleep: boolean): Column<Sweep>[] => [
  { title: "Sweep", cell: ({ name }) => <code>{name}</code> },
  {
    title: "State",
    cell: (sweep) => (
      <span className="inline-flex gap-1">
        <Status word={sweep.ok ? "ok" : "failed"} />
        {!isAsleep && isLate(sweep) && <Status word="late" tone="warn" />}
      </span>
    ),
  },
  { title: "Last run", cell: ({ ran_at }) => <Time at={ran_at} /> },
  { title: "Last success", cell: ({ succeeded_at }) => <Time at={succeeded_at} /> },
  {
    title: "Duration",
    right: true,
    cell: ({ duration_ms }) => `${duration_ms.toLocaleString(undefined, { maximumFractionDigits: 0 })} ms`,
  },
]

const Sweeps = ({ of }: { of: System }) => (
  <Section
    title="Sweeps"
    action={
      <span className="text-muted text-xs">
        {of.asleep ? (
          <>
            Asleep until <Time at={of.asleep.until} />, or until something changes
          </>
        ) : (
          "Sweeps run every minute"
        )}
      </span>
    }
  >
    <Table
      caption="The last run of each sweep"
      rows={[...of.sweeps].sort((a, b) => Number(a.ok) - Number(b.ok) || a.name.localeCompare(b.name))}
      rowKey={({ name }) => name}
      columns={sweepColumns(of.asleep !== null)}
      empty={<p className="text-muted">No sweep has run yet.</p>}
    />
  </Section>
)
