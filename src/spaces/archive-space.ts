import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { Credential } from "../actor/credential.ts"
import { endTurns } from "../ending/end-turns.ts"
import { spaceNotFound } from "./get-space.ts"
import type { SpaceRow } from "./serialize-space.ts"

/** The end of a space's turns. */
export const archivedCause = ({ space_id, user_id, test }: Pick<SpaceRow, "space_id" | "user_id" | "test">) =>
  ({ cause: "space", userId: user_id, test, spaceId: space_id, reason: "space_archived" }) as const

/**
 * Archives a space: it takes no turns, files or changes any more, and can still be read. Its queued turns are cancelled, its
 * running ones asked to stop; the sweeper goes on where they are more than one statement takes. Again: the same. NOT_FOUND.
 */
export async function archiveSpace(ctx: Context, credential: Credential, spaceId: string): Promise<SpaceRow> {
  type Row = { actor: unknown; space: SpaceRow | null }
  const { row } = await callAs<"archive_space", Row>(ctx, credential, "archive_space", { slug: spaceId })
  if (!row.space) throw spaceNotFound(spaceId)
  // When this fails the space is archived all the same: a repeat, or the sweeper, goes on.
  if (row.space.ending_turns) await endTurns(ctx, archivedCause(row.space), { batches: 1 })
  return row.space
}
