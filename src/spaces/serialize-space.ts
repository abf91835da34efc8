import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely"
import type { Manifest } from "../agent-config/manifest.ts"
import type { McpServer } from "../agent-config/mcp-server.ts"
import type { Tool } from "../agent-config/tool.ts"
import { holds } from "../base/pagination.ts"
import { toInstant } from "../base/time.ts"
import type { DB } from "../platform/db-types.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { Space } from "./schemas.ts"

/** A row of `spaces`, as to_jsonb returns it. */
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

/** The columns of a space `s` without its configuration. */
export const SUMMARY_COLUMNS = [
  "s.space_id",
  "s.slug",
  "s.user_id",
  "s.created_by_key_id",
  "s.test",
  "s.origin",
  "s.brand",
  "s.title",
  "s.model",
  "s.metadata",
  "s.config_version",
  "s.config_change",
  "s.archived_at",
  "s.ending_turns",
  "s.created_at",
  "s.updated_at",
] as const

/** True if the title of a space `s` contains `part`. Case does not matter. */
export function titleHolds(part: string): Expression<SqlBool> {
  const { ref } = expressionBuilder<{ s: DB["spaces"] }, "s">()
  return holds(ref("s.title"), part)
}

/** True if a space's title contains `part`, or its slug begins with it. */
export function isNamed(part: string): Expression<SqlBool> {
  const { or, ref } = expressionBuilder<{ s: DB["spaces"] }, "s">()
  return or([titleHolds(part), sql<SqlBool>`starts_with(${ref("s.slug")}, folded(${part}::text))`])
}
