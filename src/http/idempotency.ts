import { TurnpikeError } from "../errors.ts"

/** The value of an Idempotency-Key header: bare, or a quoted sf-string (RFC 8941 section 3.3.3) of the same value. */
export function parseIdempotencyKey(header: string | undefined): string {
  if (header === undefined || header === "") {
    throw new TurnpikeError(
      "IDEMPOTENCY_KEY_REQUIRED",
      "Send an Idempotency-Key: one unique value per logical request.",
    )
  }
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)
  const key = quoted ? (quoted[1] as string).replace(/\\(["\\])/g, "$1") : header
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new TurnpikeError("IDEMPOTENCY_KEY_INVALID", "An Idempotency-Key is 1–255 printable ASCII characters.")
  }
  return key
}
