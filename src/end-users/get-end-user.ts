import { sql } from "kysely"
import type { Context } from "../context.ts"
import { type Actor, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { type EndUserRow, endUserJson, endUserNotFound } from "./end-user-row.ts"

/** An end user, as far as the key can see its turns. NOT_FOUND. */
export async function getEndUser(ctx: Context, credential: Credential, ref: string): Promise<EndUserRow> {
  const { actor, row } = await queryAs<{ end_user: EndUserRow }>(ctx, credential, {
    select: sql`select ${endUserJson(sql`${ref}::text`, ctx.clock.now())} as end_user`,
  })
  return known(row.end_user, actor)
}

export function known(row: EndUserRow, actor: Actor): EndUserRow {
  if (row.turns > 0 || (row.limits !== null && actor.scope === "all")) return row
  throw endUserNotFound(row.end_user_ref)
}
