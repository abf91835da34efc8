import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { Credential } from "../actor/credential.ts"
import { type EndUserRow, endUserNotFound } from "./end-user-row.ts"

/** An end user, as far as the key can see its turns. NOT_FOUND. */
export async function getEndUser(ctx: Context, credential: Credential, ref: string): Promise<EndUserRow> {
  type Row = { actor: unknown; end_user: EndUserRow }
  const { actor, row } = await callAs<"get_end_user", Row>(ctx, credential, "get_end_user", { ref })
  const { end_user: endUser } = row
  if (endUser.turns > 0 || (endUser.limits !== null && actor.scope === "all")) return endUser
  throw endUserNotFound(ref)
}
