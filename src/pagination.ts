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

/** The page that `data` is; `more` says whether the list goes on behind it. */
export function toPage<T>(
  data: T[],
  { more, filters, idOf }: { more: boolean; filters: object; idOf: (row: T) => string },
): Page<T> {
  const last = data.at(-1)
  const goesOn = more && last !== undefined
  return { data, has_more: goesOn, next_cursor: goesOn ? `${idOf(last)}.${fingerprint(filters)}` : null }
}

function fingerprint(filters: object): string {
  return hashRequest(filters).slice(0, 16)
}
