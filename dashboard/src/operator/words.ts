import { listSpaceInventoryQuery } from "../api/rules.ts"
import type { QueryWord } from "../api/words.ts"
import { countIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"

export type Archived = QueryWord<"listSpaceInventory", "archived">

/** The words by which every list of groups and spaces is filtered. */
export const ARCHIVED: readonly Archived[] = listSpaceInventoryQuery.archived.words

/** The URL of a list that is searched by name and state. */
export const groupsIn = (search: RawSearch): { q?: string; archived?: Archived; offset?: number } => ({
  q: textIn(search.q),
  archived: oneIn(search.archived, ARCHIVED),
  offset: countIn(search.offset),
})
