import { usePrefetchQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import type { Balance, LedgerEntry } from "../api/operations.ts"
import { queryOf, useRead } from "../api/query.ts"
import { listLedgerQuery } from "../api/rules.ts"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { Stat, Stats } from "../ui/facts.tsx"
import { AlignedMoney, When } from "../ui/figures.tsx"
import { FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { LedgerEntryName, LedgerFilters } from "../ui/ledger-entry.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { OffsetPager, PAGE_ROWS } from "../ui/pager.tsx"
import { PlanStat } from "../ui/plan-stat.tsx"
import { CreatedRange } from "../ui/range.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { createdIn } from "../ui/time-range.ts"
import { Id, MoneyFigure } from "../ui/values.tsx"
import { BudgetSection } from "./budget-section.tsx"
import { ForecastSection } from "./forecast-section.tsx"
import { usagePages } from "./pages.ts"

/** The height of the figures on a phone. It is reserved while they load, so that the page does not move. */
const FIGURES = "max-sm:min-h-[155px]"

export function BalancePage() {
  const search = useSearch({ from: "/app/balance" })
  const { reason, bucket, turn, offset = 0 } = search
  const filters = { reason, bucket, turn, ...createdIn(search) }
  const balance = useRead("getBalance")
  // It is shown with the balance, and read together with it.
  usePrefetchQuery(queryOf("getPlan"))
  const limits = useRead("getLimits")
  const ledger = useRead("listLedger", { query: { ...filters, limit: PAGE_ROWS, offset } })
  const filtered = Object.values(filters).some((value) => value !== undefined)
  return (
    <Page {...usagePages.balance}>
      <div className={FIGURES}>
        <Read of={balance} rows={2}>
          {(data) => <BalanceStats balance={data} low={limits.data?.low_balance_usd} />}
        </Read>
      </div>
      <ForecastSection />
      <BudgetSection />
      <Section title="Ledger">
        <FilterBar
          set={{ ...filters, range: search.range }}
          end={<CsvLink of="listLedger" input={{ query: filters }} />}
          filters={<LedgerFilters reason={reason} bucket={bucket} query={listLedgerQuery} />}
        >
          <TextFilter label="Turn id (turn_…)" name="turn" value={turn} wide />
          <CreatedRange of={search} />
        </FilterBar>
        <Read of={ledger} rows={10}>
          {({ items, total }) => (
            <>
              <Table
                caption="Ledger entries, newest first"
                list="ledger"
                rows={items}
                rowKey={({ ledger_id }) => ledger_id}
                columns={COLUMNS}
                stale={ledger.isPlaceholderData}
                empty={
                  <EmptyState title={filtered ? "No ledger entries match these filters" : "No ledger entries yet"}>
                    {filtered ? undefined : "Granted and purchased credit and the charge of each turn appear here."}
                  </EmptyState>
                }
              />
              <OffsetPager offset={offset} total={total} />
            </>
          )}
        </Read>
      </Section>
    </Page>
  )
}

const BalanceStats = ({ balance, low }: { balance: Balance; low: number | undefined }) => (
  <Stats>
    <Stat label="Balance">
      <MoneyFigure usd={balance.balance_usd} />
    </Stat>
    <Stat label="Held" hint="for open turns">
      <MoneyFigure usd={balance.held_usd} />
    </Stat>
    <Stat label="Available" hint="for new turns">
      <MoneyFigure usd={balance.available_usd} />
    </Stat>
    <PlanStat />
    {low !== undefined && (
      <Stat label="Low-balance alert" hint={<TextLink to="/account">Change</TextLink>}>
        {low === 0 ? "never" : <MoneyFigure usd={low} />}
      </Stat>
    )}
  </Stats>
)

const Amount = ({ entry }: { entry: LedgerEntry }) => {
  const { amount_usd: usd, currency, currency_amount_minor: minor } = entry
  if (usd !== null) {
    return (
      <span className={usd > 0 ? "text-ok" : ""}>
        {usd > 0 && "+"}
        <AlignedMoney usd={usd} />
      </span>
    )
  }
  return currency && minor !== null ? `${(minor / 100).toFixed(2)} ${currency}` : "–"
}

const COLUMNS: Column<LedgerEntry>[] = [
  { title: "Time", timed: true, cell: ({ created_at }) => <When at={created_at} /> },
  { title: "Entry", cell: (entry) => <LedgerEntryName of={entry} /> },
  { title: "Turn", cell: ({ turn_id }) => (turn_id ? <Id id={turn_id} href={`/turns/${turn_id}`} /> : "–") },
  { title: "Amount", right: true, cell: (entry) => <Amount entry={entry} /> },
  {
    title: "Balance after",
    right: true,
    cell: ({ balance_after_usd }) => <AlignedMoney usd={balance_after_usd} />,
  },
]
