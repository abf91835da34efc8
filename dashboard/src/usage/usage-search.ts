import { getUsageQuery, listLedgerQuery } from "../api/rules.ts"
import { choicesOf, type QueryWord } from "../api/words.ts"
import { countIn, createdRangeIn, instantIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { firstOfDays, nextDay, startOfDate } from "../ui/days.ts"
import type { CreatedSearch } from "../ui/time-range.ts"

export type UsageGroupBy = QueryWord<"getUsage", "group_by">

export const GROUPS = choicesOf<UsageGroupBy>({
  day: "By day",
  hour: "By hour of day",
  model: "By model",
  space: "By space",
  end_user_ref: "By end user",
  key: "By key",
  config_version: "By configuration",
})

/** The start of a grouping by a registered key of the turns' metadata. */
export const METADATA = "metadata."

/** The label of a grouping. */
export const groupingLabel = (group: string): string =>
  GROUPS.find(([name]) => name === group)?.[1] ?? `By ${group.replace(METADATA, "")}`

interface UsageSearch {
  group_by?: UsageGroupBy
  days?: number
  from?: string
  to?: string
  space?: string
  model?: string
  key?: string
  end_user_ref?: string
  sort?: UsageSort
  direction?: "asc" | "desc"
  cursor?: string
}

type UsageSort = QueryWord<"getUsage", "sort">

/** The parameters of the URL that show one group of a report. */
export type GroupFilters = Pick<UsageSearch, "space" | "model" | "key" | "end_user_ref" | "from" | "to">

/** The filters that leave only this group of a report. Undefined: there are none for this grouping. */
export function filterOfGroup(by: string, group: string): GroupFilters | undefined {
  if (by === "space" || by === "model" || by === "key" || by === "end_user_ref") return { [by]: group }
  if (by === "config_version") return { space: configOf(group).space }
  if (by !== "day") return undefined
  return { from: startOfDate(group), to: nextDay(group) }
}

/** The space and the version of a group of a configuration, `spc_…@version`. */
export function configOf(group: string): { space: string; version: string | undefined } {
  const [space = group, version] = group.split("@")
  return { space, version }
}

/** One of the groupings, or a registered key of metadata. */
export const usageGroupIn = (value: unknown) =>
  oneIn(value, getUsageQuery.group_by.words) ?? (textIn(value)?.startsWith(METADATA) ? textIn(value) : undefined)

export const readUsageSearch = (search: RawSearch): UsageSearch => ({
  group_by: usageGroupIn(search.group_by),
  days: countIn(search.days) || undefined,
  from: instantIn(search.from),
  to: instantIn(search.to),
  space: textIn(search.space),
  model: textIn(search.model),
  key: textIn(search.key),
  end_user_ref: textIn(search.end_user_ref),
  sort: oneIn(search.sort, getUsageQuery.sort.words),
  direction: oneIn(search.direction, getUsageQuery.direction.words),
  cursor: textIn(search.cursor),
})

const listed = (value: string | undefined) => (value === undefined ? undefined : [value])

/** The filters of a report. `from` and `to` of the URL take precedence over `days`. */
export function usageQueryOf(search: UsageSearch & { test?: true }) {
  const { days = 30, from, to } = search
  return {
    from: from ?? (to ? undefined : firstOfDays(Math.min(days, 365))),
    to,
    space: listed(search.space),
    model: listed(search.model),
    key: listed(search.key),
    end_user_ref: listed(search.end_user_ref),
    test: search.test && ("true" as const),
  }
}

interface LedgerSearch extends CreatedSearch {
  reason?: QueryWord<"listLedger", "reason">
  bucket?: QueryWord<"listLedger", "bucket">
  turn?: string
  offset?: number
}

export const readLedgerSearch = (search: RawSearch): LedgerSearch => ({
  reason: oneIn(search.reason, listLedgerQuery.reason.words),
  bucket: oneIn(search.bucket, listLedgerQuery.bucket.words),
  turn: textIn(search.turn),
  ...createdRangeIn(search),
  offset: countIn(search.offset),
})
