/** The single keys of a list, for the page that explains them. */
export const ROW_KEYS = [
  ["J", "The next row"],
  ["K", "The row before"],
  ["Enter", "Opens the row"],
  ["X", "Chooses the row, if rows can be chosen"],
  ["E", "Downloads the list as CSV"],
] as const

/** The index of the row that a key leads to. `at` is -1 if no row has the focus. */
export function rowAfter(key: string, at: number, count: number): number {
  const step = key === "j" ? 1 : -1
  return at < 0 ? 0 : Math.min(count - 1, Math.max(0, at + step))
}
