import type { Credential } from "../actor/actor.ts"
import { readAs, spaceInScope, spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { SpaceRow } from "./serialize-space.ts"

/** A space in the key's scope, or NOT_FOUND. */
export async function getSpace(ctx: Context, credential: Credential, spaceId: string): Promise<SpaceRow> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("spaces as s")
      .innerJoin("caller", (join) => join.onTrue())
      .where("s.slug", "=", spaceId)
      .where(spaceInScope)
      .selectAll("s"),
  )
  if (!rows[0]) throw spaceNotFound(spaceId)
  return rows[0] as SpaceRow
}
