import { toolTokenBound } from "../agent/estimate.ts"
import type { McpServer } from "../agent-config/mcp-server.ts"
import type { TurnValues } from "../agent-config/template.ts"
import { NotSent } from "../base/not-sent.ts"
import { traceHeaders } from "../base/trace-context.ts"
import type { Container } from "../infrastructure/container.ts"
import { abortAfter } from "../platform/clock.ts"
import type { BoundTool, ToolCallContext } from "./bound-tool.ts"
import { noteUnstarted, openContainer, toolsOfContainers } from "./container-tools.ts"
import type { Identity } from "./identity.ts"
import type { McpConnection } from "./mcp-client.ts"
import { McpError } from "./mcp-error.ts"
import { listingOf, ofServer, type Pins, pinnedTools, type ServerPins } from "./mcp-pins.ts"
import { connectMcp, mcpTools, oddTools } from "./mcp-tools.ts"
import { TOOL_POLICY } from "./policies.ts"
import type { Secrets } from "./secrets.ts"
import type { ToolTurn } from "./task-tools.ts"
import type { ToolContext } from "./tool-context.ts"

/** An optional server that a turn does without. `failed`: it was asked in this run and did not answer. */
export interface MissingServer {
  name: string
  message: string
  failed: boolean
}

/** The tools of the servers and containers of a turn. */
export interface RemoteTools {
  tools: BoundTool[]
  /** The tools of containers. */
  contained: BoundTool[]
  listed: Record<string, number>
  pins: Record<string, Pins>
  speaks: Record<string, string | null>
  leftOut: string[]
  missing: MissingServer[]
  close(): Promise<void>
}

export const NO_SERVERS: RemoteTools = {
  tools: [],
  contained: [],
  listed: {},
  pins: {},
  speaks: {},
  leftOut: [],
  missing: [],
  close: async () => {},
}

interface Servers {
  servers: McpServer[]
  containers: readonly Container[]
  pins: Record<string, ServerPins>
  /** True for an optional server that the turn does not ask. */
  isPaused: (name: string) => boolean
}

interface ServersUse {
  turn: ToolTurn
  secrets: Secrets
  signal: AbortSignal
  identity: Identity
  values: TurnValues
}

/**
 * Connects to servers and containers. An optional server gets one time limit for all of its answers; without them it
 * is missing. Throws McpError if another one fails twice.
 */
export async function openServers(
  ctx: ToolContext,
  { servers, containers, pins, isPaused }: Servers,
  { turn, secrets, signal, identity, values }: ServersUse,
): Promise<RemoteTools> {
  const connections: McpConnection[] = []
  const tooSlow = () => new McpError("unreachable", "The MCP servers of this space did not all answer in time.")
  const over = abortAfter(ctx.clock, TOOL_POLICY.mcpOpenMs, tooSlow)
  const deps = {
    outbound: ctx.outbound,
    clock: ctx.clock,
    secrets,
    signal: AbortSignal.any([signal, over.signal]),
    trace: traceHeaders(turn, "turn"),
    identity,
    values,
  }
  const close = async () => {
    await Promise.all(connections.map((connection) => connection.close()))
  }
  const storeImage = async (context: ToolCallContext, index: number, bytes: Uint8Array<ArrayBuffer>) => {
    const key = `turns/${turn.turn_id}/${context.step}.${context.call}.${index}`
    await ctx.files.put(key, bytes)
    return key
  }
  const onConnect = (connection: McpConnection) => void connections.push(connection)
  const openServer = async (server: McpServer, within: AbortSignal) => {
    const connection = await connectMcp({ ...deps, signal: within }, server, ofServer(pins, server.name)?.speaks)
    onConnect(connection)
    const listed = await mcpTools(deps, { server, connection, storeImage })
    return { listed, odd: oddTools(server, connection, secrets), speaks: connection.speaks() }
  }
  const twice = <Tools>(open: () => Promise<Tools>, within = deps.signal) =>
    open().catch((error: unknown) => {
      if (within.aborted || error instanceof NotSent) throw error
      return open()
    })
  const missing: MissingServer[] = []
  const openOptional = async (server: McpServer) => {
    const { name } = server
    if (isPaused(name)) {
      missing.push({ name, message: `The MCP server "${name}" did not answer lately.`, failed: false })
      return null
    }
    const seconds = TOOL_POLICY.mcpConnectMs / 1000
    const late = () => new McpError("unreachable", `The MCP server "${name}" did not answer within ${seconds} s.`)
    const limit = abortAfter(ctx.clock, TOOL_POLICY.mcpConnectMs, late)
    const within = AbortSignal.any([deps.signal, limit.signal])
    try {
      return await orAborted(
        twice(() => openServer(server, within), within),
        within,
      )
    } catch (error) {
      if (signal.aborted || !(error instanceof McpError)) throw error
      missing.push({ name, message: error.message, failed: error.kind !== "unfilled" })
      return null
    } finally {
      limit.clear()
    }
  }
  try {
    const opening = servers.map((server) =>
      server.required === false ? openOptional(server) : twice(() => openServer(server, deps.signal)),
    )
    const use = { turn, storeImage, signal: deps.signal, onConnect }
    const starting = containers.map((container) =>
      twice(() => openContainer(ctx, container, use)).catch((error: unknown) => {
        noteUnstarted(ctx, turn, container, error)
        throw error
      }),
    )
    // Wait for all before closing any. Otherwise a session that opens later would stay open.
    await Promise.allSettled([...opening, ...starting])
    const answers = await Promise.all(opening)
    const opened = servers.flatMap(({ name }, nth) => (answers[nth] ? [{ name, ...answers[nth] }] : []))
    const pinned = opened.map((one) => ({ ...one, ...pinnedTools(one.listed, ofServer(pins, one.name)?.tools) }))
    const odd = opened.flatMap((one) => one.odd.map(({ name }) => name))
    const unpinned = pinned.flatMap(({ changed }) => changed.flatMap(({ name, offered }) => (offered ? [] : [name])))
    const started = await Promise.all(starting)
    return {
      tools: pinned.flatMap(({ tools }) => tools),
      contained: toolsOfContainers(containers.map(({ name }, nth) => ({ name, tools: started[nth] ?? [] }))),
      leftOut: [...new Set([...unpinned, ...odd])],
      listed: Object.fromEntries(pinned.map(({ name, tools }) => [name, countTools(tools)])),
      pins: Object.fromEntries(opened.map(({ name, listed }) => [name, listingOf(listed)])),
      speaks: Object.fromEntries(opened.map(({ name, speaks }) => [name, speaks])),
      missing,
      close,
    }
  } catch (error) {
    await close()
    throw error
  } finally {
    over.clear()
  }
}

/** The result of work, or the signal's reason as soon as it is aborted. */
function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
  return Promise.race([work, aborted])
}

/** The number of tokens of the tools in a prompt. */
export const countTools = (tools: readonly BoundTool[]): number => toolTokenBound(tools.map(({ spec }) => spec))
