import type { Credential } from "../actor/actor.ts"
import { callFreeing } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { McpServer } from "../agent-config/mcp-server.ts"
import type { Tool } from "../agent-config/tool.ts"
import { TurnpikeError } from "../base/errors.ts"
import { checkTarget, throwRefusedChange } from "./change-config.ts"
import { SPACE_POLICY } from "./policies.ts"

type Column = "tools" | "mcp_servers"
const KINDS = {
  tools: { path: "tools", words: "tools", max: SPACE_POLICY.maxTools },
  mcp_servers: { path: "mcp-servers", words: "MCP servers", max: SPACE_POLICY.maxMcpServers },
} as const

export const PUT_ENTRY_ERRORS = ["NOT_FOUND", "SPACE_ROLE_REQUIRED", "SPACE_ARCHIVED", "LIMIT_REACHED"] as const

/**
 * Adds or replaces a tool. An equal definition creates no new version. Throws NOT_FOUND, SPACE_ARCHIVED,
 * VALIDATION_FAILED, LIMIT_REACHED.
 */
export async function putTool(ctx: Context, credential: Credential, spaceId: string, tool: Tool): Promise<Tool> {
  if (tool.request) checkTarget(ctx, tool.request.url, "request.url")
  await putEntry(ctx, credential, spaceId, "tools", tool)
  return tool
}

/**
 * Adds or replaces an MCP server. An equal definition creates no new version. Throws NOT_FOUND, SPACE_ARCHIVED,
 * VALIDATION_FAILED, LIMIT_REACHED.
 */
export async function putMcpServer(
  ctx: Context,
  credential: Credential,
  spaceId: string,
  server: McpServer,
): Promise<McpServer> {
  checkTarget(ctx, server.url, "url")
  await putEntry(ctx, credential, spaceId, "mcp_servers", server)
  return server
}

async function putEntry(
  ctx: Context,
  credential: Credential,
  spaceId: string,
  column: Column,
  entry: { name: string },
): Promise<void> {
  const { path, words, max } = KINDS[column]
  const { row } = await callFreeing(ctx, credential, "put_entry", {
    slug: spaceId,
    column,
    change: `${path}/${entry.name}`,
    name: entry.name,
    entry,
    max,
    max_bytes: SPACE_POLICY.maxConfigBytes,
  })
  throwRefusedChange(spaceId, row)
  if (row.refused === "too_many") {
    throw new TurnpikeError("VALIDATION_FAILED", `A space has at most ${max} ${words}.`, { param: "name" })
  }
  if (row.refused === "too_large") {
    const message = `The ${words} of a space have at most ${SPACE_POLICY.maxConfigBytes} bytes together.`
    throw new TurnpikeError("VALIDATION_FAILED", message)
  }
}

export const REMOVE_ENTRY_ERRORS = ["NOT_FOUND", "SPACE_ARCHIVED", "SPACE_ROLE_REQUIRED"] as const

/** Removes a tool or an MCP server. Throws NOT_FOUND if the space has no entry of that name. */
export async function removeEntry(
  ctx: Context,
  credential: Credential,
  spaceId: string,
  { column, name }: { column: Column; name: string },
): Promise<void> {
  const { path, words } = KINDS[column]
  const { row } = await callFreeing(ctx, credential, "remove_entry", {
    slug: spaceId,
    column,
    change: `${path}/${name}`,
    name,
  })
  throwRefusedChange(spaceId, row)
  if (row.refused === "no_entry") {
    throw new TurnpikeError("NOT_FOUND", `The space has no "${name}" among its ${words}.`, { param: "name" })
  }
}
