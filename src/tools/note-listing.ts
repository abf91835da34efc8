import type { Context } from "../actor/context.ts"
import type { McpServer } from "../agent-config/mcp-server.ts"
import { call } from "../platform/db.ts"
import type { Toolbox } from "./toolbox.ts"

/**
 * Stores the token counts of MCP servers' tools as they were just listed, for the admission of the next turn. `known`: the stored
 * counts; nothing is written when they are the same.
 */
export async function noteListing(
  ctx: Context,
  spaceId: number,
  {
    servers,
    listed,
    known,
  }: { servers: Record<string, McpServer>; listed: Toolbox["listed"]; known: Toolbox["listed"] },
): Promise<void> {
  const news = Object.entries(listed).filter(([name, tokens]) => known[name] !== tokens)
  if (news.length === 0) return
  await call(ctx.db, "note_listing", { space_id: spaceId, servers, tokens: Object.fromEntries(news) })
}
