import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { OffsetPager } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"

interface ListProps<Item, Row> {
  caption: string
  of: UseQueryResult<{ items: Item[]; total: number; limit: number; offset: number }, Error>
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string | number
  empty: ReactNode
  sorting?: { by: string | undefined; direction: "asc" | "desc"; onSort: (by: string) => void }
}

/** Maps an item to its table rows. Required unless an item is itself a row. */
type RowsOf<Item, Row> = Item extends Row ? { rowsOf?: (item: Item) => Row[] } : { rowsOf: (item: Item) => Row[] }

/** A paged table for a list of the API, with its loading, error and empty states. */
export function List<Item, Row = Item>(props: ListProps<Item, Row> & RowsOf<Item, Row>) {
  const { caption, of, columns, rowKey, empty, sorting } = props
  const rowsOf = props.rowsOf ?? ((item: Item) => [item as unknown as Row])
  return (
    <Read of={of} rows={10}>
      {({ items, total, limit, offset }) => (
        <>
          <Table
            caption={caption}
            columns={columns}
            rows={items.flatMap(rowsOf)}
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
