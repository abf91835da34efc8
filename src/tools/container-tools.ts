import type { Context } from "../actor/context.ts"
import { CONTAINER } from "../agent-config/names.ts"
import { traceHeaders } from "../base/trace-context.ts"
import type { Container } from "../infrastructure/container.ts"
import { type InfrastructureError, noteError } from "../infrastructure/errors.ts"
import { createOutbound } from "../platform/outbound.ts"
import type { BoundTool } from "./bound-tool.ts"
import type { McpConnection } from "./mcp-client.ts"
import { McpError } from "./mcp-error.ts"
import { connectMcp, mcpToolName, mcpTools, type StoreImage } from "./mcp-tools.ts"
import { createSecrets, type Secrets } from "./secrets.ts"
import type { ToolTurn } from "./task-tools.ts"
import type { ToolContext } from "./tool-context.ts"

const UNAVAILABLE = "The container of this space does not answer."

/**
 * Connects to a container of a space, and binds its tools as `container__tool`. Its address and
 * headers are the operator's: its answers are masked, and its errors are not shown. Throws McpError.
 */
export async function openContainer(
  ctx: ToolContext,
  { name, url, headers }: Container,
  { turn, storeImage, signal, onConnect }: ContainerUse,
): Promise<BoundTool[]> {
  const secrets = secretsOf({ url, headers })
  const policy = { ...ctx.urlPolicy, operators: true } as const
  const outbound = createOutbound({
    fetch: ctx.turnFetch,
    clock: ctx.clock,
    policy,
    memory: { budget: ctx.memory, holder: ctx.requestId },
  })
  const deps = { outbound, clock: ctx.clock, secrets, signal, trace: traceHeaders(turn, "turn") }
  const server = { name: CONTAINER, url, headers }
  const connection = await connectMcp(deps, server).catch(unavailable)
  onConnect(connection)
  const explain = (error: McpError) => {
    if (error.kind === "tool") return error.message
    noteError(ctx, turn, failureOf("container_exec", name, error))
    return UNAVAILABLE
  }
  const tools = await mcpTools({ secrets }, { server, connection, storeImage, explain }).catch(unavailable)
  const timed = (tool: BoundTool): BoundTool => ({
    ...tool,
    async run(input, context) {
      const startedAt = ctx.clock.now().getTime()
      const made = await tool.run(input, context)
      return { ...made, container: { name, milliseconds: Math.max(0, ctx.clock.now().getTime() - startedAt) } }
    },
  })
  return tools.map(timed)
}

interface ContainerUse {
  turn: ToolTurn
  storeImage: StoreImage
  signal: AbortSignal
  /** Receives the session. The caller must close it. */
  onConnect(connection: McpConnection): void
}

/** Records that a turn could not connect to a container. */
export function noteUnstarted(ctx: Context, turn: ToolTurn, container: Container, error: unknown): void {
  if (error instanceof McpError) noteError(ctx, turn, failureOf("container_start", container.name, error))
}

/**
 * The tools of a space's containers. If two containers have a tool of the same name, the later one
 * gets its container's name as a prefix.
 */
export function toolsOfContainers(opened: readonly { name: string; tools: BoundTool[] }[]): BoundTool[] {
  const bound = new Map<string, BoundTool>()
  for (const { name, tools } of opened) {
    for (const tool of tools) {
      const plain = tool.spec.name
      const own = bound.has(plain) ? mcpToolName(CONTAINER, `${name}_${plain.slice(`${CONTAINER}__`.length)}`) : plain
      bound.set(own, { ...tool, spec: { ...tool.spec, name: own } })
    }
  }
  return [...bound.values()]
}

const failureOf = (kind: InfrastructureError["kind"], name: string, { kind: code }: McpError): InfrastructureError => ({
  kind,
  name,
  code,
})

/** Throws a new error without the message and the cause of the old one. */
function unavailable(error: unknown): never {
  throw error instanceof McpError ? new McpError(error.kind, UNAVAILABLE) : error
}

/** Shorter parts could be ordinary words, so they are not masked. */
const LEAST_PART = 8
/** The same for the segments of a path, which are mostly ordinary words. */
const LEAST_SEGMENT = 12

/** The address and headers as secrets: whole, and in the parts that an answer may repeat. */
function secretsOf({ url, headers }: Pick<Container, "url" | "headers">): Secrets {
  const { href, origin, host, hostname, pathname, search, searchParams } = new URL(url)
  const isLoopback = /^(localhost|127\..*|\[::1\])$/.test(hostname)
  const values = Object.values(headers)
  const words = values.flatMap((value) => value.split(" ").flatMap((word) => [word, ...basicOf(word)]))
  const segments = pathname.split("/").filter(({ length }) => length >= LEAST_SEGMENT)
  const parts = [...words, pathname, pathname + search, search, ...searchParams.values()]
  const long = parts.filter(({ length }) => length >= LEAST_PART)
  const all = [url, href, origin, host, ...(isLoopback ? [] : [hostname]), ...values, ...long, ...segments]
  return createSecrets(Object.fromEntries(all.map((value, index) => [String(index), value])))
}

/** Decodes a word from base64, such as the user and password of Basic authentication (RFC 7617). */
function basicOf(word: string): string[] {
  try {
    const text = new TextDecoder().decode(Uint8Array.from(atob(word), (char) => char.charCodeAt(0)))
    return text.includes(":") ? [text, text.slice(text.indexOf(":") + 1)] : []
  } catch {
    return []
  }
}
