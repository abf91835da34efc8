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
  /** Texts of several lines. On a card, they have the second line and wrap. */
  long?: boolean
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

const LONG_TEXT = "min-w-0 max-sm:break-words"
/** On a card, a text that is too long ends with an ellipsis. */
const SHORT_TEXT =
  "min-w-0 max-sm:block max-sm:max-w-full max-sm:overflow-hidden max-sm:text-ellipsis max-sm:whitespace-nowrap max-sm:[&>*]:flex-nowrap"

/** From this number of rows on, a button lets keyboard users skip them. */
const LONG = 10

/** Below 640 px, a row is a card with three lines. These are the classes of its cells in a grid of twelve columns. */
const PLACES = {
  title: "max-sm:row-start-1 max-sm:col-[1/8] max-sm:font-strong",
  aside: "max-sm:row-start-1 max-sm:col-[8/13] max-sm:justify-end",
  left2: "max-sm:row-start-2 max-sm:col-[1/7]",
  right2: "max-sm:row-start-2 max-sm:col-[7/13] max-sm:justify-end",
  long: "max-sm:row-start-2 max-sm:col-[1/13]",
  left3: "max-sm:row-start-3 max-sm:col-[1/7]",
  right3: "max-sm:row-start-3 max-sm:col-[7/13] max-sm:justify-end",
  none: "max-sm:hidden",
} as const

type Place = keyof typeof PLACES

/**
 * The places of the columns on a card. The first line has the first column and the first figure. The actions end the
 * last line. The other places have the first other columns and the last one. A column of long texts has two places.
 */
function placesOf<Row>(columns: readonly Column<Row>[]): Place[] {
  const actions = columns.findIndex((column) => column.actions)
  const aside = columns.findIndex(({ right, actions }, index) => index > 0 && right && !actions)
  const long = columns.findIndex((column) => column.long)
  const second: Place[] = long < 0 ? ["left2", "right2"] : []
  const free: Place[] = [...second, "left3", ...(actions < 0 ? (["right3"] as const) : [])]
  const taken = [0, actions, aside, long]
  const others = columns.map((_, index) => index).filter((index) => !taken.includes(index))
  const shown = others.length <= free.length ? others : [...others.slice(0, free.length - 1), ...others.slice(-1)]
  return columns.map((_, index) => {
    if (index === 0) return "title"
    if (index === aside) return "aside"
    if (index === actions) return "right3"
    if (index === long) return "long"
    return free[shown.indexOf(index)] ?? "none"
  })
}

/** A table with rows of 36 px and a sticky header. Below 640 px, it is a list of cards in the same order. */
export function Table<Row>({ caption, columns, rows, rowKey, sorting, empty, stale }: TableProps<Row>) {
  const end = useRef<HTMLSpanElement>(null)
  if (!rows) return <Skeleton rows={8} />
  if (rows.length === 0 && empty) return empty
  const places = placesOf(columns)
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
              className="border-line border-b hover:bg-panel max-sm:grid max-sm:grid-cols-[repeat(12,minmax(0,1fr))] max-sm:gap-x-1 max-sm:py-2"
            >
              {columns.map((column, index) => (
                <td
                  key={column.title}
                  role="cell"
                  className={`h-9 px-3 py-1 max-sm:flex max-sm:h-auto max-sm:min-h-7 max-sm:min-w-0 max-sm:items-center max-sm:gap-1 max-sm:px-0 max-sm:py-0 first:pl-0 last:pr-0 ${column.right || column.actions ? "sm:text-right" : ""} ${PLACES[places[index] ?? "none"]}`}
                >
                  {index > 0 && !column.actions && (
                    <span aria-hidden="true" className="shrink-0 text-muted text-xs sm:hidden">
                      {column.title}
                    </span>
                  )}
                  <span className={column.long ? LONG_TEXT : SHORT_TEXT}>{column.cell(row)}</span>
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
