import { useRead } from "../api/query.ts"
import { useKeyNames, useSpaceTitles } from "../api/titles.ts"
import type { UsageGroupBy } from "./usage-search.ts"

/** The display names of spaces, keys and models by id, for the groups and filters of the usage. */
export interface UsageNames {
  space: Map<string, string>
  key: Map<string, string>
  model: Map<string, string>
}

/** The names of the groups of a report: at most 100. Groups that no longer exist are shown by id. */
export function useUsageNames(of: UsageGroupBy, groups: readonly string[], test: true | undefined): UsageNames {
  const models = useRead("listModels", { query: { test: test && "true" } })
  return {
    space: useSpaceTitles(of === "space" ? groups : [], test),
    key: useKeyNames(of === "key" ? groups : [], test),
    model: new Map(models.data?.data.map(({ pin, label }) => [pin, label])),
  }
}
