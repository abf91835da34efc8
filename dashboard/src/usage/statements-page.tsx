import type { ListedStatement } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { AlignedMoney } from "../ui/figures.tsx"
import { OutLink, TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count } from "../ui/values.tsx"
import { ExportSection } from "./export-section.tsx"
import { usagePages } from "./pages.ts"

const STATES = {
  open: { word: "in progress", tone: "none" },
  closed: { word: "ready", tone: "none" },
  building: { word: "building", tone: "info" },
  final: { word: "final", tone: "ok" },
} as const

export function StatementsPage() {
  const statements = useRead("listStatements")
  return (
    <Page {...usagePages.statements}>
      <p className="text-muted">
        A statement has the signed sums of a month, with a digest over its receipts.{" "}
        <OutLink href="/docs/receipts">How to verify one</OutLink>
      </p>
      <Read of={statements} rows={6}>
        {({ items }) => (
          <Table
            caption="Months, newest first"
            rows={items}
            rowKey={({ month }) => month}
            columns={COLUMNS}
            empty={<EmptyState title="No months yet">The first month appears with your first turn.</EmptyState>}
          />
        )}
      </Read>
      <ExportSection />
    </Page>
  )
}

const COLUMNS: Column<ListedStatement>[] = [
  {
    title: "Month (UTC)",
    cell: ({ month, state }) =>
      state === "open" ? (
        month
      ) : (
        <TextLink to="/statements/$month" params={{ month }}>
          {month}
        </TextLink>
      ),
  },
  { title: "State", cell: ({ state }) => <Status {...STATES[state]} /> },
  { title: "Receipts", right: true, cell: ({ receipts }) => <Count value={receipts} /> },
  {
    title: "Total",
    right: true,
    cell: ({ total_usd }) => <AlignedMoney usd={total_usd === null ? null : Number(total_usd)} />,
  },
]
