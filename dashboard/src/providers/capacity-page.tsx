import { useSearch } from "@tanstack/react-router"
import type { CapacityReport } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { getCapacityQuery } from "../api/rules.ts"
import { Chart } from "../ui/chart.tsx"
import type { ChartPoint } from "../ui/chart-canvas.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { ChoiceFilter, FilterBar } from "../ui/filter-bar.tsx"
import { decimal } from "../ui/numbers.ts"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Table } from "../ui/table.tsx"
import { Count, Money, Time } from "../ui/values.tsx"
import { providersPages } from "./pages.ts"
import { windowName } from "./provider-parts.tsx"

const HOURS = [
  ["6", "6 hours"],
  ["72", "3 days"],
  ["168", "7 days"],
  ["720", "30 days"],
] as const

/** The number of points in a chart. More would not be visible. */
const POINTS = 120

export function ProviderCapacityPage() {
  const { hours = 24, pool } = useSearch({ from: "/app/admin/operator/providers/capacity" })
  const input = { query: { hours, ...(pool && { provider: pool }) } }
  const capacity = useRead("getCapacity", input)
  return (
    <Page {...providersPages.capacity}>
      <FilterBar set={{ pool }} end={<CsvLink of="getCapacity" input={input} />}>
        <ChoiceFilter
          label="Hours"
          name="hours"
          value={hours === 24 ? undefined : String(hours)}
          all="24 hours"
          options={HOURS}
        />
        <ChoiceFilter
          label="Pool"
          name="pool"
          value={pool}
          all="Both pools"
          options={getCapacityQuery.provider.words}
        />
      </FilterBar>
      <Read of={capacity}>
        {(data) =>
          data.snapshots.length === 0 ? (
            <EmptyState title="No limits reported">
              Providers report their limits with each answer, but none did in this range. Send a turn to a model that an
              account serves, or choose Refresh limits in the list of accounts.
            </EmptyState>
          ) : (
            <Capacity report={data} />
          )
        }
      </Read>
    </Page>
  )
}

type Snapshot = CapacityReport["snapshots"][number]

/** One chart for each kind of limit (its resource and length), with one line for each account. */
function Capacity({ report }: { report: CapacityReport }) {
  const windows = Map.groupBy(report.snapshots, ({ resource, window_seconds }) => `${resource} ${window_seconds}`)
  return (
    <>
      {[...windows].map(([key, snapshots]) => (
        <WindowChart key={key} snapshots={snapshots} report={report} />
      ))}
      <Section title="Spend">
        <Table
          caption={`Spend of accounts, by ${report.spend_seconds === 3600 ? "hour" : "day"} (UTC)`}
          rows={[...report.spend].reverse().slice(0, 48)}
          rowKey={({ subscription_id, starts_at }) => `${subscription_id} ${starts_at}`}
          columns={[
            { title: "From (UTC)", cell: ({ starts_at }) => starts_at.slice(0, 16).replace("T", " ") },
            { title: "Account", cell: ({ subscription_id }) => <code>{subscription_id}</code> },
            { title: "Model calls", right: true, cell: ({ model_calls }) => <Count value={model_calls} /> },
            { title: "Cost", right: true, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
            { title: "Billed", right: true, cell: ({ billed_usd }) => <Money usd={billed_usd} /> },
          ]}
          empty={<p className="text-muted">No model calls in this range.</p>}
        />
      </Section>
    </>
  )
}

function WindowChart({ snapshots, report }: { snapshots: Snapshot[]; report: CapacityReport }) {
  const [first] = snapshots
  const known = [...new Set(snapshots.map(({ subscription_id }) => subscription_id))]
  if (!first) return null
  const { resource, window_seconds } = first
  const newest = known.map((id) => snapshots.findLast(({ subscription_id }) => subscription_id === id) as Snapshot)
  newest.sort((a, b) => b.used_pct - a.used_pct)
  const accounts = newest.slice(0, DRAWN).map(({ subscription_id }) => subscription_id)
  const name = `${windowName(window_seconds)}${resource === "unified" ? "" : `, ${resource}`}`
  return (
    <Section title={`Limit per ${name}`}>
      <Chart
        title={`Used of the limit per ${name}, percent (UTC). Thin lines: the even pace of each account${known.length > DRAWN ? `; the ${DRAWN} accounts with the most use` : ""}`}
        series={accounts.map((id) => ({ key: id, label: id }))}
        guides={accounts.map((id) => ({ key: evenKey(id), label: evenKey(id), of: id }))}
        points={pointsOf(snapshots, accounts, report)}
        unit="percent"
      />
      <Table
        caption={`Use of the limit per ${name}`}
        rows={newest}
        rowKey={({ subscription_id }) => subscription_id}
        columns={[
          { title: "Account", cell: ({ subscription_id }) => <code>{subscription_id}</code> },
          { title: "Used", right: true, cell: ({ used_pct }) => `${decimal(used_pct)} %` },
          {
            title: "Even pace",
            right: true,
            cell: (row) => {
              const pace = evenPace(row, Date.parse(row.taken_at))
              return pace === null ? "–" : `${decimal(pace)} %`
            },
          },
          { title: "Resets", right: true, cell: ({ reset_at }) => <Time at={reset_at} /> },
          { title: "Last reported", right: true, cell: ({ taken_at }) => <Time at={taken_at} /> },
        ]}
      />
    </Section>
  )
}

/** The number of accounts in a chart. The table has them all. */
const DRAWN = 6

const evenKey = (account: string) => `${account}, even pace`

/** The percentage that a steady rate would have used by now; null if the reset time is unknown. */
function evenPace({ reset_at, window_seconds }: Snapshot, at: number): number | null {
  if (!reset_at) return null
  const left = (Date.parse(reset_at) - at) / 1000
  return left < 0 || left > window_seconds ? null : 100 * (1 - left / window_seconds)
}

/** The newest snapshot of each account at each step of the range. A line stops when its window resets. */
function pointsOf(snapshots: Snapshot[], accounts: string[], { from, to }: CapacityReport): ChartPoint[] {
  const [begins, ends] = [Date.parse(from), Math.min(Date.parse(to), Date.now())]
  const step = Math.max(60_000, (ends - begins) / POINTS)
  const of = new Map(accounts.map((id) => [id, snapshots.filter(({ subscription_id }) => subscription_id === id)]))
  const points: ChartPoint[] = []
  for (let at = begins + step; at <= ends + 1; at += step) {
    const values: Record<string, number | null> = {}
    for (const [id, own] of of) {
      const known = own.findLast(({ taken_at }) => Date.parse(taken_at) <= at)
      const isOver = !known || (known.reset_at !== null && Date.parse(known.reset_at) < at)
      values[id] = isOver ? null : known.used_pct
      values[evenKey(id)] = isOver ? null : evenPace(known, at)
    }
    points.push({
      label: new Date(at).toISOString().slice(5, 16).replace("T", " "),
      values,
    })
  }
  return points
}
