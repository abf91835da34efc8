import { useQuery } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import type { InfraBilling } from "../api/operations.ts"
import { queryOf } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { exportBaseUrl } from "../ui/commands.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { Stat, Stats } from "../ui/facts.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, Money, MoneyFigure, Time } from "../ui/values.tsx"
import { systemPages } from "./pages.ts"

const Bill = lazyPart(() => import("./billing-dialog.tsx").then((file) => ({ default: file.SystemBillDialog })))

const COLUMNS: Column<InfraBilling["bills"][number]>[] = [
  {
    title: "Account",
    cell: ({ user_id }) => (
      <TextLink to="/operator/users/$userId" params={{ userId: String(user_id) }}>
        User {user_id}
      </TextLink>
    ),
  },
  { title: "Since", cell: ({ starts_at }) => (starts_at ? <Time at={starts_at} /> : "the beginning") },
  {
    title: "Container seconds",
    right: true,
    cell: ({ container_seconds }) => <Count value={Math.round(container_seconds)} />,
  },
  {
    title: "Storage (GiB-hours)",
    right: true,
    cell: ({ stored_gib_hours }) => stored_gib_hours.toLocaleString(undefined, { maximumFractionDigits: 4 }),
  },
  { title: "Cost", right: true, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
  { title: "Previously due", right: true, cell: ({ due_before_usd }) => <Money usd={due_before_usd} /> },
  { title: "Billed", right: true, cell: ({ billed_usd }) => <Money usd={billed_usd} /> },
  { title: "Still due", right: true, cell: ({ due_usd }) => <Money usd={due_usd} /> },
]

/** Shows a dry run first. The bill can be created only after the dry run has loaded. */
export function SystemBillingPage() {
  const dryRun = useQuery({
    ...queryOf("billInfra", { query: { dry_run: "true" } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [asking, setAsking] = useState(false)
  const [billed, setBilled] = useState<InfraBilling | null>(null)
  return (
    <Page
      {...systemPages.billing}
      above={<TextLink to="/operator/system">System</TextLink>}
      action={
        <>
          <Button
            busy={dryRun.isFetching}
            onClick={() => {
              setBilled(null)
              void dryRun.refetch()
            }}
          >
            Refresh
          </Button>
          <Button
            kind="primary"
            disabled={!dryRun.data || dryRun.data.accounts === 0 || billed !== null}
            onClick={() => setAsking(true)}
          >
            Bill now
          </Button>
        </>
      }
    >
      {billed ? (
        <BillingOf of={billed} title="Billed" />
      ) : (
        <Read of={dryRun} rows={8}>
          {(data) => <BillingOf of={data} title="Preview" />}
        </Read>
      )}
      {asking && dryRun.data && (
        <Suspense>
          <Bill
            of={dryRun.data}
            onClose={() => setAsking(false)}
            onBilled={(done) => {
              setBilled(done)
              setAsking(false)
            }}
          />
        </Suspense>
      )}
    </Page>
  )
}

function BillingOf({ of, title }: { of: InfraBilling; title: string }) {
  return (
    <Section title={title} action={of.dry_run ? <Status word="dry run" /> : <Status word="billed" tone="ok" />}>
      <Stats>
        <Stat label="Accounts">
          <Count value={of.accounts} />
        </Stat>
        <Stat label="Cost">
          <MoneyFigure usd={of.cost_usd} />
        </Stat>
        <Stat label={of.dry_run ? "Would be billed" : "Billed"}>
          <MoneyFigure usd={of.billed_usd} />
        </Stat>
        <Stat label={of.dry_run ? "Would remain due" : "Still due"}>
          <MoneyFigure usd={of.due_usd} />
        </Stat>
        <Stat label="Usage up to">
          <Time at={of.until} />
        </Stat>
      </Stats>
      {!of.finished && (
        <p className="text-warn">There are more accounts. Bill again to continue with the next accounts.</p>
      )}
      <Table
        caption={title}
        rows={of.bills}
        rowKey={({ user_id }) => user_id}
        columns={COLUMNS}
        empty={
          <EmptyState
            title="Nothing to bill"
            curl={`${exportBaseUrl()}\ncurl -s -X POST "$TURNPIKE_BASE_URL/api/admin/system/bill-infra?dry_run=true" \\\n  -H "Cookie: token=$TURNPIKE_SESSION" -H "Origin: $TURNPIKE_BASE_URL"`}
          >
            No space has used containers or storage since the last bill, or the prices in the settings are 0.
          </EmptyState>
        }
      />
      {of.bills.length < of.accounts && (
        <p className="text-muted text-xs">Showing the first {of.bills.length} bills.</p>
      )}
    </Section>
  )
}
