import type { Manifest } from "../agent-config/manifest.ts"
import type { McpServer } from "../agent-config/mcp-server.ts"
import type { Tool } from "../agent-config/tool.ts"
import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { Space } from "./schemas.ts"

/** A row of `spaces`, as to_jsonb gives it. */
export interface SpaceRow extends Omit<JsonRow<"spaces">, "manifest" | "tools" | "mcp_servers" | "metadata"> {
  manifest: Manifest
  tools: Record<string, Tool>
  mcp_servers: Record<string, McpServer>
  metadata: Record<string, string>
}

export function serializeSpace(row: SpaceRow): Space {
  return {
    space_id: row.slug,
    title: row.title,
    model: row.model,
    manifest: row.manifest,
    tools: Object.keys(row.tools).sort(),
    mcp_servers: Object.keys(row.mcp_servers).sort(),
    metadata: row.metadata,
    config_version: row.config_version,
    archived: row.archived_at !== null,
    test: row.test,
    created_at: toInstant(row.created_at),
    updated_at: toInstant(row.updated_at),
  }
}
