import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely"
import { TurnpikeError } from "./errors.ts"
import { firstIdAt, type IdKind } from "./ids.ts"
import { hashRequest } from "./request-hash.ts"

export interface Page<T> {
  data: T[]
  has_more: boolean
  next_cursor: string | null
}

/**
 * The id after which a page starts; undefined for the first page. Throws VALIDATION_FAILED for a
 * cursor of other filters.
 */
export function decodeCursor(cursor: string | undefined, filters: object): string | undefined {
  if (cursor === undefined) return undefined
  const match = /^([A-Za-z0-9_]{1,64})\.([0-9a-f]{16})$/.exec(cursor)
  if (!match || match[2] !== fingerprint(filters)) throw foreignCursor()
  return match[1]
}

/** A page with `data`. `more`: the list continues after it. */
export function toPage<T>(
  data: T[],
  { more, filters, idOf }: { more: boolean; filters: object; idOf: (row: T) => string },
): Page<T> {
  const last = data.at(-1)
  const goesOn = more && last !== undefined
  return { data, has_more: goesOn, next_cursor: goesOn ? `${idOf(last)}.${fingerprint(filters)}` : null }
}

/** A cursor made of texts: the position after which the list continues, bound to the list's filters. */
export function encodePosition(position: string[], filters: object): string {
  const bytes = new TextEncoder().encode(JSON.stringify(position))
  const base64 = btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")
  return `${base64}.${fingerprint({ filters, position })}`
}

/**
 * Decodes a cursor of `encodePosition`. Throws VALIDATION_FAILED for an invalid cursor, or for a
 * cursor of other filters.
 */
export function decodePosition(cursor: string | undefined, filters: object): string[] | undefined {
  if (cursor === undefined) return undefined
  const position = positionIn(cursor)
  if (!position || encodePosition(position, filters) !== cursor) throw foreignCursor()
  return position
}

function positionIn(cursor: string): string[] | null {
  try {
    const binary = atob((cursor.split(".")[0] ?? "").replaceAll("-", "+").replaceAll("_", "/"))
    const text = new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)))
    const position: unknown = JSON.parse(text)
    return Array.isArray(position) && position.every((item) => typeof item === "string" && !item.includes("\0"))
      ? position
      : null
  } catch {
    return null
  }
}

function foreignCursor(): TurnpikeError {
  return new TurnpikeError(
    "VALIDATION_FAILED",
    "This cursor is invalid or belongs to other filters. Send the same filters (and `order`) for each page.",
    {
      param: "cursor",
    },
  )
}

function fingerprint(filters: object): string {
  return hashRequest(filters).slice(0, 16)
}

/** The filter of lists whose rows can be archived. */
export const ARCHIVED_FILTER = ["active", "archived", "all"] as const
export type ArchivedFilter = (typeof ARCHIVED_FILTER)[number]

/** True if a text contains `part`, ignoring case. */
export function holds(text: Expression<string | null>, part: string): RawBuilder<SqlBool> {
  return sql`position(folded(${part}::text) in folded(${text})) > 0`
}

export interface CreatedFilters {
  /** Inclusive. */
  created_after?: string | undefined
  /** Exclusive. */
  created_before?: string | undefined
}

/**
 * Conditions on the ids and creation times of rows. An id starts with the millisecond of
 * created_at, so an index can use the bound on the id.
 */
export function createdBetween(
  kind: IdKind,
  [id, at]: [id: Expression<string>, at: Expression<Date>],
  { created_after, created_before }: CreatedFilters,
): RawBuilder<SqlBool>[] {
  const where: RawBuilder<SqlBool>[] = []
  if (created_after) {
    where.push(sql`${at} >= ${created_after}::timestamptz`)
    where.push(sql`${id} collate "C" >= ${firstIdAt(kind, new Date(created_after))}`)
  }
  if (created_before) {
    where.push(sql`${at} < ${created_before}::timestamptz`)
    where.push(sql`${id} collate "C" < ${firstIdAt(kind, new Date(created_before))}`)
  }
  return where
}
