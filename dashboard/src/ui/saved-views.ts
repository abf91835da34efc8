/** A view of a list under a title: the filters and the order of its URL. */
export interface SavedView {
  title: string
  /** The query of the URL, without its page. */
  search: string
}

export const MOST_VIEWS = 30

/** Parameters of the URL that are no part of a view: the page, an open entry, and the kind of data. */
const NOT_KEPT = ["offset", "cursor", "entry", "turn", "test"]

const textOf = (value: unknown): value is string => typeof value === "string"

/** Reads the kept views of a list. Everything that is no view is left out. */
export function viewsIn(text: string | null): SavedView[] {
  try {
    const kept = JSON.parse(text ?? "[]") as unknown
    if (!Array.isArray(kept)) return []
    return kept.flatMap((one: Partial<SavedView> | null) =>
      one && textOf(one.title) && textOf(one.search) ? [{ title: one.title, search: one.search }] : [],
    )
  } catch {
    return []
  }
}

/** The parameters of a URL that a view keeps, in one order, so that equal views have equal texts. */
export function viewOf(search: object): string {
  const kept = Object.entries(search).filter(([name, value]) => value !== undefined && !NOT_KEPT.includes(name))
  return new URLSearchParams(kept.map(([name, value]) => [name, String(value)]).sort() as [string, string][]).toString()
}

/** The views with one more, at the end or at its earlier place. One of the same title is replaced at its place. */
export function withView(views: readonly SavedView[], view: SavedView, at = views.length): SavedView[] {
  return views.some(({ title }) => title === view.title)
    ? views.map((one) => (one.title === view.title ? view : one))
    : views.toSpliced(at, 0, view)
}
