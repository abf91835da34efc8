/**
 * The chosen rows after a change of the table's model: those that stay, and then at most as many new ones as one act
 * takes. The model does not tell which rows are new, because an object sorts the keys that are integers.
 */
export function chosenAfter(chosen: ReadonlySet<string>, model: Record<string, boolean>, most: number): Set<string> {
  const stay = [...chosen].filter((key) => model[key])
  const added = Object.keys(model).filter((key) => model[key] && !chosen.has(key))
  return new Set([...stay, ...added].slice(0, most))
}

/** True if one act takes all rows of the page together with those that are already chosen. */
export const fitsAll = (chosen: ReadonlySet<string>, page: readonly string[], most: number): boolean =>
  new Set([...chosen, ...page]).size <= most
