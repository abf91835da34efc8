import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import type { SpaceRow } from "./serialize-space.ts"

/** A space in the key's scope, or NOT_FOUND. */
export async function getSpace(ctx: Context, credential: Credential, spaceId: string): Promise<SpaceRow> {
  const { row } = await queryAs<{ space: SpaceRow | null }>(ctx, credential, {
    select: sql`select to_jsonb(s) as space from spaces s, caller where s.slug = ${spaceId} and ${inScope}`,
  })
  if (!row.space) throw spaceNotFound(spaceId)
  return row.space
}

export function spaceNotFound(spaceId: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", `There is no space "${spaceId}" that you can see.`)
}
