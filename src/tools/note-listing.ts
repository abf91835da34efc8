import type { Context } from "../actor/context.ts"
import type { McpServer } from "../agent-config/mcp-server.ts"
import { call } from "../platform/db.ts"
import { isNews, ofServer, type Pins, type ServerPins } from "./mcp-pins.ts"

interface Listing {
  servers: Record<string, McpServer>
  /** Of each server's tools: their tokens in a prompt, and what pins them. */
  listed: Readonly<Record<string, number>>
  pins: Readonly<Record<string, Pins>>
  /** The revision of MCP of each server; null for those that begin with `initialize`. */
  speaks: Readonly<Record<string, string | null>>
  /** What is stored. */
  known: { tokens: Readonly<Record<string, number>>; pins: Readonly<Record<string, ServerPins>> }
}

/**
 * Stores what MCP servers have just listed: token counts for the admission of the next turn, and pins. The first listing of a server in
 * its present definition pins its tools; a later one that differs is noted beside it. Nothing is written when all is known.
 */
export async function noteListing(
  ctx: Context,
  spaceId: number,
  { servers, listed, pins, speaks, known }: Listing,
): Promise<void> {
  const tokens = Object.entries(listed).filter(([name, count]) => ofServer(known.tokens, name) !== count)
  const news = Object.entries(pins).filter(([name, own]) => {
    const before = ofServer(known.pins, name)
    return isNews(own, before) || (ofServer(speaks, name) ?? null) !== (before?.speaks ?? null)
  })
  if (tokens.length + news.length === 0) return
  const stored = { tokens: Object.fromEntries(tokens), pins: Object.fromEntries(news) }
  const revisions = Object.fromEntries(Object.entries(speaks).filter(([, revision]) => revision !== null))
  await call(ctx.db, "note_listing", { space_id: spaceId, servers, ...stored, speaks: revisions })
}
