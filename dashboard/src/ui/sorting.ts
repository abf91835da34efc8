import type { Direction, Sorting } from "./columns.ts"
import { useFilters } from "./filter-bar.tsx"

/** The sort order of a table in the URL. */
export function useSorting(by: string, direction: Direction): Sorting {
  const change = useFilters()
  return { by, direction, onSort: (sort, direction) => change({ sort, direction }) }
}
