import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { queryOf } from "./query.ts"

const idsOf = (ids: Iterable<string | null | undefined>) => [...new Set([...ids].filter((id) => id))].sort() as string[]

/**
 * The titles of spaces by id, for the rows of a table: at most 100 ids. Spaces that the user may not see have none.
 */
export function useSpaceTitles(ids: Iterable<string | null | undefined>, test: true | undefined): Map<string, string> {
  const space = idsOf(ids)
  const query = { space, archived: "all" as const, limit: Math.max(1, space.length), test: test && ("true" as const) }
  const spaces = useQuery({
    ...queryOf("listSpaces", { query }),
    enabled: space.length > 0,
    placeholderData: keepPreviousData,
  })
  return new Map(spaces.data?.items.map(({ space_id, title }) => [space_id, title]))
}

/** The names of API keys by id, for the rows of a table: at most 100 ids. */
export function useKeyNames(ids: Iterable<string | null | undefined>, test: true | undefined): Map<string, string> {
  const key = idsOf(ids)
  const query = { key, limit: Math.max(1, key.length), test: test ? ("true" as const) : ("false" as const) }
  const keys = useQuery({
    ...queryOf("listKeys", { query }),
    enabled: key.length > 0,
    placeholderData: keepPreviousData,
  })
  return new Map(keys.data?.items.map(({ key_id, name }) => [key_id, name]))
}
