import {
  type CallToolResult,
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client"
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker"
import type { Clock } from "../platform/clock.ts"
import type { Outbound } from "../platform/outbound.ts"
import { OutboundError } from "../platform/outbound-error.ts"

/** Why a server's tools cannot be used. unreachable: no connection. protocol: it answers, but not as MCP has it. tool: it refuses this call. */
export class McpError extends Error {
  readonly kind: "unreachable" | "protocol" | "tool"

  constructor(kind: McpError["kind"], message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = "McpError"
    this.kind = kind
  }
}

export interface McpTool {
  name: string
  description: string | undefined
  inputSchema: Record<string, unknown>
}

/** What a tool answered; images in base64. */
export interface McpResult {
  isError: boolean
  parts: ({ type: "text"; text: string } | { type: "image"; mediaType: string; data: string })[]
  structured?: unknown
}

export interface McpConnection {
  /** Of all pages, in the server's order, at most `maxTools`. */
  listTools(): Promise<McpTool[]>
  callTool(
    name: string,
    input: Record<string, unknown>,
    options: {
      idempotencyKey: string
      timeoutMs: number
      signal: AbortSignal
      /** Asked before a call is sent again in a new session. */
      mayStart?: () => Promise<boolean>
      onProgress?: (progress: { progress: number; total?: number | undefined; message?: string | undefined }) => void
    },
  ): Promise<McpResult>
  /** Ends the session. Never throws. */
  close(): Promise<void>
}

interface OpenServer {
  outbound: Outbound
  clock: Clock
  server: { name: string; url: string; headers: Record<string, string> }
  limits: { connectMs: number; maxBytes: number; maxTools: number }
  signal: AbortSignal
}

/** The key that makes a repeated call recognisable: in the request's `_meta` and, for proxies, as a header of its POST. */
const IDEMPOTENCY_META = "turnpike/idempotency-key"
const MAX_PAGES = 64

/** Connects over Streamable HTTP. Every request goes through `outbound`. Throws McpError, or the signal's reason. */
export async function openMcpServer({ outbound, server, limits, signal }: OpenServer): Promise<McpConnection> {
  const timeouts = { now: limits.connectMs }
  const fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    const key = idempotencyKeyOf(init.body)
    if (key) headers.set("idempotency-key", key)
    // It would only carry notifications that nobody here waits for.
    if (init.method === "GET") return new Response(null, { status: 405 })
    return outbound.send({
      url: String(url),
      method: init.method ?? "GET",
      headers,
      ...(typeof init.body === "string" && { body: init.body }),
      timeoutMs: timeouts.now,
      maxBytes: limits.maxBytes,
      ...(init.signal && { signal: init.signal }),
    })
  }
  const said = (error: unknown) => toMcpError(server.name, error, signal)

  async function connect() {
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      fetch,
      redirectPolicy: "follow",
      requestInit: { headers: server.headers },
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1000,
        maxReconnectionDelay: 1000,
        reconnectionDelayGrowFactor: 1,
      },
    })
    const client = new Client(
      { name: "turnpike", version: "1" },
      { capabilities: {}, jsonSchemaValidator: new CfWorkerJsonSchemaValidator(), listMaxPages: MAX_PAGES },
    )
    await client.connect(transport, { signal, timeout: limits.connectMs })
    return { client, transport }
  }

  let session = await connect().catch((error: unknown) => {
    throw said(error)
  })

  /** Once more in a new session when the server has forgotten this one (MCP 2025-06-18, transports, session management). */
  async function inSession<T>(work: (client: Client) => Promise<T>, mayStart = async () => true): Promise<T> {
    try {
      return await work(session.client)
    } catch (error) {
      if (!(error instanceof SdkHttpError) || error.status !== 404) throw said(error)
      session = await connect().catch((again: unknown) => {
        throw said(again)
      })
      if (!(await mayStart())) throw new McpError("tool", "The turn is cancelled: the call is not made again.")
      return work(session.client).catch((again: unknown) => {
        throw said(again)
      })
    }
  }

  return {
    async listTools() {
      // Without a cursor the client walks through all pages.
      const { tools } = await inSession((client) => client.listTools(undefined, { signal, timeout: limits.connectMs }))
      return tools.slice(0, limits.maxTools).map(({ name, description, inputSchema }) => {
        return { name, description, inputSchema: inputSchema as Record<string, unknown> }
      })
    },
    async callTool(name, input, { idempotencyKey, timeoutMs, signal: stop, mayStart, onProgress }) {
      timeouts.now = Math.max(timeouts.now, timeoutMs)
      const params = { name, arguments: input, _meta: { [IDEMPOTENCY_META]: idempotencyKey } }
      const options = {
        signal: stop,
        timeout: timeoutMs,
        maxTotalTimeout: timeoutMs,
        ...(onProgress && { onprogress: onProgress }),
      }
      return toResult(await inSession((client) => client.callTool(params, options), mayStart))
    },
    async close() {
      try {
        await session.transport.terminateSession()
      } catch {
        // The server ends it by itself in time.
      }
      await session.client.close().catch(() => {})
    },
  }
}

function idempotencyKeyOf(body: unknown): string | null {
  if (typeof body !== "string" || !body.includes(IDEMPOTENCY_META)) return null
  const message = JSON.parse(body) as { params?: { _meta?: Record<string, unknown> } }
  const key = message.params?._meta?.[IDEMPOTENCY_META]
  return typeof key === "string" ? key : null
}

function toResult({ content, structuredContent, isError }: CallToolResult): McpResult {
  const parts = content.map((part): McpResult["parts"][number] => {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text }
      case "image":
        return { type: "image", mediaType: part.mimeType, data: part.data }
      case "audio":
        return { type: "text", text: `[audio, ${part.mimeType}, not shown]` }
      case "resource_link":
        return { type: "text", text: `[resource ${part.name}: ${part.uri}]` }
      case "resource":
        return {
          type: "text",
          text: "text" in part.resource ? String(part.resource.text) : `[resource ${part.resource.uri}, not shown]`,
        }
      default:
        return { type: "text", text: "[a part of an unknown kind]" }
    }
  })
  return { isError: isError === true, parts, ...(structuredContent !== undefined && { structured: structuredContent }) }
}

function toMcpError(name: string, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof McpError) return error
  const refused = findOutboundError(error)
  const at = `The MCP server "${name}"`
  if (refused) return new McpError("unreachable", `${at} cannot be reached. ${refused.message}`)
  if (error instanceof SdkHttpError) return new McpError("unreachable", `${at} answered HTTP ${error.status}.`)
  if (error instanceof ProtocolError)
    return new McpError("tool", `${at} answered the error ${error.code}: ${error.message}`)
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return new McpError("unreachable", `${at} did not answer in time.`)
  }
  return new McpError(
    "protocol",
    `${at} does not answer as MCP has it: ${error instanceof Error ? error.message : String(error)}`,
  )
}

function findOutboundError(error: unknown): OutboundError | null {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof OutboundError) return at
  return null
}
