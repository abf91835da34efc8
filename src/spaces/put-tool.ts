import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import type { Credential } from "../identity/credential.ts"
import { hashRequest } from "../request-hash.ts"
import { changeConfig } from "./change-config.ts"
import { checkTarget } from "./check-target.ts"
import { getSpace } from "./get-space.ts"
import type { McpServer } from "./mcp-server.ts"
import { SPACE_POLICY } from "./policies.ts"
import { jsonBytes } from "./request-parts.ts"
import type { Tool } from "./tool.ts"

type Column = "tools" | "mcp_servers"
const KINDS = {
  tools: { path: "tools", words: "tools", max: SPACE_POLICY.maxTools },
  mcp_servers: { path: "mcp-servers", words: "MCP servers", max: SPACE_POLICY.maxMcpServers },
} as const

/** Adds or replaces a tool. The same definition again makes no new version. NOT_FOUND, CONFLICT, VALIDATION_FAILED. */
export async function putTool(ctx: Context, credential: Credential, spaceId: string, tool: Tool): Promise<Tool> {
  checkTarget(ctx, tool.request.url, "request.url")
  await putEntry(ctx, credential, spaceId, "tools", tool)
  return tool
}

/** Adds or replaces an MCP server. The same definition again makes no new version. NOT_FOUND, CONFLICT, VALIDATION_FAILED. */
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
  const { name } = entry
  const { path, words, max } = KINDS[column]
  const json = JSON.stringify(entry)
  const entries = sql.ref(`s.${column}`)
  const { after } = await changeConfig(ctx, credential, spaceId, {
    what: `${path}/${name}`,
    set: sql`${sql.ref(column)} = ${entries} || jsonb_build_object(${name}::text, ${json}::jsonb)`,
    onlyIf: sql`${entries} -> ${name} is distinct from ${json}::jsonb
      and (${entries} ? ${name} or (select count(*) from jsonb_object_keys(${entries})) < ${max})
      and octet_length((${entries} - ${name}::text)::text) + octet_length(${json}::text) <= ${SPACE_POLICY.maxConfigBytes}`,
  })
  if (after) return
  // The same definition, or no room for it: only the row as it is now can tell.
  const known = (await getSpace(ctx, credential, spaceId))[column] as Record<string, { name: string }>
  const { [name]: current, ...others } = known
  if (current && hashRequest(current) === hashRequest(entry)) return
  if (!current && Object.keys(known).length >= max) {
    throw new TurnpikeError("VALIDATION_FAILED", `A space has at most ${max} ${words}.`, { param: "name" })
  }
  if (jsonBytes(others) + jsonBytes(entry) > SPACE_POLICY.maxConfigBytes - SLACK_BYTES) {
    const message = `The ${words} of a space have at most ${SPACE_POLICY.maxConfigBytes} bytes together.`
    throw new TurnpikeError("VALIDATION_FAILED", message)
  }
  throw new TurnpikeError("CONFLICT", `The ${words} of the space were changed at the same moment. Try again.`)
}

/** PostgreSQL writes a space behind every comma and colon of its JSON. */
const SLACK_BYTES = SPACE_POLICY.maxConfigBytes / 4

/** Removes a tool or an MCP server; NOT_FOUND when there is none of that name. */
export async function removeEntry(
  ctx: Context,
  credential: Credential,
  spaceId: string,
  { column, name }: { column: Column; name: string },
): Promise<void> {
  const { path, words } = KINDS[column]
  const { after } = await changeConfig(ctx, credential, spaceId, {
    what: `${path}/${name}`,
    set: sql`${sql.ref(column)} = ${sql.ref(`s.${column}`)} - ${name}::text`,
    onlyIf: sql`${sql.ref(`s.${column}`)} ? ${name}`,
  })
  if (!after) throw new TurnpikeError("NOT_FOUND", `The space has no "${name}" among its ${words}.`, { param: "name" })
}
