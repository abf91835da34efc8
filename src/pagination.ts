import { TurnpikeError } from "./errors.ts"
import { hashRequest } from "./request-hash.ts"

export interface Page<T> {
  data: T[]
  has_more: boolean
  next_cursor: string | null
}

/** The id after which a page starts, or undefined for the first. VALIDATION_FAILED for a cursor of other filters. */
export function decodeCursor(cursor: string | undefined, filters: object): string | undefined {
  if (cursor === undefined) return undefined
  const match = /^([A-Za-z0-9_]{1,64})\.([0-9a-f]{16})$/.exec(cursor)
  if (!match || match[2] !== fingerprint(filters)) {
    throw new TurnpikeError("VALIDATION_FAILED", "This cursor does not belong to a list with these filters.", {
      param: "cursor",
    })
  }
  return match[1]
}

/** Cuts `rows` (one more than `limit` was asked for) to a page. */
export function toPage<T>(
  rows: T[],
  { limit, filters, idOf }: { limit: number; filters: object; idOf: (row: T) => string },
): Page<T> {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  const more = rows.length > limit && last !== undefined
  return { data, has_more: more, next_cursor: more ? `${idOf(last)}.${fingerprint(filters)}` : null }
}

function fingerprint(filters: object): string {
  return hashRequest(filters).slice(0, 16)
}
