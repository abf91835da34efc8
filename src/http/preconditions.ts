import { createHash } from "node:crypto"
import { TurnpikeError } from "../base/errors.ts"

/** A list of entity tags (RFC 9110 section 8.8.3). */
const TAG = /(W\/)?"([\x21\x23-\x7e]*)"/
const TAGS = new RegExp(`^\\s*${TAG.source}(\\s*,\\s*${TAG.source})*\\s*$`)

/** How an operation's answer gets its ETag: from the whole answer, or from the part that requests can change. */
export interface Tagged {
  of?: (answer: never) => unknown
  /** The path of the GET that reads the same object, if it is not the operation's own. */
  read?: string
}

/** The ETag of an answer: 128 bits of a hash of its content. */
export function contentTag({ of }: Tagged, answer: object): string {
  const content = JSON.stringify(of ? of(answer as never) : answer, inOrder)
  return `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`
}

/**
 * True for a GET whose ETag names its whole answer, so that it can be answered with 304. The tag of a part stays the
 * same when other fields change, such as the amounts of an end user.
 */
export const answersUnchanged = ({ method, tagged }: { method: string; tagged?: Tagged }) =>
  method === "get" && tagged !== undefined && tagged.of === undefined

/** Whether If-None-Match of a GET names this tag (RFC 9110 section 13.1.2). A header that is no list names none. */
export function isKnown(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch.trim() === "*") return ifNoneMatch !== undefined
  return TAGS.test(ifNoneMatch) && tagsIn(ifNoneMatch).some((known) => known.replace(/^W\//, "") === tag)
}

const tagsIn = (header: string): string[] => header.match(new RegExp(TAG.source, "g")) ?? []

/** The order of an object's fields does not matter, and the database changes it. */
const inOrder = (_name: string, value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value

interface Conditions {
  ifMatch: string | undefined
  ifNoneMatch: string | undefined
}

/**
 * Evaluates If-Match and If-None-Match before a change (RFC 9110 section 13.2). `read` returns the current object and
 * the tags that name it, or null if there is none. Throws VERSION_MISMATCH, or IF_MATCH_INVALID for a header that is
 * no list of tags.
 */
export async function requireMatch(
  { ifMatch, ifNoneMatch }: Conditions,
  read: () => Promise<{ tags: string[]; current: object } | null>,
): Promise<void> {
  if (ifMatch === undefined && ifNoneMatch === undefined) return
  const [wanted, unwanted] = [tagsOf(ifMatch, "If-Match"), tagsOf(ifNoneMatch, "If-None-Match")]
  const found = await read()
  const hasOne = (tags: string[] | "*", isWeak: boolean) =>
    found !== null && (tags === "*" || tags.some((tag) => found.tags.includes(isWeak ? tag.replace(/^W\//, "") : tag)))
  if (wanted && !hasOne(wanted, false)) throw mismatch(found?.current)
  if (unwanted && hasOne(unwanted, true)) throw mismatch(found?.current)
}

function tagsOf(header: string | undefined, name: string): string[] | "*" | null {
  if (header === undefined) return null
  if (header.trim() === "*") return "*"
  if (!TAGS.test(header)) {
    throw new TurnpikeError(
      "IF_MATCH_INVALID",
      `${name} is a list of entity tags in quotes, or *. Send the ETag that you read.`,
    )
  }
  return tagsIn(header)
}

export function mismatch(current?: object): TurnpikeError {
  const message =
    current === undefined
      ? "It has changed since the version that the request names, or does not exist. Nothing was written. Read it again, then repeat the change."
      : "It is another version than the request names. Nothing was written. Read it again, then repeat the change."
  return new TurnpikeError("VERSION_MISMATCH", message, { details: current === undefined ? {} : { current } })
}
