import { useRead } from "../api/query.ts"
import { listKeysQuery, listSpacesQuery } from "../api/rules.ts"

/** The display names of spaces, keys and models by id, for the groups and filters of the usage. */
export interface UsageNames {
  space: Map<string, string>
  key: Map<string, string>
  model: Map<string, string>
}

/** Names of the newest spaces and keys, at most one page of each. Other objects are shown by id. */
export function useUsageNames(test: true | undefined): UsageNames {
  const asked = test && ("true" as const)
  const spaces = useRead("listSpaces", {
    query: { archived: "all", limit: listSpacesQuery.limit.maximum, test: asked },
  })
  const keys = useRead("listKeys", { query: { limit: listKeysQuery.limit.maximum, test: test ? "true" : "false" } })
  const models = useRead("listModels", { query: { test: asked } })
  return {
    space: new Map(spaces.data?.items.map(({ space_id, title }) => [space_id, title])),
    key: new Map(keys.data?.items.map(({ key_id, name }) => [key_id, name])),
    model: new Map(models.data?.data.map(({ pin, label }) => [pin, label])),
  }
}
