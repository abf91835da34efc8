import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { OffsetPager } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"

interface ListProps<Row> {
  caption: string
  of: UseQueryResult<{ items: Row[]; total: number; limit: number; offset: number }, Error>
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string | number
  empty: ReactNode
  sorting?: { by: string | undefined; direction: "asc" | "desc"; onSort: (by: string) => void }
}

/** A list of the API as a table with its pages; skeleton, error and empty state with it. */
export function OperatorList<Row>({ caption, of, columns, rowKey, empty, sorting }: ListProps<Row>) {
  return (
    <Read of={of} rows={10}>
      {({ items, total, limit, offset }) => (
        <>
          <Table
            caption={caption}
            columns={columns}
            rows={items}
            rowKey={rowKey}
            stale={of.isPlaceholderData}
            empty={empty}
            sorting={sorting}
          />
          <OffsetPager offset={offset} limit={limit} total={total} />
        </>
      )}
    </Read>
  )
}
