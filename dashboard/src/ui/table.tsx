import { type ReactNode, type RefObject, Suspense, useRef } from "react"
import type { Column, Selection, Sorting } from "./columns.ts"
import { Icon } from "./icon.tsx"
import { lazyPart } from "./lazy-part.tsx"
import { fitsAll } from "./row-choice.ts"
import { type RowTable, useRowTable } from "./row-table.ts"
import { Skeleton } from "./skeleton.tsx"
import { PLACES, placesOf } from "./table-cards.ts"
import { useRowKeys } from "./use-row-keys.ts"
import { useTableLook } from "./use-table-look.ts"
import { useZone } from "./zone.ts"

export type { Column } from "./columns.ts"

const DisplayMenu = lazyPart(() => import("./display-menu.tsx").then((file) => ({ default: file.DisplayMenu })))

export interface TableProps<Row> {
  /** The content of the table, for screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  /** Undefined during the first load. */
  rows: readonly Row[] | undefined
  rowKey: (row: Row) => string | number
  sorting?: Sorting
  /** Shown instead of the table if it has no rows. */
  empty?: ReactNode
  /** The shown rows belong to an earlier query. */
  stale?: boolean
  /**
   * Makes it the list of its page: this browser keeps its columns and its density under this word, and single keys
   * move through its rows (`use-row-keys.ts`).
   */
  list?: string
  selection?: Selection<Row>
  /** Content above the table, such as the acts on chosen rows. */
  bar?: ReactNode
}

const LONG_TEXT = "min-w-0 max-sm:break-words"
/** On a card, a text that is too long ends with an ellipsis. */
const SHORT_TEXT =
  "min-w-0 max-sm:block max-sm:max-w-full max-sm:overflow-hidden max-sm:text-ellipsis max-sm:whitespace-nowrap max-sm:[&>*]:flex-nowrap max-sm:[&>.line-clamp-1]:max-w-full max-sm:[&>.line-clamp-1]:whitespace-normal"

const SPARE = "sm:max-xl:hidden"

/** From this number of rows on, a button lets keyboard users skip them. */
const LONG = 10

/** A table with rows of 36 px and a sticky header. Below 640 px, it is a list of cards in the same order. */
export function Table<Row>({ rows, empty, ...rest }: TableProps<Row>) {
  if (!rows) return <Skeleton rows={8} />
  if (rows.length === 0 && empty) return empty
  return <Rows {...rest} rows={rows} />
}

type RowsProps<Row> = Omit<TableProps<Row>, "rows" | "empty"> & { rows: readonly Row[] }

function Rows<Row>({ caption, columns, rows, rowKey, sorting, stale, list, selection, bar }: RowsProps<Row>) {
  const [look, setLook] = useTableLook(list)
  const table = useRowTable({ columns, rows, rowKey, sorting, selection, look })
  const keys = useRowKeys(list !== undefined, (key) => {
    const row = table.getRow(key)
    if (row.getCanSelect()) row.toggleSelected()
  })
  const shown = columns.filter(({ title }) => table.getColumn(title)?.getIsVisible())
  const end = useRef<HTMLSpanElement>(null)
  return (
    <>
      {(list || bar) && (
        <div className="flex min-h-8 flex-wrap items-center gap-2">
          {bar}
          {list && (
            <div className="ml-auto">
              <Suspense>
                <DisplayMenu caption={caption} columns={columns} look={look} onChange={setLook} />
              </Suspense>
            </div>
          )}
        </div>
      )}
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
        {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
        <table role="table" className="w-full border-collapse text-left max-sm:block">
          <caption className="sr-only">{caption}</caption>
          <Head table={table} shown={shown} selection={selection} />
          <Body table={table} shown={shown} selection={selection} isCompact={look.isCompact} keys={keys} />
        </table>
        <span ref={end} tabIndex={-1} />
      </div>
    </>
  )
}

interface PartProps<Row> {
  table: RowTable<Row>
  /** The visible columns. */
  shown: readonly Column<Row>[]
}

function Head<Row>({ table, shown, selection }: PartProps<Row> & Pick<RowsProps<Row>, "selection">) {
  const page = table.getRowModel().rows.map(({ id }) => id)
  const fits = !selection?.most || fitsAll(selection.chosen, page, selection.most)
  const zone = useZone() === "utc" ? "UTC" : "local"
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see Rows
    <thead role="rowgroup" className="max-sm:sr-only">
      <tr role="row">
        {shown.map(({ title, right, actions, timed, spare }, index) => {
          const column = table.getColumn(title)
          const words = timed ? `${title} (${zone})` : title
          const sorted = column?.getIsSorted() || undefined
          return (
            <th
              key={title}
              role="columnheader"
              scope="col"
              aria-sort={sorted && (sorted === "asc" ? "ascending" : "descending")}
              className={`sticky top-0 z-10 h-8 border-line border-b bg-bg px-2 text-muted text-xs whitespace-nowrap first:pl-0 last:pr-0 2xl:px-3 ${right ? "text-right" : ""} ${spare ? SPARE : ""}`}
            >
              <span className="inline-flex items-center gap-3">
                {index === 0 && selection && (
                  <RowBox
                    label="Choose all rows of this page"
                    checked={fits && table.getIsAllRowsSelected()}
                    disabled={!fits}
                    onChange={table.getToggleAllRowsSelectedHandler()}
                  />
                )}
                {column?.getCanSort() ? (
                  <SortButton title={words} sorted={sorted} onClick={() => column.toggleSorting()} />
                ) : (
                  <span className={actions ? "sr-only" : ""}>{words}</span>
                )}
              </span>
            </th>
          )
        })}
      </tr>
    </thead>
    // biome-ignore-end lint/a11y/noRedundantRoles: see Rows
  )
}

interface BodyProps<Row> extends PartProps<Row> {
  selection: Selection<Row> | undefined
  isCompact: boolean
  keys: RefObject<HTMLTableSectionElement | null>
}

function Body<Row>({ table, shown, selection, isCompact, keys }: BodyProps<Row>) {
  const places = placesOf(shown)
  const height = isCompact ? "sm:h-7" : "sm:h-9 sm:py-1"
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see Rows
    <tbody ref={keys} role="rowgroup" className="max-sm:block">
      {table.getRowModel().rows.map((row) => (
        <tr
          key={row.id}
          role="row"
          tabIndex={-1}
          data-key={row.id}
          className={`border-line border-b -outline-offset-2 hover:bg-panel max-sm:grid max-sm:grid-cols-[repeat(12,minmax(0,1fr))] max-sm:gap-x-1 max-sm:py-2 ${row.getIsSelected() ? "bg-accent-soft" : ""}`}
        >
          {shown.map((column, index) => (
            <td
              key={column.title}
              role="cell"
              className={`${height} px-2 max-sm:flex max-sm:min-h-7 max-sm:min-w-0 max-sm:items-center max-sm:gap-1 max-sm:px-0 first:pl-0 last:pr-0 2xl:px-3 ${column.right || column.actions ? "sm:text-right" : ""} ${column.spare ? SPARE : ""} ${PLACES[places[index] ?? "none"]}`}
            >
              {index > 0 && !column.actions && (
                <span aria-hidden="true" className="shrink-0 text-muted text-xs sm:hidden">
                  {column.title}
                </span>
              )}
              <span className={index === 0 && selection ? "flex min-w-0 items-center gap-3" : "contents"}>
                {index === 0 && selection && (
                  <RowBox
                    label={selection.labelOf(row.original.of)}
                    checked={row.getIsSelected()}
                    disabled={!row.getCanSelect()}
                    onChange={row.getToggleSelectedHandler()}
                  />
                )}
                <span className={column.long ? LONG_TEXT : SHORT_TEXT}>{column.cell(row.original.of)}</span>
              </span>
            </td>
          ))}
        </tr>
      ))}
    </tbody>
    // biome-ignore-end lint/a11y/noRedundantRoles: see Rows
  )
}

interface RowBoxProps {
  label: string
  checked: boolean
  disabled?: boolean
  onChange: (event: unknown) => void
}

const RowBox = ({ label, ...rest }: RowBoxProps) => (
  <input type="checkbox" aria-label={label} title={label} className="size-4 shrink-0 accent-accent" {...rest} />
)

interface SortButtonProps {
  title: string
  sorted: "asc" | "desc" | undefined
  onClick: () => void
}

const SortButton = ({ title, sorted, onClick }: SortButtonProps) => (
  <button type="button" onClick={onClick} className="inline-flex items-center hover:text-text">
    {title}
    <span className={sorted ? "" : "opacity-0"}>
      <Icon name={sorted === "asc" ? "up" : "down"} />
    </span>
  </button>
)
