import { Client, type Tool } from "@modelcontextprotocol/client"
import { asDoubles } from "../base/exact-json.ts"
import type { TraceHeaders } from "../base/trace-context.ts"
import { abortAfter, type Clock } from "../platform/clock.ts"
import type { Outbound } from "../platform/outbound.ts"
import { valueFault } from "./check-schema.ts"
import type { Identity } from "./identity.ts"
import { isForgotten, MAYBE_DONE, McpError, mayBeOtherRevision, notSentIn, toMcpError } from "./mcp-error.ts"
import { type McpResult, toResult } from "./mcp-result.ts"
import { McpTransport } from "./mcp-transport.ts"
import { type OddTool, oddToolsOf } from "./mcp-wire.ts"

export interface McpTool {
  name: string
  description: string | undefined
  inputSchema: Record<string, unknown>
  outputSchema: Record<string, unknown> | undefined
}

export interface McpConnection {
  /** The tools of all pages, sorted by name. At most `maxTools`, with at most `maxBytes` of JSON. */
  listTools(): Promise<McpTool[]>
  /** The revision without `initialize` that the server speaks; null for an earlier revision. */
  speaks(): Revision
  /** The tools of the last list that cannot be used. */
  odd(): readonly OddTool[]
  callTool(
    name: string,
    input: Record<string, unknown>,
    options: {
      idempotencyKey: string
      /** The sub-agent that makes the call; null: the space's own agent. */
      agent?: string | null
      /** Names the call's span, in the headers and in `_meta` (MCP: propagation of trace context). */
      trace?: TraceHeaders | undefined
      timeoutMs: number
      signal: AbortSignal
      /** Called before a call is sent again in a new session. */
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
  /** The revision that the server spoke at the last connection. */
  speaks?: string
  /** The span of requests that belong to no call, such as the listing. */
  trace?: TraceHeaders | undefined
  /** Left out if the server wants no identity. */
  identity?: Identity | undefined
}

interface Session {
  client: Client
  transport: McpTransport
}

/**
 * The `_meta` field with a call's key, by which a server recognizes a repeat.
 * The POST has it as a header too.
 */
const IDEMPOTENCY_META = "turnpike/idempotency-key"
const MAX_PAGES = 64
/** The first revision without `initialize`: each request names its version and client (MCP 2026-07-28). */
const MODERN = "2026-07-28"
export type Revision = typeof MODERN | null
/**
 * The longest possible timer. The SDK's timers use the machine's clock, so they must
 * never fire: ours end its requests.
 */
const NEVER_MS = 2 ** 31 - 1

/** How an answer violates its tool's outputSchema; null if the schema is invalid or too slow. */
function answerFault(schema: Record<string, unknown>, value: unknown): string | null {
  try {
    return valueFault(schema, value)
  } catch {
    return null
  }
}

/** Connects over Streamable HTTP. All requests use `outbound`. Throws McpError, or the signal's reason. */
export async function openMcpServer({
  outbound,
  clock,
  server,
  limits,
  signal,
  speaks: known,
  trace: ofConnection,
  identity,
}: OpenServer): Promise<McpConnection> {
  if (!canCarry(server.headers)) {
    const why = "one of its headers has a name or value that HTTP cannot carry"
    throw new McpError("unreachable", `The MCP server "${server.name}" cannot be called: ${why}.`)
  }
  const calls = new Map<string, { timeoutMs: number; signal: AbortSignal; agent: string | null }>()
  const closed = new AbortController()
  const clients: Client[] = []
  /** Shared by all calls that find at the same time that the server has lost the session. */
  let renewal: Promise<Session> | null = null

  /** Runs `work` until `stop` aborts, or until `timeoutMs` have passed on our clock. */
  async function bounded<T>(
    { timeoutMs, stop, hint = "" }: { timeoutMs: number; stop: AbortSignal; hint?: string },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const late = () =>
      new McpError("unreachable", `The MCP server "${server.name}" did not answer within ${timeoutMs / 1000} s.${hint}`)
    const over = abortAfter(clock, timeoutMs, late)
    try {
      return await work(AbortSignal.any([over.signal, stop]))
    } catch (error) {
      throw over.signal.aborted ? over.signal.reason : error
    } finally {
      over.clear()
    }
  }

  /** Tries `initialize` first, unless the server is known to speak the later revision. */
  async function connect(): Promise<Session> {
    const [first, second] = speaks === MODERN ? ([MODERN, null] as const) : ([null, MODERN] as const)
    try {
      return await connectAs(first)
    } catch (error) {
      if (signal.aborted || !mayBeOtherRevision(error)) throw error
      const session = await connectAs(second).catch(() => {
        throw error
      })
      speaks = second
      return session
    }
  }

  /** `revision`: null for revisions with a session, which start with `initialize`. */
  async function connectAs(revision: Revision): Promise<Session> {
    const transport = new McpTransport({
      outbound,
      clock,
      server,
      limits,
      calls,
      closed: closed.signal,
      trace: ofConnection,
      identity,
    })
    const mode = revision && { versionNegotiation: { mode: { pin: revision } } }
    const client = new Client({ name: "turnpike", version: "1" }, { capabilities: {}, ...mode })
    clients.push(client)
    await bounded({ timeoutMs: limits.connectMs, stop: signal }, (signal) =>
      // The SDK uses the probe's own timer here and ignores the signal.
      untilAborted(signal, client.connect(transport, { signal, timeout: NEVER_MS }), () => transport.close()),
    )
    return { client, transport }
  }

  /**
   * Repeats `work` in a new session if the server has lost this one (MCP 2025-06-18,
   * transports, session management).
   */
  async function inSession<T>(work: (client: Client) => Promise<T>, mayStart = async () => true): Promise<T> {
    const { client, transport } = session
    try {
      return await work(client)
    } catch (error) {
      if (!isForgotten(error) || transport.sessionId === undefined) throw error
      if (session.client === client) {
        renewal ??= connect().finally(() => {
          renewal = null
        })
        session = await renewal
      }
      if (!(await mayStart())) throw new McpError("tool", "The turn is cancelled, so the call is not repeated.")
      return work(session.client)
    }
  }

  /** Throws the reason of the aborted signal, otherwise `error` as an McpError. */
  function fail(error: unknown, { stop = signal, calling = false } = {}): never {
    if (stop.aborted) throw stop.reason
    if (signal.aborted) throw signal.reason
    throw notSentIn(error) ?? toMcpError(server.name, error, calling)
  }

  let speaks: Revision = known === MODERN ? MODERN : null
  let session = await connect().catch(fail)
  let definitions = new Map<string, Tool>()
  let odd: OddTool[] = []

  return {
    odd: () => odd,
    speaks: () => speaks,
    async listTools() {
      const list = (client: Client) =>
        bounded({ timeoutMs: limits.connectMs, stop: signal }, (signal) =>
          listAll(client, { ...limits, signal, server: server.name }),
        )
      const found = await inSession(list).catch(fail)
      odd = found.odd
      definitions = new Map(found.tools.map((tool) => [tool.name, tool]))
      return found.tools.map(({ name, description, inputSchema, outputSchema }) => {
        return { name, description, inputSchema, outputSchema } as McpTool
      })
    },
    async callTool(
      name,
      input,
      { idempotencyKey, agent = null, trace, timeoutMs, signal: stop, mayStart, onProgress },
    ) {
      const toolDefinition = definitions.get(name)
      const params = { name, arguments: input, _meta: { [IDEMPOTENCY_META]: idempotencyKey, ...trace } }
      const call = (client: Client) =>
        bounded({ timeoutMs, stop, hint: ` ${MAYBE_DONE}` }, (signal) => {
          calls.set(idempotencyKey, { timeoutMs, signal, agent })
          return client.callTool(params, {
            signal,
            timeout: NEVER_MS,
            headers: { "idempotency-key": idempotencyKey, ...trace },
            // Leave out outputSchema: with it, the SDK rejects an answer without structured content.
            ...(toolDefinition && { toolDefinition: { name, inputSchema: toolDefinition.inputSchema } }),
            ...(onProgress && { onprogress: onProgress }),
          })
        })
      try {
        const result = toResult(await inSession(call, mayStart))
        const schema = toolDefinition?.outputSchema
        const { structured, isError } = result
        const misfit = schema && structured !== undefined && !isError && answerFault(schema, asDoubles(structured))
        return misfit ? { ...result, misfit } : result
      } catch (error) {
        return fail(error, { stop, calling: true })
      } finally {
        calls.delete(idempotencyKey)
      }
    },
    async close() {
      closed.abort(new Error("closed"))
      await session.transport.terminateSession().catch(() => {})
      await Promise.allSettled(clients.map((client) => client.close()))
    },
  }
}

async function untilAborted<T>(signal: AbortSignal, work: Promise<T>, stop: () => Promise<void>): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => {
    stop().catch(() => {})
    aborted.reject(signal.reason)
  }
  signal.addEventListener("abort", onAbort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener("abort", onAbort)
  }
}

/**
 * Checks header values before the runtime does, because its errors and warnings quote the
 * value. Only ASCII is unambiguous.
 */
function canCarry(headers: Record<string, string>): boolean {
  return Object.values(headers).every((value) => /^[\t\x20-\x7e]*$/.test(value))
}

/** Lists page by page, so that a server with endless pages can be stopped early. */
async function listAll(
  client: Client,
  { signal, server, maxTools, maxBytes }: { signal: AbortSignal; server: string; maxTools: number; maxBytes: number },
): Promise<{ tools: Tool[]; odd: OddTool[] }> {
  const odd: OddTool[] = []
  if (!client.getServerCapabilities()?.tools) return { tools: [], odd }
  const found = new Map<string, Tool>()
  let bytes = 0
  let cursor: string | undefined
  for (let read = 0; read < MAX_PAGES && found.size < maxTools; read++) {
    const params = cursor === undefined ? {} : { cursor }
    const page = await client.request({ method: "tools/list", params }, { signal, timeout: NEVER_MS })
    const { tools, nextCursor, _meta } = page
    odd.push(...oddToolsOf(_meta))
    for (const tool of tools) {
      bytes += JSON.stringify(tool).length
      if (bytes > maxBytes)
        throw new McpError("protocol", `The MCP server "${server}" lists more than ${maxBytes} bytes.`)
      if (found.size < maxTools) found.set(tool.name, tool)
    }
    if (nextCursor === undefined || nextCursor === cursor) break
    cursor = nextCursor
  }
  // A fixed order lets providers reuse their prompt cache.
  return { tools: [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), odd }
}
