import { listSpaceInventoryQuery } from "../api/rules.ts"
import type { QueryWord } from "../api/words.ts"
import { countIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"

export type Archived = QueryWord<"listSpaceInventory", "archived">

/** The values of the `archived` filter, which is the same for spaces, teams and workspaces. */
export const ARCHIVED: readonly Archived[] = listSpaceInventoryQuery.archived.words

/** The search parameters of a list with filters for name and state. */
export const groupsIn = (search: RawSearch): { q?: string; archived?: Archived; offset?: number } => ({
  q: textIn(search.q),
  archived: oneIn(search.archived, ARCHIVED),
  offset: countIn(search.offset),
})
