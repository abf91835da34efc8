import * as z from "zod"

import { LIST_POLICY } from "../base/policies.ts"
import { instantParam } from "../base/time.ts"

/** A query that rejects other parameters. The usual message lists the names, and here there may be none. */
export const strictQuery = (shape: z.ZodRawShape): z.ZodType<Record<string, unknown>> =>
  Object.keys(shape).length > 0
    ? z.strictObject(shape)
    : z.strictObject({}, { error: "This operation has no query parameters." })

/** An id in a path or a query: any short text. An unknown id gives NOT_FOUND, not a validation error. */
export const idParam = z.string().min(1).max(128)

/**
 * A whole number in decimal digits. JavaScript would also accept `0x10`, `1e3` and an empty text, which would be 0.
 */
export const wholeParam = (min: number, max: number) =>
  z.preprocess(
    (value) => (typeof value === "string" && !/^-?\d+(\.\d+)?$/.test(value) ? Number.NaN : value),
    z.coerce.number().int().min(min).max(max),
  )

/** Accepted spellings of booleans in queries, in any case: as forms, Python and shells write them. */
const WORDS = new Map([
  ...["true", "1", "yes", "on"].map((word) => [word, true] as const),
  ...["false", "0", "no", "off"].map((word) => [word, false] as const),
])

/** Reads a boolean of a query; undefined for any other text. */
export const readBoolean = (text: string | undefined) => WORDS.get(text?.toLowerCase() ?? "")

const asBoolean = (value: unknown) => (typeof value === "string" ? (readBoolean(value) ?? value) : value)

/** A boolean in a query: `true` or `false`, `1` or `0`, `yes` or `no`, in any case. */
export const booleanParam = z.preprocess(asBoolean, z.boolean())

/** A boolean in a query, or `all` for both. */
export const booleanOrAllParam = z.preprocess((value) => String(asBoolean(value)), z.enum(["true", "false", "all"]))

/** Removes empty parameters, which forms send for empty fields. */
export function withoutEmpty(query: unknown): unknown {
  const given = Object.entries(query as Record<string, string | string[]>).flatMap(([name, value]) => {
    const values = [value].flat().filter((text) => text !== "")
    return values.length > 0 ? [[name, Array.isArray(value) ? values : value]] : []
  })
  return Object.fromEntries(given)
}

/** An instant, or a day (`2026-11-20`), which means its start in UTC. */
export const instantOrDayParam = z
  .string()
  .transform((text) => (/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text))
  .pipe(instantParam)

/** A filter that may be repeated. An entry matches if it has any of the values. */
export const repeated = z.preprocess(
  (value) => (typeof value === "string" ? [value] : value),
  z.array(z.string().min(1).max(128)).min(1).max(100),
)

/** The cursor of a page. It may contain an account's text, so it can be longer than an id. */
export const positionCursor = z
  .string()
  .min(1)
  .max(1024)
  .optional()
  .meta({ description: "The `next_cursor` of the previous page. Send it with the same filters." })

/** A cursor with a number. In the API it is a text like all other cursors. */
export const numberCursor = (min: number, max: number) =>
  positionCursor.transform((text): unknown => text).pipe(wholeParam(min, max).optional())

export const PAGE_SIZE = { usual: 20, most: 100 }

export const pageQuery = {
  limit: wholeParam(1, PAGE_SIZE.most).default(PAGE_SIZE.usual).meta({ description: "The most entries on a page." }),
  cursor: positionCursor,
}

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ data: z.array(item), has_more: z.boolean(), next_cursor: z.string().nullable() })
}

/** A complete list as one page. */
export const wholePage = <T>(data: T[]) => ({ data, has_more: false, next_cursor: null })

/** Filters by time of creation. */
export const createdQuery = {
  created_after: instantParam.optional().meta({ description: "Only entries created at or after this time." }),
  created_before: instantParam.optional().meta({ description: "Only entries created before this time." }),
}

/** The page parameters of a dashboard list, with at most `max` entries per page. */
export const listQueryUpTo = (max: number, usual = 50) => ({
  limit: wholeParam(1, max).default(usual).meta({ description: "The most entries on a page." }),
  offset: wholeParam(0, 1_000_000_000).default(0).meta({ description: "The number of entries to skip." }),
})

/** The page parameters of a list that is complete by default. Only very long lists have a second page. */
export const wholeListQuery = {
  limit: wholeParam(1, LIST_POLICY.page)
    .default(LIST_POLICY.page)
    .meta({ description: `The most entries on a page. Default: all entries, up to ${LIST_POLICY.page}.` }),
  offset: wholeParam(0, 1_000_000_000).default(0).meta({ description: "The number of entries to skip." }),
}

const CUT_PAGE =
  `A page also ends before it has more than ${LIST_POLICY.days.toLocaleString("en-US")} days, after at least one entry. \`next_offset\` is ` +
  "where the next page begins."

/** The page parameters of a list whose entries have days. It is complete by default, unless it has very many days. */
export const cutListQuery = {
  limit: wholeListQuery.limit.meta({
    description: `The most entries on a page. Default: all entries, up to ${LIST_POLICY.page}. ${CUT_PAGE}`,
  }),
  offset: wholeListQuery.offset,
}

/** Whether a series of days has those without usage. */
export const emptyDaysParam = (applies = "") =>
  booleanParam.default(true).meta({ description: `${applies}\`false\`: without days that have no usage.` })

export const OFFSET_PAGE_MOST = 200

/** The usual page parameters of a dashboard list. */
export const listQuery = listQueryUpTo(OFFSET_PAGE_MOST)

/** A number in a path. Any other value is a validation error, as docs/contract.md requires. */
export const numberParam = wholeParam(1, Number.MAX_SAFE_INTEGER)

/** A search text of a list. An empty text means no search. */
export const searchParam = z
  .string()
  .max(200)
  .optional()
  .transform((text) => text || undefined)

/** A filter by brand. A list with this filter rejects an unknown brand. */
export const brandParam = z
  .string()
  .regex(/^[a-z][a-z0-9]{0,31}$/)
  .default("all")
  .meta({ description: "The name of a brand, or `all`. An unknown brand is rejected." })

/** The last `days` days (docs/contract.md). */
export const daysQuery = (max: number, usual = 30) => ({
  days: wholeParam(1, max).default(usual).meta({ description: "The number of days, including today." }),
})

/** Selects test data instead of live data. The session middleware reads it. */
export const testQuery = {
  test: booleanParam
    .optional()
    .meta({ description: "`true` for the data of test keys and their spaces. Default: live data." }),
}

/** A complete list in the format of paged lists. */
export const wholeList = <T>(items: T[]) => ({ items, total: items.length, limit: items.length, offset: 0 })

export function listOf<T extends z.ZodType>(item: T) {
  return z.object({
    items: z.array(item),
    total: z.int().meta({ description: "The number of entries on all pages." }),
    limit: z.int(),
    offset: z.int(),
  })
}
