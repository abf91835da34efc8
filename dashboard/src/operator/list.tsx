import type { UseQueryResult } from "@tanstack/react-query"
import { OffsetPager } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { Table, type TableProps } from "../ui/table.tsx"

interface ListProps<Item, Row> extends Omit<TableProps<Row>, "rows" | "stale"> {
  of: UseQueryResult<{ items: Item[]; total: number; limit: number; offset: number }, Error>
}

/** Maps an item to its table rows. Required unless an item is itself a row. */
type RowsOf<Item, Row> = Item extends Row ? { rowsOf?: (item: Item) => Row[] } : { rowsOf: (item: Item) => Row[] }

/** A paged table for a list of the API, with its loading, error and empty states. */
export function List<Item, Row = Item>(props: ListProps<Item, Row> & RowsOf<Item, Row>) {
  const { of, rowsOf = (item: Item) => [item as unknown as Row], ...table } = props
  return (
    <Read of={of} rows={10}>
      {({ items, total, limit, offset }) => (
        <>
          <Table {...table} rows={items.flatMap(rowsOf)} stale={of.isPlaceholderData} />
          <OffsetPager offset={offset} limit={limit} total={total} />
        </>
      )}
    </Read>
  )
}
