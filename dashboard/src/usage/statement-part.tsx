import type { Statement } from "../api/operations.ts"
import { CsvLink } from "../ui/csv-link.tsx"
import { AlignedMoney } from "../ui/figures.tsx"
import { Section } from "../ui/page.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count } from "../ui/values.tsx"
import { GroupName } from "./group-name.tsx"
import { queryOfPart, type StatementPart } from "./statement-parts.ts"
import { useUsageNames } from "./use-usage-names.ts"

interface Row {
  /** Null: everything that is not listed. */
  group: string | null
  turns: number | null
  usd: number
}

/** The groups of a statement that cost most, and what the others cost. The CSV has all of them. */
export function PartSection({ part, document }: { part: StatementPart; document: Statement }) {
  const { by, title, rows, rest, restUsd } = part
  const names = useUsageNames(by, [], undefined)
  const columns: Column<Row>[] = [
    {
      title: title.slice("By ".length),
      cell: ({ group }) =>
        group === null ? (
          <span className="text-muted">{rest}</span>
        ) : (
          <GroupName of={by} group={group} kind="value" names={names} test={undefined} />
        ),
    },
    { title: "Turns", right: true, cell: ({ turns }) => <Count value={turns} /> },
    { title: "Amount", right: true, cell: ({ usd }) => <AlignedMoney usd={usd} /> },
  ]
  const all: Row[] = restUsd === 0 ? rows : [...rows, { group: null, turns: null, usd: restUsd }]
  return (
    <Section title={title} action={<CsvLink of="getUsage" input={{ query: queryOfPart(document, by) }} />}>
      <Table
        caption={`${title}, the largest amounts first`}
        rows={all}
        rowKey={({ group }) => group ?? ""}
        columns={columns}
        empty={<p className="text-muted">No turn ended in this month.</p>}
      />
    </Section>
  )
}
