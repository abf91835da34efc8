import { useSearch } from "@tanstack/react-router"
import { exactUtc } from "../ui/exact-time.ts"
import { Stat, Stats } from "../ui/facts.tsx"
import { ChoiceFilter } from "../ui/filter-bar.tsx"
import { Section } from "../ui/page.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, Money, MoneyFigure, Time } from "../ui/values.tsx"
import { type Measure, type ReportSearch, readReportSearch } from "./report-search.ts"

/** The search parameters of a report page. */
export const useReportSearch = (): ReportSearch => readReportSearch(useSearch({ strict: false }))

/** The usage figures that every report has. */
export interface Used {
  turns: number
  model_calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
  billed_cost_usd: number
  refunded_usd: number
  cost_usd?: number
  margin_usd?: number
}

export const MEASURE_LABELS: Record<Measure, string> = {
  billed_cost_usd: "Billed (USD)",
  turns: "Turns",
  model_calls: "Model calls",
  tokens_input: "Input tokens",
  tokens_cached: "Cached input tokens",
  tokens_output: "Output tokens",
}

/** Chooses the figure that the chart shows. */
export const MeasureFilter = ({ measure }: { measure: Measure | undefined }) => (
  <ChoiceFilter
    label="Metric"
    name="measure"
    value={measure === "billed_cost_usd" ? undefined : measure}
    all={MEASURE_LABELS.billed_cost_usd}
    options={Object.entries(MEASURE_LABELS).filter(([name]) => name !== "billed_cost_usd")}
  />
)

/** The title of the column of a report's days, weeks or months. */
export const GRANULARITY_TITLES = { day: "Day", week: "Week", month: "Month" } as const

/** The range of a report, and the time up to which its figures are exact. */
export function Scope({ report }: { report: { from: string; to: string; granularity: string | null; as_of: string } }) {
  const { from, to, granularity, as_of } = report
  return (
    <p className="text-muted">
      {exactUtc(from)} to {exactUtc(to)}
      {granularity && `, by ${granularity}`} · exact as of <Time at={as_of} />
    </p>
  )
}

const figure = (title: string, of: (row: Used) => number): Column<Used> => ({
  title,
  right: true,
  cell: (row) => <Count value={of(row)} />,
})
const money = (title: string, of: (row: Used) => number | undefined): Column<Used> => ({
  title,
  right: true,
  cell: (row) => <Money usd={of(row)} />,
})

const USED: Column<Used>[] = [
  figure("Turns", (row) => row.turns),
  figure("Model calls", (row) => row.model_calls),
  figure("Input tokens", (row) => row.tokens_input),
  figure("Cached input tokens", (row) => row.tokens_cached),
  figure("Output tokens", (row) => row.tokens_output),
  money("Billed", (row) => row.billed_cost_usd),
  money("Refunded", (row) => row.refunded_usd),
]

const COSTS: Column<Used>[] = [money("Cost", (row) => row.cost_usd), money("Margin", (row) => row.margin_usd)]

/** The usage columns; `costs` adds the cost to the service and the margin. */
export const usedColumns = (costs = false): Column<Used>[] => (costs ? [...USED, ...COSTS] : USED)

/** The totals at the top of a report. */
export const UsedStats = ({ of }: { of: Used }) => (
  <Stats>
    <Stat label="Billed">
      <MoneyFigure usd={of.billed_cost_usd} />
    </Stat>
    <Stat label="Refunded" hint="when it was booked">
      <MoneyFigure usd={of.refunded_usd} />
    </Stat>
    {of.cost_usd !== undefined && (
      <Stat label="Cost">
        <MoneyFigure usd={of.cost_usd} />
      </Stat>
    )}
    {of.margin_usd !== undefined && (
      <Stat label="Margin">
        <MoneyFigure usd={of.margin_usd} />
      </Stat>
    )}
    <Stat label="Turns">
      <Count value={of.turns} />
    </Stat>
    <Stat label="Model calls">
      <Count value={of.model_calls} />
    </Stat>
    <Stat
      label="Input tokens"
      hint={of.tokens_input > 0 ? `${Math.round((100 * of.tokens_cached) / of.tokens_input)} % cached` : undefined}
    >
      <Count value={of.tokens_input} />
    </Stat>
    <Stat label="Output tokens">
      <Count value={of.tokens_output} />
    </Stat>
  </Stats>
)

interface RankedProps<Row extends Used> {
  title: string
  first: Column<Row>[]
  items: readonly Row[]
  other: Used
  total: Used
  costs?: boolean
  rowKey: (row: Row) => string | number
}

/** The rows with the highest usage, then one row for all others and one for the total. */
export function Ranked<Row extends Used>({
  title,
  first,
  items,
  other,
  total,
  costs = false,
  rowKey,
}: RankedProps<Row>) {
  type Line = Used & { row?: Row; name: string }
  const lines: Line[] = [
    ...items.map((row): Line => ({ ...row, row, name: "" })),
    ...(other.turns + other.model_calls > 0 ? [{ ...other, name: "All others" }] : []),
    { ...total, name: "Total" },
  ]
  const columns: Column<Line>[] = [
    ...first.map(
      (column, index): Column<Line> => ({
        ...column,
        cell: (line) =>
          line.row ? column.cell(line.row) : index === 0 && <span className="font-strong">{line.name}</span>,
      }),
    ),
    ...usedColumns(costs),
  ]
  return (
    <Section title={title}>
      <Table
        caption={title}
        columns={columns}
        rows={items.length > 0 ? lines : []}
        rowKey={(line) => (line.row ? rowKey(line.row) : line.name)}
        empty={<p className="text-muted">No usage in this range.</p>}
      />
    </Section>
  )
}

export const sumOf = (rows: readonly Used[]): Used => {
  const sum = (of: (row: Used) => number) => rows.reduce((total, row) => total + of(row), 0)
  const money = (of: (row: Used) => number) => Math.round(sum(of) * 1e7) / 1e7
  return {
    turns: sum((row) => row.turns),
    model_calls: sum((row) => row.model_calls),
    tokens_input: sum((row) => row.tokens_input),
    tokens_cached: sum((row) => row.tokens_cached),
    tokens_output: sum((row) => row.tokens_output),
    billed_cost_usd: money((row) => row.billed_cost_usd),
    refunded_usd: money((row) => row.refunded_usd),
  }
}

/** An hour as a chart's label: 11-22 14:00. */
export const hourLabel = (hour: string) => `${hour.slice(5, 10)} ${hour.slice(11, 16)}`
