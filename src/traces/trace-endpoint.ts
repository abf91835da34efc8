import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { checkUrl } from "../platform/public-url.ts"
import { TRACE_POLICY } from "./policies.ts"
import { sealTraceHeaders } from "./trace-headers.ts"

const url = z.string().min(1).max(TRACE_POLICY.urlLength).meta({
  description: "The whole URL for traces of your OTLP/HTTP collector. It must use https and a public host name.",
  example: "https://otlp.example.com/v1/traces",
})

/** Headers that the service sets itself, or that belong to the connection. */
const OURS = [
  "content-type",
  "content-length",
  "content-encoding",
  "host",
  "connection",
  "transfer-encoding",
  "user-agent",
]

const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, "must be a header's name")
  .refine((name) => !OURS.includes(name.toLowerCase()), "must not be a header that the service sets itself")

const headerValue = z
  .string()
  .min(1)
  .max(TRACE_POLICY.headerLength)
  .regex(/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/, "must be printable ASCII without spaces at its ends")

const words = {
  headers:
    "Headers of each request, such as an API key. They are stored encrypted and never returned. Left out: they stay, if the new " +
    "URL has the same origin. Null: none.",
  text:
    "True: spans also have texts: messages, inputs and outputs of tools, and error messages. Each is cut off after " +
    `${TRACE_POLICY.text.toLocaleString("en")} characters.`,
}

export const putTraceEndpointSchema = z
  .strictObject({
    url,
    headers: z
      .record(headerName, headerValue)
      .refine((headers) => {
        const names = Object.keys(headers).map((name) => name.toLowerCase())
        return names.length <= TRACE_POLICY.headers && new Set(names).size === names.length
      }, `must have at most ${TRACE_POLICY.headers} headers, each once`)
      .nullable()
      .optional()
      .meta({ description: words.headers, example: { authorization: "Bearer your-collector-key" } }),
    with_text: z.boolean().default(false).meta({ description: words.text }),
  })
  .meta({ id: "PutTraceEndpoint" })

const instant = z.iso.datetime()

export const traceEndpointSchema = z
  .object({
    url,
    header_names: z
      .array(z.string())
      .meta({ description: "The names of the stored headers.", example: ["authorization"] }),
    with_text: z.boolean().meta({ description: "True if spans have texts." }),
    spans_sent: z.int().meta({ description: "Spans that the endpoint has taken.", example: 1280 }),
    exported_until: instant.meta({ description: "Spans of turns that ended before this time were sent or given up." }),
    last_sent_at: instant.nullable().meta({ description: "When the endpoint last took spans. Null: never." }),
    last_failed_at: instant.nullable().meta({ description: "When a request last failed. Null: never." }),
    last_error: z.string().nullable().meta({ description: "Why it failed. Null: nothing has failed.", example: null }),
    retry_at: instant.nullable().meta({
      description: "When the next request may be sent, if the last one failed. Null: the last one did not fail.",
    }),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: "TraceEndpoint" })

type TraceEndpoint = z.infer<typeof traceEndpointSchema>

export const traceEndpointAnswerSchema = z.object({
  endpoint: traceEndpointSchema.nullable().meta({ description: "Null: the account has none." }),
})

type TraceEndpointAnswer = z.infer<typeof traceEndpointAnswerSchema>

const serialize = (row: Answers["trace_endpoint"]): TraceEndpoint => ({
  url: row.url,
  header_names: row.header_names as string[],
  with_text: row.with_text,
  spans_sent: row.spans_sent,
  exported_until: toInstant(row.exported_until),
  last_sent_at: toInstant(row.last_sent_at),
  last_failed_at: toInstant(row.last_failed_at),
  last_error: row.last_error,
  retry_at: toInstant(row.retry_at),
  created_at: toInstant(row.created_at),
  updated_at: toInstant(row.updated_at),
})

export async function getTraceEndpoint(ctx: Context, credential: SessionCredential): Promise<TraceEndpointAnswer> {
  const { row } = await callAs(ctx, credential, "get_trace_endpoint", {})
  return { endpoint: row.endpoint && serialize(row.endpoint) }
}

/**
 * Creates or replaces the endpoint that gets the account's spans. Throws VALIDATION_FAILED for a URL that may not be
 * called, or if stored headers would go to another server.
 */
export async function putTraceEndpoint(
  ctx: Context,
  credential: SessionCredential,
  { url, headers, with_text }: z.infer<typeof putTraceEndpointSchema>,
): Promise<TraceEndpoint> {
  checkUrl(ctx, url, "url")
  const headersId = crypto.randomUUID()
  const names = Object.keys(headers ?? {}).map((name) => name.toLowerCase())
  const { row } = await callAs(ctx, credential, "put_trace_endpoint", {
    url,
    with_text,
    keeps_headers: headers === undefined,
    headers: names.length > 0 ? await sealTraceHeaders(ctx, headersId, headers ?? {}) : null,
    headers_id: headersId,
    header_names: names.sort(),
  })
  if (row.refused === "other_server") {
    const message = "The new URL has another origin, so the stored headers are not sent to it. Send `headers` again."
    throw new TurnpikeError("VALIDATION_FAILED", message, { param: "headers" })
  }
  if (!row.endpoint) throw new Error("put_trace_endpoint has answered no endpoint")
  return serialize(row.endpoint)
}

/** Throws NOT_FOUND if the account has no endpoint. */
export async function removeTraceEndpoint(ctx: Context, credential: SessionCredential): Promise<void> {
  const { row } = await callAs(ctx, credential, "remove_trace_endpoint", {})
  if (row.refused === "not_found") throw new TurnpikeError("NOT_FOUND", "The account has no endpoint for traces.")
}
