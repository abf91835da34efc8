import type { Credential, SessionCredential } from "../actor/actor.ts"
import { readAs, spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { roleInSpace, type SpaceRole, spaceVisible } from "../actor/shares.ts"
import type { SpaceRow } from "./serialize-space.ts"

/** A space that the caller may use. Throws NOT_FOUND. */
export async function getSpace(ctx: Context, credential: Credential, spaceId: string): Promise<SpaceRow> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("spaces as s")
      .innerJoin("caller", (join) => join.onTrue())
      .where("s.slug", "=", spaceId)
      .where(spaceVisible(credential))
      .selectAll("s"),
  )
  if (!rows[0]) throw spaceNotFound(spaceId)
  ctx.config.seen = rows[0].config_version
  return rows[0] as SpaceRow
}

/** The same for a signed-in user, with their role in the space. */
export async function getAccountSpace(
  ctx: Context,
  credential: SessionCredential,
  spaceId: string,
): Promise<SpaceRow & { role: SpaceRole }> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("spaces as s")
      .innerJoin("caller", (join) => join.onTrue())
      .where("s.slug", "=", spaceId)
      .where(spaceVisible(credential))
      .selectAll("s")
      .select(roleInSpace.as("role")),
  )
  if (!rows[0]) throw spaceNotFound(spaceId)
  return rows[0] as SpaceRow & { role: SpaceRole }
}
