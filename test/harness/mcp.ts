import { createOutbound } from "../../src/platform/outbound.ts"
import { type McpConnection, openMcpServer } from "../../src/tools/mcp-client.ts"
import { createTestClock } from "./clock.ts"

export interface McpMessage {
  id?: number
  method: string
  params?: { name?: string; cursor?: string; _meta?: { progressToken?: unknown } & Record<string, unknown> }
}

export interface FakeServer {
  /** The answer to a message; undefined for the standard answer. */
  answer?: (message: McpMessage, request: Request) => Response | Promise<Response> | undefined
  /** The answer to a GET or DELETE request. */
  other?: (request: Request) => Response | Promise<Response>
  pages?: string[][]
  headers?: Record<string, string>
  maxBytes?: number
}

const tool = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: "object" } })
export const mcpResult = (id: number | undefined, value: object, headers: Record<string, string> = {}) =>
  Response.json({ jsonrpc: "2.0", id, result: value }, { headers })

/** An MCP server with only the methods that a test needs. It records its requests. */
export function connectToMcp({
  answer,
  other,
  pages = [["one", "two"]],
  headers = { authorization: "Bearer s" },
  maxBytes = 100_000,
}: FakeServer = {}) {
  const seen: { method: string; headers: Headers; message: McpMessage | null; signal: AbortSignal }[] = []
  let sessions = 0
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    const message = request.method === "POST" ? ((await request.clone().json()) as McpMessage) : null
    seen.push({ method: request.method, headers: request.headers, message, signal: request.signal })
    if (!message) return other?.(request) ?? new Response(null, { status: 200 })
    const own = answer?.(message, request)
    if (own) return own
    if (message.id === undefined) return new Response(null, { status: 202 })
    switch (message.method) {
      case "initialize": {
        const serverInfo = { name: "fake", version: "1" }
        const capabilities = { tools: {} }
        return mcpResult(
          message.id,
          { protocolVersion: "2025-06-18", capabilities, serverInfo },
          { "mcp-session-id": `s${++sessions}` },
        )
      }
      case "tools/list": {
        const page = Number(message.params?.cursor ?? 0)
        const next = page + 1 < pages.length ? { nextCursor: String(page + 1) } : {}
        return mcpResult(message.id, { tools: (pages[page] ?? []).map(tool), ...next })
      }
      default:
        return mcpResult(message.id, { content: [{ type: "text", text: `called ${message.params?.name}` }] })
    }
  }
  const clock = createTestClock()
  const outbound = createOutbound({ fetch, clock, policy: { allowLoopback: false, ownHosts: [] } })
  const server = { name: "fake", url: "https://mcp.customer.com/mcp", headers }
  const limits = { connectMs: 5000, maxBytes, maxTools: 5 }
  const open = (signal = new AbortController().signal) => openMcpServer({ outbound, clock, server, limits, signal })
  const asked = (method: string) => seen.filter(({ message }) => message?.method === method)
  return { seen, asked, open, clock, outbound }
}

export const callMcpTool = (
  connection: McpConnection,
  name = "one",
  options: Partial<Parameters<McpConnection["callTool"]>[2]> = {},
) =>
  connection.callTool(
    name,
    { a: 1 },
    { idempotencyKey: "turn_x.0.0", timeoutMs: 9000, signal: new AbortController().signal, ...options },
  )

/** An answer as server-sent events. The stream ends after the last event, unless `open` is set. */
export function mcpEventStream(events: string[], { open = false, onCancel = () => {} } = {}): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const event of events) controller.enqueue(new TextEncoder().encode(`${event}\n\n`))
      if (!open) controller.close()
    },
    cancel: onCancel,
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}
