import { useQuery } from "@tanstack/react-query"
import { queryOf } from "../api/query.ts"
import { useKeyNames, useSpaceTitles } from "../api/titles.ts"
import { configOf, METADATA, type UsageGroupBy } from "./usage-search.ts"

/** The display names of spaces, keys and models by id, for the groups of the usage. */
export interface UsageNames {
  space: Map<string, string>
  key: Map<string, string>
  model: Map<string, string>
}

/** The names of the groups of a report: at most 100. Groups that no longer exist are shown by id. */
export function useUsageNames(of: UsageGroupBy, groups: readonly string[], test: true | undefined): UsageNames {
  const models = useQuery({ ...queryOf("listModels", { query: { test: test && "true" } }), enabled: of === "model" })
  return {
    space: useSpaceTitles(spacesOf(of, groups), test),
    key: useKeyNames(of === "key" ? groups : [], test),
    model: new Map(models.data?.data.map(({ pin, label }) => [pin, label])),
  }
}

/** The spaces of the groups. */
function spacesOf(of: UsageGroupBy, groups: readonly string[]): readonly string[] {
  if (of === "space") return groups
  return of === "config_version" ? [...new Set(groups.map((group) => configOf(group).space))] : []
}

/** The name of a group as text. */
export function groupWords(of: string, group: string, names: UsageNames): string {
  if (of === "config_version") {
    const { space, version } = configOf(group)
    return version === undefined ? group : `${names.space.get(space) ?? space}, version ${version}`
  }
  if (of === "hour") return `${group}:00`
  if (of.startsWith(METADATA)) return group === "" ? "(empty)" : group
  return names[of as keyof UsageNames]?.get(group) ?? group
}

/** The words for a group that is no value: of turns without a value, or of all values that are not shown. */
export const kindWords = (kind: string) => (kind === "none" ? "Not set" : "All others")
