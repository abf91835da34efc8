import { useSearch } from "@tanstack/react-router"
import type { Energy } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { getEnergyQuery } from "../api/rules.ts"
import { Chart } from "../ui/chart.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { Stat, Stats } from "../ui/facts.tsx"
import { FilterBar } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { DaysRange } from "../ui/range.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { UtcDay } from "../ui/values.tsx"
import { EnergyAmount, EnergyFigure } from "./energy-amount.tsx"
import { usagePages } from "./pages.ts"

type EnergyDay = Energy["days"][number]

const BUCKETS: [bucket: keyof Energy["totals"], label: string, hint: string][] = [
  ["spent", "Spent", "charged for turns"],
  ["free", "Granted", "by operators"],
  ["bonus", "Bonus", "sign-up and referrals"],
  ["paid", "Purchased", "paid credit"],
  ["refunded", "Refunded", "charges of turns"],
]

export function EnergyPage() {
  const { days = getEnergyQuery.days.default } = useSearch({ from: "/app/usage/energy" })
  const input = { query: { days: Math.min(days, getEnergyQuery.days.maximum) } }
  const energy = useRead("getEnergy", input)
  return (
    <Page {...usagePages.energy} about={`${usagePages.energy.about} 10 energy = 1 USD. Includes the web chat.`}>
      <FilterBar
        set={{}}
        end={
          <span className="flex items-center gap-3">
            <TextLink to="/balance">View the ledger</TextLink>
            <CsvLink of="getEnergy" input={input} />
          </span>
        }
      >
        <DaysRange days={days} choices={[7, 30, 90, 365]} />
      </FilterBar>
      <Read of={energy} rows={12}>
        {(data) => (
          <>
            <EnergyStats energy={data} />
            <EnergyChart title="Spent by day, energy (UTC)" days={data.days} buckets={BUCKETS.slice(0, 1)} />
            {data.days.some((day) => BUCKETS.slice(1).some(([bucket]) => day[bucket] !== 0)) && (
              <EnergyChart title="Credited by day, energy (UTC)" days={data.days} buckets={BUCKETS.slice(1)} />
            )}
            <Section title="Days with ledger entries">
              <Table
                caption="Energy by day, newest first"
                list="energy"
                rows={data.days.filter((day) => BUCKETS.some(([bucket]) => day[bucket] !== 0)).reverse()}
                rowKey={({ date }) => date}
                columns={COLUMNS}
                stale={energy.isPlaceholderData}
                empty={<p className="text-muted">No ledger entries in this period.</p>}
              />
            </Section>
          </>
        )}
      </Read>
    </Page>
  )
}

/** Spend and credit have separate charts, because credit is many times larger than the spend of a day. */
const EnergyChart = ({ title, days, buckets }: { title: string; days: EnergyDay[]; buckets: typeof BUCKETS }) => (
  <Chart
    title={title}
    unit="energy"
    kind={days.length > 100 ? "lines" : "bars"}
    series={buckets.map(([key, label]) => ({ key, label }))}
    points={days.map(({ date, ...values }) => ({ label: date, values }))}
  />
)

const EnergyStats = ({ energy: { balance_energy, held_energy, totals } }: { energy: Energy }) => (
  <Stats>
    <Stat label="Balance" hint="now">
      <EnergyFigure energy={balance_energy} />
    </Stat>
    <Stat label="Held" hint="for open turns">
      <EnergyFigure energy={held_energy} />
    </Stat>
    {BUCKETS.map(([bucket, label, hint]) => (
      <Stat key={bucket} label={`${label}, all time`} hint={hint}>
        <EnergyFigure energy={totals[bucket]} />
      </Stat>
    ))}
  </Stats>
)

const COLUMNS: Column<EnergyDay>[] = [
  { title: "Day (UTC)", cell: ({ date }) => <UtcDay of={date} /> },
  ...BUCKETS.map(
    ([bucket, label]): Column<EnergyDay> => ({
      title: label,
      right: true,
      cell: (day) => <EnergyAmount energy={day[bucket]} />,
    }),
  ),
]
