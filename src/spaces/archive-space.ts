import type { Credential } from "../actor/actor.ts"
import { callAs, spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { endSpaceTurns } from "../ending/causes.ts"
import { throwRefusedChange } from "./change-config.ts"
import type { SpaceRow } from "./serialize-space.ts"

/**
 * Archives a space: it takes no turns, files or changes any more, but can be read. Its queued turns are cancelled, its running ones
 * stop at their next boundary; the sweeper ends those that are left. Repeating it gives the same answer. NOT_FOUND.
 */
export async function archiveSpace(ctx: Context, credential: Credential, spaceId: string): Promise<SpaceRow> {
  const { row } = await callAs(ctx, credential, "archive_space", { slug: spaceId })
  throwRefusedChange(spaceId, row)
  const space = row.space as SpaceRow | null
  if (!space) throw spaceNotFound(spaceId)
  // When this fails, the space is archived already; a repeat or the sweeper goes on.
  if (space.ending_turns) await endSpaceTurns(ctx, space)
  return space
}
