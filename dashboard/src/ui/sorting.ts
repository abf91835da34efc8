import { useFilters } from "./filter-bar.tsx"

/** The sort order of a table in the URL: another column sorts it downwards, the same one turns it around. */
export function useSorting(by: string, direction: "asc" | "desc") {
  const change = useFilters()
  return {
    by,
    direction,
    onSort: (next: string) => change({ sort: next, direction: next === by && direction === "desc" ? "asc" : "desc" }),
  }
}
