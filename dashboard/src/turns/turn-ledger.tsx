import type { AdminLedgerEntry } from "../api/operations.ts"
import { LedgerEntryName } from "../ui/ledger-entry.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Money, Time } from "../ui/values.tsx"

/** The entries of a turn in the ledger of its account, newest first. */
export const TurnLedger = ({ entries }: { entries: readonly AdminLedgerEntry[] }) => (
  <Table
    caption="The turn in the ledger"
    rows={entries}
    rowKey={({ ledger_id }) => ledger_id}
    columns={COLUMNS}
    empty={<p className="text-muted">The turn has no entry yet. A charge is posted within a minute of its end.</p>}
  />
)

const COLUMNS: Column<AdminLedgerEntry>[] = [
  { title: "Time", cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "Entry", cell: (entry) => <LedgerEntryName of={entry} /> },
  { title: "Amount", right: true, cell: ({ amount_usd }) => <Money usd={amount_usd} /> },
  { title: "Balance after", right: true, cell: ({ balance_after_usd }) => <Money usd={balance_after_usd} /> },
]
