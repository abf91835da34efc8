import type { ToolOutput } from "../agent/engine.ts"
import { cutToBytes } from "../agent/estimate.ts"
import {
  fillJson,
  fillJsonText,
  fillText,
  inputAt,
  type Resolve,
  TemplateError,
  type TurnValues,
  turnValue,
} from "../agent-config/template.ts"
import type { Tool } from "../agent-config/tool.ts"
import { charsetOf, decodeText, sniffed } from "../base/media-bytes.ts"
import type { TraceHeaders } from "../base/trace-context.ts"
import type { Outbound } from "../platform/outbound.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import type { Identity } from "./identity.ts"
import { TOOL_POLICY } from "./policies.ts"
import type { Secrets } from "./secrets.ts"

interface RestRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: string | undefined
}

/**
 * One call of a REST tool: the output for the model, and the exchange for a person who
 * tests the tool. Secrets are masked.
 */
export interface RestExchange {
  output: ToolOutput
  /** The request with `{{secrets.NAME}}` in place of secrets; null if the request could not be built. */
  request: RestRequest | null
  response: { status: number; headers: Record<string, string>; body: string } | null
}

/** A tool with a request. */
export type RequestTool = Tool & { request: NonNullable<Tool["request"]> }

export const hasRequest = (tool: Tool): tool is RequestTool => tool.request !== null

/** The headers with the token for a later result, and with its address. */
const RESULT_TOKEN = "turnpike-result-token"
const RESULT_URL = "turnpike-result-url"

/** With what the server may send the result later, and where. */
interface LaterResult {
  token: string
  url: string
}

interface RestCall {
  tool: RequestTool
  input: unknown
  values: TurnValues
  later?: LaterResult
  idempotencyKey: string
  /** Left out if the tool wants no identity. */
  identity?: Identity | undefined
  agent?: string | null
  trace?: TraceHeaders
  signal?: AbortSignal
  mayStart?: () => Promise<boolean>
}

/**
 * Calls a REST tool. Throws only the signal's reason. Every other failure is an
 * output that the model can read.
 */
export async function callRestTool(
  { outbound, secrets }: { outbound: Outbound; secrets: Secrets },
  { tool, input, values, idempotencyKey, identity, agent = null, later, trace, signal, mayStart }: RestCall,
): Promise<RestExchange> {
  let shown: RestRequest | null = null
  try {
    shown = readable(buildRequest(tool, { input, values, secretOf: (name) => `{{secrets.${name}}}` }))
    const { body, ...request } = buildRequest(tool, { input, values, secretOf: (name) => secrets.get(name) })
    const timeoutMs = tool.timeout_seconds ? tool.timeout_seconds * 1000 : TOOL_POLICY.timeoutMs
    const signed = await identity?.({ url: request.url, body, key: idempotencyKey, agent, timeoutMs })
    shown.headers = { ...shown.headers, ...signed }
    const response = await outbound.send({
      ...request,
      // A tool's own header of the same name wins over those of the trace.
      headers: {
        ...trace,
        ...request.headers,
        "idempotency-key": idempotencyKey,
        ...signed,
        ...(later && { [RESULT_TOKEN]: later.token, [RESULT_URL]: later.url }),
      },
      ...(body !== undefined && { body }),
      timeoutMs,
      maxBytes: TOOL_POLICY.maxResultBytes,
      ...(signal && { signal }),
      ...(mayStart && { mayRepeat: mayStart }),
    })
    const text = secrets.mask(await bodyText(response))
    const headers = Object.fromEntries([...response.headers].map(([name, value]) => [name, secrets.mask(value)]))
    return {
      output: outputOf(response.status, text),
      request: shown,
      response: { status: response.status, headers, body: text },
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (!(error instanceof OutboundError || error instanceof TemplateError)) throw error
    return { output: { type: "error", value: secrets.mask(error.message) }, request: shown, response: null }
  }
}

/** Restores placeholders in the URL, which were encoded like other values. */
function readable(request: RestRequest): RestRequest {
  return { ...request, url: request.url.replace(/%7B%7B(secrets\.\w+)%7D%7D/g, "{{$1}}") }
}

function outputOf(status: number, text: string): ToolOutput {
  if (status >= 200 && status < 300)
    return { type: "text", value: text === "" ? `(empty answer, HTTP ${status})` : text }
  return { type: "error", value: cutToBytes(`HTTP ${status}: ${text}`, TOOL_POLICY.maxErrorBytes) }
}

/** Decodes the body by its charset. Binary bodies are only described. */
async function bodyText(response: Response): Promise<string> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const type = response.headers.get("content-type") ?? "no media type"
  const name = /charset/i.test(type) ? charsetOf(bytes, type).toUpperCase().slice(0, 40) : "UTF-8"
  // In a single-byte charset, a picture would be valid text too.
  const text = sniffed(bytes) ? null : decodeText(bytes, type)
  return text ?? `(${bytes.byteLength} bytes that are not ${name} text; ${type})`
}

/** The values of a request's placeholders. */
interface Filling {
  input: unknown
  values: TurnValues
  secretOf: (name: string) => string
}

function buildRequest(tool: RequestTool, { input, values, secretOf }: Filling): RestRequest {
  const resolve: Resolve = (reference) => {
    if (reference.kind === "secret") return secretOf(reference.name)
    return reference.kind === "turn" ? turnValue(reference, values) : inputAt(input, reference.path)
  }
  const { method, url, headers = {}, query = {}, body } = tool.request
  const target = new URL(fillUrl(url, resolve))
  for (const [name, template] of Object.entries(query)) {
    const value = fillJson(template, resolve)
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === undefined || item === null) continue
      target.searchParams.append(name, typeof item === "string" ? item : JSON.stringify(item))
    }
  }
  const filled = Object.entries(headers).map(([name, template]) => [
    name.toLowerCase(),
    headerValue(name, fillText(template, resolve)),
  ])
  const own = Object.fromEntries(filled) as Record<string, string>
  const text = bodyOf(method, { body, isJson: JSON_TYPE.test(own["content-type"] ?? "") }, input, resolve)
  const type =
    text === undefined ? {} : { "content-type": typeof body === "string" ? "text/plain" : "application/json" }
  return {
    method,
    url: target.href,
    headers: { accept: "application/json, text/*;q=0.9, */*;q=0.5", ...type, ...own },
    body: text,
  }
}

/**
 * Fills a URL with encoded values. A value in the path must not be `.` or `..`,
 * which would leave the tool's path.
 */
function fillUrl(template: string, resolve: Resolve): string {
  const pathEnd = template.search(/[?#]/)
  const path = pathEnd < 0 ? template : template.slice(0, pathEnd)
  const present: Resolve = (reference) => resolve(reference) ?? ""
  const filledPath = fillText(path, present, (value) => {
    if (/^\.*$/.test(value)) throw new TemplateError("A value in the URL's path is empty or has only dots.")
    return encodeURIComponent(value)
  })
  if (/\/\.{1,2}(\/|$)/.test(filledPath)) throw new TemplateError("The URL's path has a segment of only dots.")
  return filledPath + (pathEnd < 0 ? "" : fillText(template.slice(pathEnd), resolve, encodeURIComponent))
}

function headerValue(name: string, value: string): string {
  // Values outside ASCII have no standard encoding in a header, and the runtime would quote them in its log.
  if (/[^\t\x20-\x7e]/.test(value)) {
    throw new TemplateError(`The value of the header ${name} has characters that a header cannot contain.`)
  }
  return value
}

const JSON_TYPE = /^\s*(application\/json|text\/json|[^;]*\+json)\s*(;|$)/i

function bodyOf(
  method: string,
  { body, isJson }: { body: unknown; isJson: boolean },
  input: unknown,
  resolve: Resolve,
): string | undefined {
  if (method === "GET") return undefined
  if (typeof body === "string" && !/^\{\{[^{}]*\}\}$/.test(body.trim()))
    return isJson ? fillJsonText(body, resolve) : fillText(body, resolve)
  if (body !== undefined) {
    const value = fillJson(body, resolve)
    return typeof body === "string" && typeof value === "string" ? value : JSON.stringify(value ?? null)
  }
  return method === "DELETE" ? undefined : JSON.stringify(input ?? {})
}
