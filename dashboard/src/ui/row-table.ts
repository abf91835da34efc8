import {
  type ColumnDef,
  columnVisibilityFeature,
  functionalUpdate,
  type RowSelectionState,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from "@tanstack/react-table"
import type { Column, Selection, Sorting } from "./columns.ts"
import { chosenAfter } from "./row-choice.ts"
import { isShown, type TableLook } from "./table-look.ts"

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature, rowSortingFeature })

/** A row of the model. The library takes only objects that it can look into, and a page has rows of any type. */
type Held<Row> = { of: Row }

interface RowTableInput<Row> {
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  sorting: Sorting | undefined
  selection: Selection<Row> | undefined
  look: TableLook
}

/**
 * The model of a table: its visible columns, its order and its chosen rows. The service sorts and pages the rows. A
 * page has at most a few hundred of them, so all are in the document.
 */
export function useRowTable<Row>({ columns, rows, rowKey, sorting, selection, look }: RowTableInput<Row>) {
  const sorted = columns.find(({ sort }) => sort !== undefined && sort === sorting?.by)
  const order = sorted ? [{ id: sorted.title, desc: sorting?.direction === "desc" }] : []
  const chosen: RowSelectionState = Object.fromEntries([...(selection?.chosen ?? [])].map((key) => [key, true]))
  const { most = Number.POSITIVE_INFINITY } = selection ?? {}
  return useTable({
    features,
    columns: columns.map(
      ({ title, sort }): ColumnDef<typeof features, Held<Row>> => ({
        id: title,
        accessorFn: ({ of }) => of,
        enableSorting: sort !== undefined && sorting !== undefined,
        sortDescFirst: true,
      }),
    ),
    data: rows.map((of): Held<Row> => ({ of })),
    getRowId: ({ of }) => String(rowKey(of)),
    manualSorting: true,
    enableSortingRemoval: false,
    enableMultiSort: false,
    enableRowSelection: ({ id }) => selection !== undefined && (chosen[id] === true || selection.chosen.size < most),
    state: {
      columnVisibility: Object.fromEntries(columns.map((column) => [column.title, isShown(column, look)])),
      sorting: order,
      rowSelection: chosen,
    },
    onSortingChange: (change) => {
      const [next] = functionalUpdate(change, order)
      const by = columns.find(({ title }) => title === next?.id)?.sort
      if (next && by) sorting?.onSort(by, next.desc ? "desc" : "asc")
    },
    onRowSelectionChange: (change) => {
      selection?.onChange(chosenAfter(selection.chosen, functionalUpdate(change, chosen), most))
    },
  })
}

export type RowTable<Row> = ReturnType<typeof useRowTable<Row>>
