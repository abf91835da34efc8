import { wordsOf } from "../api/code-words.ts"
import type { Reconciliation, ReconciliationFinding, System } from "../api/operations.ts"
import { KeyValues } from "../ui/facts.tsx"
import { TextLink } from "../ui/link.tsx"
import { counted } from "../ui/numbers.ts"
import { Section } from "../ui/page.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, Id, Money, Time } from "../ui/values.tsx"

/** The running reconciliation, the last one, and the last one over all history. */
export function SystemReconciliations({ of }: { of: System }) {
  const { reconciliation: last, reconciliation_of_all: all, reconciliation_running: running } = of
  return (
    <Section title="Reconciliation">
      {running && (
        <p role="status" className="flex flex-wrap items-center gap-2">
          <Status word="running" />
          <span>
            A reconciliation of {scopeOf(running)} started <Time at={running.started_at} />:{" "}
            <Count value={running.accounts} /> accounts so far.
          </span>
        </p>
      )}
      {!last && !all && !running && (
        <p className="text-muted">No reconciliation has finished yet. Start one now, or wait for the scheduled one.</p>
      )}
      <div className="grid gap-x-10 gap-y-5 xl:grid-cols-2">
        {last && <SystemPass title="Last reconciliation" of={last} />}
        {all && all.reconciliation_id !== last?.reconciliation_id && (
          <SystemPass title="Last reconciliation of all history" of={all} />
        )}
      </div>
    </Section>
  )
}

const scopeOf = ({ scope }: Reconciliation) => (scope === "all" ? "all history" : "recent changes")

/** The scope, progress and findings of one reconciliation. */
export function SystemPass({ title, of }: { title: string; of: Reconciliation }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-3">
      <h3 className="flex flex-wrap items-center gap-2">
        {title}
        <Status
          word={of.findings_total === 0 ? "no findings" : counted(of.findings_total, "finding")}
          tone={of.findings_total === 0 ? "ok" : "bad"}
        />
      </h3>
      <KeyValues
        entries={[
          ["Id", <Id key="id" id={of.reconciliation_id} />],
          ["Scope", scopeOf(of)],
          ["Started by", <StartedBy key="by" who={of.started_by} />],
          ["Started", <Time key="started" at={of.started_at} />],
          ["Finished", <Time key="finished" at={of.finished_at} />],
          [
            "Checked",
            <span key="checked">
              <Count value={of.accounts} /> accounts, <Count value={of.ledger_rows} /> ledger rows,{" "}
              <Count value={of.turns} /> turns, <Count value={of.counters} /> counters
            </span>,
          ],
        ]}
      />
      {of.findings.length > 0 && (
        <Table
          caption={`Findings: ${title.toLowerCase()}`}
          rows={of.findings.map((finding, index) => ({ ...finding, index }))}
          rowKey={({ index }) => index}
          columns={FINDINGS}
        />
      )}
      {of.findings.length < of.findings_total && (
        <p className="text-muted text-xs">Showing the first {of.findings.length} findings.</p>
      )}
    </section>
  )
}

function StartedBy({ who }: { who: string }) {
  const admin = /^admin:(\d+)$/.exec(who)?.[1]
  if (!admin) return who
  return (
    <TextLink to="/operator/users/$userId" params={{ userId: admin }}>
      User {admin}
    </TextLink>
  )
}

const FINDINGS: Column<ReconciliationFinding>[] = [
  { title: "Finding", cell: ({ kind }) => wordsOf(kind) },
  {
    title: "Where",
    cell: ({ user_id, turn_id, ledger_id, counter }) => (
      <span className="flex flex-col gap-1 max-sm:items-end">
        {user_id !== null && (
          <TextLink to="/operator/users/$userId" params={{ userId: String(user_id) }}>
            User {user_id}
          </TextLink>
        )}
        {turn_id && <Id id={turn_id} />}
        {ledger_id !== null && <span>ledger row {ledger_id}</span>}
        {counter && (
          <span className="text-muted">
            {counter.kind} {counter.subject} {counter.period}
          </span>
        )}
      </span>
    ),
  },
  { title: "Expected", right: true, cell: ({ expected_usd }) => <Money usd={expected_usd} /> },
  { title: "Found", right: true, cell: ({ found_usd }) => <Money usd={found_usd} /> },
  {
    title: "Repaired",
    right: true,
    cell: ({ repaired }) => <Status word={repaired ? "repaired" : "open"} tone={repaired ? "ok" : "bad"} />,
  },
]
