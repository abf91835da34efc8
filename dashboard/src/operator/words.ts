import { everyOf, type QueryWord } from "../api/words.ts"
import { countIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"

export const ARCHIVED = everyOf<QueryWord<"listSpaceInventory", "archived">>()(["active", "archived", "all"])
export type Archived = (typeof ARCHIVED)[number]

/** The URL of a list that is searched by name and state. */
export const groupsIn = (search: RawSearch): { q?: string; archived?: Archived; offset?: number } => ({
  q: textIn(search.q),
  archived: oneIn(search.archived, ARCHIVED),
  offset: countIn(search.offset),
})
