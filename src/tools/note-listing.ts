import type { Context } from "../actor/context.ts"
import type { McpServer } from "../agent-config/mcp-server.ts"
import { call } from "../platform/db.ts"
import type { Toolbox } from "./toolbox.ts"

/**
 * Keeps what the tools of MCP servers count in a prompt, by server, as they were listed just now: so much admission counts for the
 * next turn. `known`: what was kept before; nothing is written when it is still so.
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
