import type { Context } from "../actor/context.ts"
import type { McpServer } from "../agent-config/mcp-server.ts"
import { call } from "../platform/db.ts"
import { isNews, ofServer, type Pins, type ServerPins } from "./mcp-pins.ts"

interface Listing {
  servers: Record<string, McpServer>
  /** The tokens of each server's tools in a prompt, and their pins. */
  listed: Readonly<Record<string, number>>
  pins: Readonly<Record<string, Pins>>
  /** The MCP revision of each server; null for revisions with `initialize`. */
  speaks: Readonly<Record<string, string | null>>
  /** The token counts and pins that are stored already. */
  known: { tokens: Readonly<Record<string, number>>; pins: Readonly<Record<string, ServerPins>> }
}

/**
 * Stores the new listings of MCP servers: token counts for the admission of the next turn, and
 * pins. The first listing of a server's current definition pins its tools. A later, different one
 * is stored next to the pins. Writes nothing if nothing has changed.
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
