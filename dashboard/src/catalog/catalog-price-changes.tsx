import { Table } from "../ui/table.tsx"
import { Money } from "../ui/values.tsx"
import type { PriceChange } from "./catalog-changes.ts"

/** Prices that change, before and after, in USD. */
export const PriceChanges = ({ lines }: { lines: PriceChange[] }) => (
  <Table
    caption="Prices that change"
    rows={lines}
    rowKey={({ label }) => label}
    columns={[
      { title: "Price", cell: ({ label }) => label },
      { title: "Before", right: true, cell: (line) => <Money usd={line.before} /> },
      { title: "After", right: true, cell: (line) => <Money usd={line.after} /> },
    ]}
  />
)
