import type { Context as HonoContext } from "hono"
import { TurnpikeError } from "../base/errors.ts"
import type { AppEnv } from "./app-env.ts"

/** A strong or weak entity tag (RFC 9110 section 8.8.3). */
const ENTITY_TAG = /^(W\/)?"([\x21\x23-\x7e]*)"$/

/**
 * The version that an If-Match header asks for (RFC 9110 section 13.1.1): null for any (`*`, or no header), -1 for a tag that no row of
 * ours has, such as a weak one, which never matches. IF_MATCH_INVALID for anything else, also for several tags: a row has one.
 */
export function parseIfMatch(header: string | undefined): number | null {
  if (header === undefined || header.trim() === "*") return null
  const parts = ENTITY_TAG.exec(header.trim())
  if (!parts) throw new TurnpikeError("IF_MATCH_INVALID", 'If-Match is one entity tag in quotes, such as "3", or *.')
  const [, weak, tag = ""] = parts
  return weak === undefined && /^(0|[1-9]\d{0,8})$/.test(tag) ? Number(tag) : -1
}

/** Sets the ETag of an answer that is one row with a `version`. */
export function setVersion(c: HonoContext<AppEnv>, answer: unknown): void {
  if (typeof answer === "object" && answer !== null && "version" in answer && typeof answer.version === "number")
    c.header("ETag", `"${answer.version}"`)
}
