import type { Credential } from "../actor/actor.ts"
import { callFreeing, spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { endSpaceTurns } from "../ending/causes.ts"
import { throwRefusedChange } from "./change-config.ts"
import type { SpaceRow } from "./serialize-space.ts"

export const ARCHIVE_SPACE_ERRORS = ["NOT_FOUND", "SPACE_ROLE_REQUIRED"] as const

/**
 * Archives a space and starts to end its open turns; the sweeper ends the rest. Throws NOT_FOUND,
 * SPACE_ROLE_REQUIRED.
 */
export async function archiveSpace(ctx: Context, credential: Credential, spaceId: string): Promise<SpaceRow> {
  const { row } = await callFreeing(ctx, credential, "archive_space", { slug: spaceId })
  throwRefusedChange(spaceId, row)
  const space = row.space as SpaceRow | null
  if (!space) throw spaceNotFound(spaceId)
  // The space is already archived here. If this fails, a retry or the sweeper ends the turns.
  if (space.ending_turns) await endSpaceTurns(ctx, space)
  return space
}
