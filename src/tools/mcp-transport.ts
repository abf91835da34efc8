import { type JSONRPCMessage, type RequestId, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { MAX_VALUES } from "../base/storable.ts"
import type { TraceHeaders } from "../base/trace-context.ts"
import type { Clock } from "../platform/clock.ts"
import { inspected, valueCounter } from "../platform/inspected.ts"
import type { Outbound } from "../platform/outbound.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import type { Identity } from "./identity.ts"
import { insufficientScope } from "./mcp-error.ts"
import { answerInText, type McpRequest, tidyEvents, tidyMessage } from "./mcp-wire.ts"

interface TransportOptions {
  outbound: Outbound
  clock: Clock
  server: { name: string; url: string; headers: Record<string, string> }
  limits: { connectMs: number; maxBytes: number }
  /** The running calls, by their Idempotency-Key. */
  calls: ReadonlyMap<string, { timeoutMs: number; signal: AbortSignal; agent: string | null }>
  /** Left out if the server wants no identity. */
  identity?: Identity | undefined
  /** Aborted when the connection is closed. */
  closed: AbortSignal
  /** The span of requests that name none. */
  trace?: TraceHeaders | undefined
}

/** The longest time that ending a session may take, in milliseconds. */
const DELETE_MS = 5000
/**
 * A server may close a stream and let the client resume it for the answer (MCP
 * 2025-11-25, transports, polling).
 */
const RESUMES = { perConnection: 16, retries: 2, leastMs: 500, mostMs: 10_000 }
const STREAM_BROKE = -32_000

/**
 * The SDK's Streamable HTTP over an Outbound. In addition, a request fails at once if its stream
 * ends without an answer, an abandoned request ends its stream, and every wait uses our clock.
 */
export class McpTransport extends StreamableHTTPClientTransport {
  private readonly calls: TransportOptions["calls"]
  /** The error that broke a request's stream. */
  private readonly broken: Map<RequestId, unknown>

  constructor(options: TransportOptions) {
    const broken = new Map<RequestId, unknown>()
    const { clock, closed, server } = options
    super(new URL(server.url), {
      fetch: createFetch(options, broken),
      // Outbound follows redirects by its own rules.
      redirectPolicy: "follow",
      requestInit: { headers: server.headers },
      reconnectionOptions: {
        maxRetries: RESUMES.retries,
        initialReconnectionDelay: RESUMES.leastMs,
        maxReconnectionDelay: RESUMES.mostMs,
        reconnectionDelayGrowFactor: 2,
      },
      reconnectionScheduler(reconnect, delay) {
        const ms = Math.min(Math.max(delay, RESUMES.leastMs), RESUMES.mostMs)
        clock.sleep(ms, closed).then(reconnect, () => {})
      },
    })
    this.calls = options.calls
    this.broken = broken
  }

  override async send(
    message: JSONRPCMessage | JSONRPCMessage[],
    options: Parameters<StreamableHTTPClientTransport["send"]>[1] = {},
  ): Promise<void> {
    const call = this.calls.get(options.headers?.["idempotency-key"] ?? "")
    if (Array.isArray(message) || !("method" in message && "id" in message)) return super.send(message, options)
    const { id } = message
    // After the answer, the SDK ignores this message for the request.
    const onRequestStreamEnd = () => {
      const error = { code: STREAM_BROKE, message: "its stream ended without an answer", data: this.broken.get(id) }
      this.broken.delete(id)
      this.onmessage?.({ jsonrpc: "2.0", id, error })
    }
    return super.send(message, { ...options, onRequestStreamEnd, ...(call && { requestSignal: call.signal }) })
  }
}

function createFetch(
  { outbound, server, limits, calls, identity, trace }: TransportOptions,
  broken: Map<RequestId, unknown>,
) {
  let resumes = 0
  return async (url: string | URL, { method = "GET", headers, body, signal }: RequestInit = {}): Promise<Response> => {
    const all = new Headers(headers)
    if (trace && !all.has("traceparent")) for (const [name, value] of Object.entries(trace)) all.set(name, value)
    // Without an event id to resume from, the stream would only carry notifications that no code here uses.
    if (method === "GET" && (!all.has("last-event-id") || ++resumes > RESUMES.perConnection)) {
      return new Response(null, { status: 405 })
    }
    const message = typeof body === "string" ? (JSON.parse(body) as McpRequest) : {}
    const longestMs = Math.max(limits.connectMs, ...[...calls.values()].map(({ timeoutMs }) => timeoutMs))
    const ofCall = method === "GET" || message.method === "tools/call"
    const timeoutMs =
      method === "DELETE" ? Math.min(DELETE_MS, limits.connectMs) : ofCall ? longestMs : limits.connectMs
    const sent = typeof body === "string" ? body : undefined
    const key = all.get("idempotency-key")
    const agent = calls.get(key ?? "")?.agent ?? null
    const signed = await identity?.({ url: String(url), body: sent, key, agent, timeoutMs })
    for (const [name, value] of Object.entries(signed ?? {})) all.set(name, value)
    const response = await outbound.send({
      url: String(url),
      method,
      headers: all,
      ...(sent !== undefined && { body: sent }),
      timeoutMs,
      maxBytes: limits.maxBytes,
      ...(signal && { signal }),
    })
    const refusal = insufficientScope(response, { server: server.name, calling: message.method === "tools/call" })
    if (refusal) throw refusal
    const { id } = message
    if (id === undefined && method !== "GET") return response
    const note = (error: unknown) => void (id !== undefined && broken.set(id, error))
    return tidied(
      id === undefined ? response : watched(response, note),
      id === undefined ? { method: "tools/call" } : message,
    )
  }
}

/** Converts the messages of a response to the form that the SDK accepts. */
function tidied(response: Response, request: McpRequest): Response {
  if (!response.ok || !response.body) return response
  const type = (response.headers.get("content-type") ?? "").toLowerCase().split(";")[0]?.trim() ?? ""
  const tidy = (text: string) => tidyMessage(text, request)
  if (type === "text/event-stream") return new Response(response.body.pipeThrough(tidyEvents(tidy)), response)
  if (type === "application/json") return changed(response.body, response, tidy)
  // A call that was carried out is told, even if the media type of its answer is wrong.
  if (type !== "" && type !== "text/plain" && type !== "text/json" && !type.endsWith("+json")) return response
  const headers = new Headers(response.headers)
  headers.set("content-type", "application/json")
  return changed(response.body, { status: 200, headers }, (text) => answerInText(text, request))
}

function changed(body: ReadableStream<Uint8Array>, init: ResponseInit, change: (text: string) => string): Response {
  return new Response(body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(wholeText(change))), init)
}

/** Collects a whole text and emits its changed form at the end. */
function wholeText(change: (text: string) => string): Transformer<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const pieces: string[] = []
  return {
    transform: (piece) => void pieces.push(decoder.decode(piece, { stream: true })),
    flush: (controller) => controller.enqueue(new TextEncoder().encode(change(pieces.join("") + decoder.decode()))),
  }
}

/**
 * Fails a response that has too many values. `note` receives the error of a broken body,
 * because the SDK keeps only its text.
 */
function watched(response: Response, note: (error: unknown) => void): Response {
  const count = valueCounter()
  const inspect = (piece: Uint8Array) => {
    if (count(piece) > MAX_VALUES)
      throw new OutboundError("too_large", `The answer has more than ${MAX_VALUES} values.`)
  }
  return inspected(response, inspect, note)
}
