import * as z from "zod"

/** Headers that we or the connection set; a tool may not. */
const OURS =
  /^(host|content-length|connection|transfer-encoding|upgrade|te|trailer|expect|idempotency-key|mcp-.*|cf-.*)$/i

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
  .meta({ description: "Values may hold placeholders. Put credentials into secrets: `Bearer {{secrets.TOKEN}}`." })

/**
 * An absolute URL with placeholders after its origin only. The origin is fixed, since the tool's secrets go there and nowhere else
 * (docs/architecture/tools.md). Whether its host is public is checked where the policy is known.
 */
export const templatedUrl = z
  .string()
  .min(1)
  .max(4096)
  .refine((url) => originOf(url) !== null, "must be an absolute http(s) URL without a placeholder in its host")
  .meta({
    description: "Placeholders are allowed after the host only.",
    example: "https://api.example.com/orders/{{input.id}}",
  })

/** The URL with every placeholder replaced by a harmless letter; null when that is not a URL. */
export function originOf(template: string): URL | null {
  const authority = /^https?:\/\/([^/?#\\]*)/i.exec(template)
  if (!authority || authority[1]?.includes("{{")) return null
  const sample = template.replace(/\{\{[^{}]*\}\}/g, "x")
  return URL.canParse(sample) ? new URL(sample) : null
}

export const jsonBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

/** The size of a JSON column in the database's answer: JSON within JSON, so escapes are escaped again. */
export const wireBytes = (value: unknown) => jsonBytes(JSON.stringify(value))
