import type { ReactNode } from "react"

/** A column without its cells. */
export interface ColumnFacts {
  /** The column header, and the label next to the value in the list layout. */
  title: string
  /** Right-aligned, for numbers and money. */
  right?: boolean
  /** The name by which the API sorts this column. */
  sort?: string
  /** Exact times in the zone of the browser's setting, which the header names. */
  timed?: boolean
  /** A column of actions, whose title is hidden. */
  actions?: boolean
  /** Texts of several lines. On a card, they have the second line and wrap. */
  long?: boolean
  /** Hidden until the user chooses the column, so that the usual ones fit 1280 px. */
  rare?: boolean
  /** Hidden below 1280 px in a table without the menu Display, so that the other columns fit. Cards may have it. */
  spare?: boolean
}

export interface Column<Row> extends ColumnFacts {
  cell: (row: Row) => ReactNode
}

export type Direction = "asc" | "desc"

/** The sort order from the URL, and the handler that changes it. */
export interface Sorting {
  by: string | undefined
  direction: Direction
  onSort: (by: string, direction: Direction) => void
}

/** Rows that the user chooses for an act. A row is named by its key as text. */
export interface Selection<Row> {
  chosen: ReadonlySet<string>
  onChange: (chosen: ReadonlySet<string>) => void
  /** The label of a row's checkbox. */
  labelOf: (row: Row) => string
  /** The most rows that one act takes. */
  most?: number
}
