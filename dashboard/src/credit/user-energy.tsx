import { getRouteApi } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { AdminLedgerEntry, UserEnergy } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { getUserEnergyQuery } from "../api/rules.ts"
import { curl } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { Chart } from "../ui/chart.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { Stat, Stats } from "../ui/facts.tsx"
import { FilterBar } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { LedgerEntryName, LedgerFilters } from "../ui/ledger-entry.tsx"
import { Section } from "../ui/page.tsx"
import { OffsetPager, PAGE_ROWS } from "../ui/pager.tsx"
import { DaysRange } from "../ui/range.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, Id, Money, Time } from "../ui/values.tsx"

const RefundTurnDialog = lazyPart(() =>
  import("../turns/refund-turn-dialog.tsx").then((file) => ({ default: file.RefundTurnDialog })),
)
const route = getRouteApi("/app/admin/operator/users/$userId")

const BUCKETS = [
  { key: "spent", label: "Spent" },
  { key: "free", label: "Granted" },
  { key: "bonus", label: "Bonus" },
  { key: "paid", label: "Purchased" },
  { key: "refunded", label: "Refunded" },
] as const

/** Two charts, because credit is many times larger than the spend of a day. */
const CHARTS: { title: string; keys: string[] }[] = [
  { title: "Energy spent by day", keys: ["spent"] },
  { title: "Energy received by day", keys: ["free", "bonus", "paid", "refunded"] },
]

/** Totals, days and ledger of an account, in energy. */
export function EnergyOfUser({ userId }: { userId: number }) {
  const { days = getUserEnergyQuery.days.default, reason, bucket, offset = 0 } = route.useSearch()
  const query = { days, reason, bucket, limit: PAGE_ROWS, offset }
  const energy = useRead("getUserEnergy", { path: { user_id: userId }, query })
  return (
    <Read of={energy} rows={12}>
      {(data) => <Energy of={data} days={days} stale={energy.isPlaceholderData} />}
    </Read>
  )
}

function Energy({ of, days, stale }: { of: UserEnergy; days: number; stale: boolean }) {
  const { reason, bucket } = route.useSearch()
  const filters = { reason, bucket }
  const [refunding, setRefunding] = useState<AdminLedgerEntry | null>(null)
  return (
    <div className="flex flex-col gap-5">
      <Stats>
        <Stat label="Energy">
          <Count value={of.balance_energy} />
        </Stat>
        <Stat label="Held">
          <Count value={of.held_energy} />
        </Stat>
        {BUCKETS.map(({ key, label }) => (
          <Stat key={key} label={`${label}, all time`}>
            <Count value={of.totals[key]} />
          </Stat>
        ))}
      </Stats>
      <Section title="By day" action={<DaysRange days={days} />}>
        <div className="grid gap-x-10 gap-y-5 xl:grid-cols-2">
          {CHARTS.map(({ title, keys }) => (
            <Chart
              key={title}
              title={`${title}, ${days} days (UTC); 10 energy = 1 USD`}
              unit="energy"
              kind="bars"
              series={BUCKETS.filter(({ key }) => keys.includes(key))}
              points={of.days.map(({ date, ...values }) => ({ label: date, values }))}
            />
          ))}
        </div>
      </Section>
      <Section title="Ledger">
        <FilterBar
          set={filters}
          end={<CsvLink of="getUserEnergy" input={{ path: { user_id: of.user_id }, query: { days, ...filters } }} />}
        >
          <LedgerFilters reason={reason} bucket={bucket} query={getUserEnergyQuery} />
        </FilterBar>
        <Table
          caption="The account's ledger"
          rows={of.ledger.items}
          rowKey={({ ledger_id }) => ledger_id}
          stale={stale}
          columns={columnsOf(setRefunding)}
          empty={
            <EmptyState
              title={reason || bucket ? "No ledger entries match these filters" : "No ledger entries"}
              curl={curl(`/api/admin/users/${of.user_id}/energy`)}
            />
          }
        />
        <OffsetPager offset={of.ledger.offset} total={of.ledger.total} />
      </Section>
      {refunding && (
        <Suspense>
          <RefundTurnDialog
            turnId={refunding.turn_id ?? ""}
            amount={-(refunding.amount_usd ?? 0)}
            entries={[refunding]}
            wallet="If a prepaid wallet of the end user paid for the turn, its charge returns to it."
            onClose={() => setRefunding(null)}
          />
        </Suspense>
      )}
    </div>
  )
}

const columnsOf = (refund: (entry: AdminLedgerEntry) => void): Column<AdminLedgerEntry>[] => [
  { title: "Time", cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "Entry", cell: (entry) => <LedgerEntryName of={entry} /> },
  { title: "Turn", cell: ({ turn_id }) => (turn_id ? <Id id={turn_id} /> : <span className="text-muted">–</span>) },
  {
    title: "Amount",
    right: true,
    cell: ({ amount_usd, currency, currency_amount_minor }) =>
      amount_usd === null ? `${(currency_amount_minor ?? 0) / 100} ${currency}` : <Money usd={amount_usd} />,
  },
  { title: "Balance", right: true, cell: ({ balance_after_usd }) => <Money usd={balance_after_usd} /> },
  {
    title: "Actions",
    actions: true,
    cell: (entry) =>
      entry.turn_id && entry.bucket === "spent" ? (
        <Button kind="quiet" aria-label={`Refund ${entry.turn_id}`} onClick={() => refund(entry)}>
          Refund
        </Button>
      ) : null,
  },
]
