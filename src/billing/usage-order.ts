import { type SqlBool, sql } from "kysely"
import type { GroupPlace, UsageQuery, UsageSort } from "./usage-schemas.ts"

/** The sum by which a report is sorted. Undefined: by group. */
export const sumOf = ({ sort }: UsageQuery): Exclude<UsageSort, "group"> | undefined =>
  sort === "group" ? undefined : sort

/** True if large sums, or the last groups, come first. */
export const isDownwards = (query: UsageQuery): boolean =>
  (query.direction ?? (sumOf(query) === undefined ? "asc" : "desc")) === "desc"

/** True for the groups after a place. Groups with equal sums are sorted by their bytes, in both directions. */
export function isAfter(query: UsageQuery, after: GroupPlace | undefined) {
  const sum = sumOf(query)
  const beyond = isDownwards(query) ? sql`<` : sql`>`
  const group = sql`"group" collate "C"`
  const kind = sql`kind collate "C"`
  if (sum === undefined) {
    return sql<SqlBool>`(${group} ${beyond} ${after?.group} or (${group} = ${after?.group} and ${kind} > ${after?.kind}))`
  }
  return sql<SqlBool>`(${sql.ref(sum)} ${beyond} ${after?.sum} or (${sql.ref(sum)} = ${after?.sum} and (${group}, ${kind}) > (${after?.group}, ${after?.kind})))`
}
