import { createContext, useContext } from "react"

/**
 * Where filters are rendered: each as a field of the menu, or as a chip of those that have a value. Null: as plain
 * controls.
 */
export const FilterPlace = createContext<"menu" | "chips" | null>(null)

export const useFilterPlace = () => useContext(FilterPlace)
