import type { Context } from "../actor/context.ts"
import type { ToolSpec } from "../agent/engine.ts"
import { lockedFault, openSchema } from "../agent-config/locked-fields.ts"
import type { Manifest } from "../agent-config/manifest.ts"
import type { McpServer } from "../agent-config/mcp-server.ts"
import { type BuiltinTool, GENERATE_IMAGE } from "../agent-config/names.ts"
import type { TurnValues } from "../agent-config/template.ts"
import type { Tool } from "../agent-config/tool.ts"
import { withNames } from "../agent-config/variables.ts"
import type { Container } from "../infrastructure/container.ts"
import { type BoundTool, errorRun, laterRun, type ToolRun } from "./bound-tool.ts"
import { listFilesTool, readFileTool, writeFileTool } from "./file-tools.ts"
import { type Identity, identityOf } from "./identity.ts"
import { generateImageTool, type Painting } from "./image-tool.ts"
import { inputFault } from "./input-fault.ts"
import type { Pins, ServerPins } from "./mcp-pins.ts"
import { type MissingServer, NO_SERVERS, openServers } from "./open-servers.ts"
import { callRestTool, hasRequest } from "./rest-tool.ts"
import { resultToken, resultUrl } from "./result-token.ts"
import type { Secrets } from "./secrets.ts"
import { createTask, type ToolTurn, updateTask } from "./task-tools.ts"
import type { ToolContext } from "./tool-context.ts"
import { turnValues } from "./turn-values.ts"

/** The connected tools of a turn's agent. */
export interface Toolbox {
  readonly tools: ReadonlyMap<string, BoundTool>
  /** The number of tokens of each MCP server's tools in a prompt. */
  readonly listed: Readonly<Record<string, number>>
  /** The listing of each server. `leftOut`: tools that cannot be used or do not match their pin. */
  readonly pins: Readonly<Record<string, Pins>>
  /** The MCP revision of each server, for noteListing(). */
  readonly speaks: Readonly<Record<string, string | null>>
  readonly leftOut: readonly string[]
  /** Optional servers that the turn does without. */
  readonly missing: readonly MissingServer[]
  /** Ends the sessions with MCP servers. Never throws. */
  close(): Promise<void>
}

interface Configuration {
  manifest: Manifest
  tools: Record<string, Tool>
  mcp_servers: Record<string, McpServer>
  mcp_pins: Record<string, ServerPins>
  /** Optional servers that did not answer lately, and until when they are not asked. */
  mcp_failing: Record<string, string>
}

const BUILTIN: Record<Exclude<BuiltinTool, "generate_image">, (ctx: Context, turn: ToolTurn) => BoundTool> = {
  list_files: listFilesTool,
  read_file: readFileTool,
  write_file: writeFileTool,
  create_task: createTask,
  update_task: updateTask,
}

/** If all models of the engine can call tools, agents get the file tools by default. */
export const DEFAULT_BUILTIN_TOOLS: BuiltinTool[] = ["list_files", "read_file", "write_file"]

/** Connects all tools, servers and containers of a space. Throws McpError if a server fails twice. */
export async function openToolbox(
  ctx: ToolContext,
  {
    turn,
    config,
    containers,
    secrets,
    builtinTools,
    painting,
    signal,
  }: {
    turn: ToolTurn
    config: Configuration
    containers: readonly Container[]
    secrets: Secrets
    builtinTools: readonly BuiltinTool[]
    /** Null: the catalog has no model for pictures. */
    painting: Painting | null
    signal: AbortSignal
  },
): Promise<Toolbox> {
  const servers = Object.values(config.mcp_servers)
  const now = ctx.clock.now().getTime()
  const values = turnValues(turn)
  const { space, config_version: configVersion, test } = turn
  const identity = identityOf(ctx, { values, space, configVersion, test })
  // A turn that began without a server also ends without it.
  const began = new Set((turn.warnings ?? []).map(({ server }) => server))
  const isPaused = (name: string) => began.has(name) || Date.parse(config.mcp_failing[name] ?? "") > now
  const remote =
    servers.length + containers.length > 0
      ? await openServers(
          ctx,
          { servers, containers, pins: config.mcp_pins, isPaused },
          { turn, secrets, signal, identity, values },
        )
      : NO_SERVERS
  // Later tools win, so the owner's own tools replace the tools of a container.
  const bound = [
    ...remote.contained,
    ...builtinTools.flatMap((name) => {
      const tool =
        name === GENERATE_IMAGE ? painting && generateImageTool(ctx, turn, painting) : BUILTIN[name](ctx, turn)
      const approval = config.manifest.approvals?.[name]
      return tool ? [{ ...tool, ...(approval && { approval }) }] : []
    }),
    ...Object.values(config.tools).map((tool) => restTool(ctx, tool, { secrets, identity, values })),
    ...remote.tools,
  ]
  const { listed, pins, speaks, leftOut, missing, close } = remote
  return { tools: new Map(bound.map((tool) => [tool.spec.name, tool])), listed, pins, speaks, leftOut, missing, close }
}

function restTool(
  ctx: ToolContext,
  tool: Tool,
  { secrets, identity, values }: { secrets: Secrets; identity: Identity; values: TurnValues },
): BoundTool {
  const inputSchema = openSchema(tool)
  return {
    spec: { name: tool.name, description: withNames(tool.description), inputSchema },
    ...(tool.approval && { approval: tool.approval }),
    async run(input, { key, agent, noteToken, trace, signal, mayStart }): Promise<ToolRun> {
      const fault = lockedFault(tool, input) ?? inputFault(inputSchema, input)
      if (fault) return errorRun(fault)
      if (!hasRequest(tool)) return laterRun(true)
      const token = tool.answers_later === true ? await resultToken(ctx, key) : undefined
      if (token !== undefined) await noteToken?.(token)
      const { output, response } = await callRestTool(
        { outbound: ctx.outbound, secrets },
        {
          tool,
          input,
          values,
          idempotencyKey: key,
          agent,
          ...(tool.identity !== "none" && { identity }),
          ...(token !== undefined && { later: { token, url: resultUrl(ctx, key) } }),
          signal,
          mayStart,
          ...(trace && { trace }),
        },
      )
      return response?.status === 202 ? laterRun(false) : { output }
    },
  }
}

/**
 * Selects the tools of its agent that a sub-agent may call: by name, or all
 * tools of a server as `server__*`.
 */
export function allowedTools(
  tools: ReadonlyMap<string, BoundTool>,
  names: readonly string[] | undefined,
): ReadonlyMap<string, BoundTool> {
  if (!names) return tools
  const allowed = (name: string) =>
    names.some((wanted) => wanted === name || (wanted.endsWith("__*") && name.startsWith(wanted.slice(0, -1))))
  return new Map([...tools].filter(([name]) => allowed(name)))
}

export const specsOf = (tools: ReadonlyMap<string, BoundTool>): ToolSpec[] =>
  [...tools.values()].map(({ spec }) => spec)
