import type { Context as HonoContext } from "hono"
import type { Made } from "../actor/once.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { AppEnv } from "./app-env.ts"

/** The response header that says that an earlier request created the result. */
export const REPLAYED = "Idempotent-Replayed"

/** Returns the result of a verb. Sets the header if an earlier request with the same key created it. */
export function madeOf<T>(c: HonoContext<AppEnv>, { made, replayed }: Made<T>): T {
  if (replayed) c.header(REPLAYED, "true")
  return made
}

/**
 * Parses an Idempotency-Key header: a bare value, or a quoted sf-string (RFC 8941 section 3.3.3) with the same value.
 */
export function parseIdempotencyKey(header: string | undefined): string {
  if (header === undefined) {
    throw new TurnpikeError(
      "IDEMPOTENCY_KEY_REQUIRED",
      "Send the header Idempotency-Key: one unique value per logical request, and the same one when you retry it.",
    )
  }
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)
  const key = quoted ? (quoted[1] as string).replace(/\\(["\\])/g, "$1") : header
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new TurnpikeError("IDEMPOTENCY_KEY_INVALID", "An Idempotency-Key is 1–255 printable ASCII characters.")
  }
  return key
}
