import type { Credential } from "../actor/actor.ts"
import { callAs, spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { endSpaceTurns } from "../ending/causes.ts"
import type { SpaceRow } from "./serialize-space.ts"

/**
 * Archives a space: it takes no turns, files or changes any more, and can still be read. Its queued turns are cancelled, its
 * running ones asked to stop; the sweeper goes on where they are more than one statement takes. Again: the same. NOT_FOUND.
 */
export async function archiveSpace(ctx: Context, credential: Credential, spaceId: string): Promise<SpaceRow> {
  type Row = { actor: unknown; space: SpaceRow | null }
  const { row } = await callAs<"archive_space", Row>(ctx, credential, "archive_space", { slug: spaceId })
  if (!row.space) throw spaceNotFound(spaceId)
  // When this fails the space is archived all the same: a repeat, or the sweeper, goes on.
  if (row.space.ending_turns) await endSpaceTurns(ctx, row.space)
  return row.space
}
