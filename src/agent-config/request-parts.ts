import * as z from "zod"

/** Headers that the service or the connection sets. Tools must not set them. */
const OURS =
  /^(host|content-length|connection|transfer-encoding|upgrade|te|trailer|expect|idempotency-key|mcp-.*|cf-.*|turnpike-.*)$/i

export const headersSchema = z
  .record(
    z
      .string()
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/, "must be a header name")
      .refine((name) => !OURS.test(name), "is a header that the service sets itself"),
    z
      .string()
      .max(8192)
      .refine((value) => !/[\r\n]/.test(value), "must not have line breaks"),
  )
  .refine((headers) => Object.keys(headers).length <= 32, "must have at most 32 headers")
  .meta({
    description:
      "HTTP headers. Values can contain placeholders. Store credentials as secrets: `Bearer {{secrets.TOKEN}}`.",
  })

/**
 * An absolute URL that may have placeholders after its origin. The origin is fixed, because the tool's secrets are
 * sent only there (docs/architecture/tools.md). The verbs check whether the host is public, since they know the
 * policy.
 */
export const templatedUrl = z
  .string()
  .min(1)
  .max(4096)
  .refine((url) => originOf(url) !== null, "must be an absolute http(s) URL without a placeholder in its host")
  .meta({
    description: "The URL. Placeholders are allowed only after the host.",
    example: "https://api.example.com/orders/{{input.id}}",
  })

/** The URL with each placeholder replaced by a letter; null if the result is not a URL. */
export function originOf(template: string): URL | null {
  const authority = /^https?:\/\/([^/?#\\]*)/i.exec(template)
  if (!authority || authority[1]?.includes("{{")) return null
  const sample = template.replace(/\{\{[^{}]*\}\}/g, "x")
  return URL.canParse(sample) ? new URL(sample) : null
}

export const jsonBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

/** The size of a JSON column in the database's response. It is JSON inside JSON, so escapes are escaped again. */
export const wireBytes = (value: unknown) => jsonBytes(JSON.stringify(value))
