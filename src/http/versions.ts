import type { Context as HonoContext } from "hono"
import { TurnpikeError } from "../base/errors.ts"
import type { AppEnv } from "./app-env.ts"

/** A strong or weak entity tag (RFC 9110 section 8.8.3). */
const ENTITY_TAG = /^(W\/)?"([\x21\x23-\x7e]*)"$/

/**
 * The version in an If-Match header (RFC 9110 section 13.1.1). Null for any version (`*`, or no header); -1 for
 * a tag that matches no row, such as a weak one. Throws IF_MATCH_INVALID otherwise, also for several tags.
 */
export function parseIfMatch(header: string | undefined): number | null {
  if (header === undefined || header.trim() === "*") return null
  const parts = ENTITY_TAG.exec(header.trim())
  if (!parts) throw new TurnpikeError("IF_MATCH_INVALID", 'If-Match is one entity tag in quotes, such as "3", or *.')
  const [, weak, tag = ""] = parts
  return weak === undefined && /^(0|[1-9]\d{0,8})$/.test(tag) ? Number(tag) : -1
}

/** Sets the ETag of a response with one row that has a `version`. */
export function setVersion(c: HonoContext<AppEnv>, answer: unknown): void {
  if (typeof answer === "object" && answer !== null && "version" in answer && typeof answer.version === "number")
    c.header("ETag", `"${answer.version}"`)
}
