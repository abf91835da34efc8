import type { UsageReport } from "../api/operations.ts"
import { Button } from "../ui/button.tsx"
import { AlignedMoney, Percent } from "../ui/figures.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count } from "../ui/values.tsx"
import { GroupName } from "./group-name.tsx"
import { filterOfGroup, type GroupFilters, METADATA } from "./usage-search.ts"
import type { Previous } from "./use-previous.ts"
import { groupWords, type UsageNames } from "./use-usage-names.ts"

type Group = UsageReport["data"][number]

interface UsageTableProps {
  report: UsageReport
  names: UsageNames
  test: true | undefined
  caption: string
  /** The amounts of the period before. Undefined while it loads. */
  previous: Previous | undefined
  stale?: boolean
  /** Without it, the order and the columns are fixed. */
  sorting?: Parameters<typeof Table<Group>>[0]["sorting"]
  /** Shows only this group. Without it, rows have no button. */
  onFilter?: (filters: GroupFilters) => void
}

/** The groups of a report next to the period before. */
export function UsageTable({ report, names, test, caption, previous, stale, sorting, onFilter }: UsageTableProps) {
  const { group_by: by, data, total } = report
  const actions: Column<Group> = {
    title: "Filter",
    actions: true,
    cell: ({ group, kind }) => {
      const filters = kind === "value" ? filterOfGroup(by, group) : undefined
      return (
        filters &&
        onFilter && (
          <Button
            kind="quiet"
            aria-label={`Filter by ${groupWords(by, group, names)}`}
            onClick={() => onFilter(filters)}
          >
            Filter
          </Button>
        )
      )
    },
  }
  const isFilter = onFilter && data.some(({ group }) => filterOfGroup(by, group))
  return (
    <Table
      caption={caption}
      rows={data}
      rowKey={({ group, kind }) => `${kind} ${group}`}
      stale={stale ?? false}
      {...(sorting && { sorting, list: "usage" })}
      columns={[
        {
          title: NAMES[by] ?? by.replace(METADATA, ""),
          sort: "group",
          cell: ({ group, kind }) => <GroupName of={by} group={group} kind={kind} names={names} test={test} />,
        },
        { title: "Billed", sort: "billed", right: true, cell: ({ billed_usd }) => <AlignedMoney usd={billed_usd} /> },
        ...(total.refunded_usd === 0 ? [] : REFUND_COLUMNS),
        {
          title: "Period before",
          right: true,
          cell: ({ group, kind }) => <AlignedMoney usd={previous?.of(group, kind)} />,
        },
        {
          title: "Change",
          right: true,
          cell: ({ group, kind, net_usd }) => <Change now={net_usd} before={previous?.of(group, kind)} />,
        },
        ...(total.end_user_charge_usd === null ? [] : SOLD_COLUMNS),
        ...COLUMNS,
        ...(isFilter ? [actions] : []),
      ]}
    />
  )
}

/** From here on, a change is shown as a factor, which is easier to read than 1,200%. */
const MANY_TIMES = 10

/** The change of an amount against the one before. Both are less refunds. */
export function Change({ now, before }: { now: number; before: number | undefined }) {
  if (before === undefined) return <span className="text-muted">–</span>
  if (before === 0) return <span className="text-muted">{now === 0 ? "–" : "new"}</span>
  const times = now / before
  if (times >= MANY_TIMES) return <span className="whitespace-nowrap">{Math.round(times).toLocaleString()}×</span>
  return (
    <span className="whitespace-nowrap">
      {now > before && "+"}
      <Percent share={times - 1} />
    </span>
  )
}

const NAMES: Record<string, string> = {
  config_version: "Configuration",
  day: "Day (UTC)",
  hour: "Hour of day (UTC)",
  model: "Model",
  space: "Space",
  end_user_ref: "End user",
  key: "API key",
}

const REFUND_COLUMNS: Column<Group>[] = [
  { title: "Refunded", right: true, cell: ({ refunded_usd }) => <AlignedMoney usd={refunded_usd} /> },
  { title: "Net", right: true, cell: ({ net_usd }) => <AlignedMoney usd={net_usd} /> },
]

const SOLD_COLUMNS: Column<Group>[] = [
  { title: "Charged", right: true, cell: ({ end_user_charge_usd }) => <AlignedMoney usd={end_user_charge_usd} /> },
  { title: "Margin", right: true, cell: ({ margin_usd }) => <AlignedMoney usd={margin_usd} /> },
]

const COLUMNS: Column<Group>[] = [
  { title: "Turns", sort: "turns", right: true, cell: ({ turns }) => <Count value={turns} /> },
  { title: "Model calls", sort: "model_calls", right: true, cell: ({ model_calls }) => <Count value={model_calls} /> },
  {
    title: "Input tokens",
    sort: "tokens_input",
    right: true,
    cell: ({ tokens_input }) => <Count value={tokens_input} />,
  },
  {
    title: "Cached input tokens",
    rare: true,
    right: true,
    cell: ({ tokens_cached }) => <Count value={tokens_cached} />,
  },
  {
    title: "Output tokens",
    sort: "tokens_output",
    right: true,
    cell: ({ tokens_output }) => <Count value={tokens_output} />,
  },
]
