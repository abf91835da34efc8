import { type ReactNode, useRef } from "react"
import { Icon } from "./icon.tsx"
import { Skeleton } from "./skeleton.tsx"

export interface Column<Row> {
  /** The column header, and the label next to the value in the list layout. */
  title: string
  cell: (row: Row) => ReactNode
  /** Right-aligned, for numbers and money. */
  right?: boolean
  /** The name by which the API sorts this column. */
  sort?: string
  /** A column of actions, whose title is hidden. */
  actions?: boolean
}

interface TableProps<Row> {
  /** The content of the table, for screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  /** Undefined during the first load. */
  rows: readonly Row[] | undefined
  rowKey: (row: Row) => string | number
  /** The sort order from the URL, and the handler that changes it. */
  sorting?: { by: string | undefined; direction: "asc" | "desc"; onSort: (by: string) => void }
  /** Shown instead of the table if it has no rows. */
  empty?: ReactNode
  /** The shown rows belong to an earlier query. */
  stale?: boolean
}

/** From this number of rows on, a button lets keyboard users skip them. */
const LONG = 10

/** A table with rows of 36 px and a sticky header. Below 640 px, it is a list with the same order and actions. */
export function Table<Row>({ caption, columns, rows, rowKey, sorting, empty, stale }: TableProps<Row>) {
  const end = useRef<HTMLSpanElement>(null)
  if (!rows) return <Skeleton rows={8} />
  if (rows.length === 0 && empty) return empty
  return (
    <div className={`relative min-w-0 sm:overflow-x-auto 2xl:overflow-visible ${stale ? "opacity-60" : ""}`}>
      {rows.length >= LONG && (
        <button
          type="button"
          onClick={() => end.current?.focus()}
          className="sr-only focus:not-sr-only focus:absolute focus:top-0 focus:left-0 focus:z-20 focus:rounded-md focus:bg-accent focus:px-3 focus:py-1 focus:text-on-accent"
        >
          Skip the {rows.length} rows
        </button>
      )}
      {/* Explicit roles, because a table that is laid out as a list loses its implicit ones. */}
      {/* biome-ignore-start lint/a11y/noRedundantRoles: see above */}
      <table role="table" className="w-full border-collapse text-left max-sm:block">
        <caption className="sr-only">{caption}</caption>
        <thead role="rowgroup" className="max-sm:sr-only">
          <tr role="row">
            {columns.map((column) => (
              <th
                key={column.title}
                role="columnheader"
                scope="col"
                aria-sort={ariaSort(column.sort, sorting)}
                className={`sticky top-0 z-10 h-8 border-line border-b bg-bg px-3 text-muted text-xs whitespace-nowrap first:pl-0 last:pr-0 ${column.right ? "text-right" : ""}`}
              >
                {column.sort && sorting ? (
                  <SortButton title={column.title} sort={column.sort} sorting={sorting} />
                ) : (
                  <span className={column.actions ? "sr-only" : ""}>{column.title}</span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className="max-sm:block">
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              role="row"
              className="border-line border-b hover:bg-panel max-sm:flex max-sm:flex-col max-sm:gap-1 max-sm:py-3"
            >
              {columns.map((column) => (
                <td
                  key={column.title}
                  role="cell"
                  className={`h-9 px-3 py-1 max-sm:flex max-sm:h-auto max-sm:items-baseline max-sm:justify-between max-sm:gap-4 max-sm:px-0 max-sm:py-0 first:pl-0 last:pr-0 ${column.right || column.actions ? "sm:text-right" : ""}`}
                >
                  <span aria-hidden="true" className="shrink-0 text-muted text-xs sm:hidden">
                    {column.actions ? "" : column.title}
                  </span>
                  <span className="min-w-0 max-sm:text-right">{column.cell(row)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: see above */}
      <span ref={end} tabIndex={-1} />
    </div>
  )
}

type Sorting = NonNullable<TableProps<unknown>["sorting"]>

function ariaSort(sort: string | undefined, sorting: Sorting | undefined) {
  if (!sort || !sorting || sorting.by !== sort) return undefined
  return sorting.direction === "asc" ? "ascending" : "descending"
}

function SortButton({ title, sort, sorting }: { title: string; sort: string; sorting: Sorting }) {
  const current = sorting.by === sort
  return (
    <button type="button" onClick={() => sorting.onSort(sort)} className="inline-flex items-center hover:text-text">
      {title}
      <span className={current ? "" : "opacity-0"}>
        <Icon name={sorting.direction === "asc" ? "up" : "down"} />
      </span>
    </button>
  )
}
