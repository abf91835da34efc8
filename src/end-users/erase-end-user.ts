import { sql } from "kysely"
import type { Context } from "../context.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { newId } from "../platform/ids.ts"
import { describeError } from "../platform/log.ts"
import { endUserNotFound, needsScopeAll, ownedBy } from "./end-user-row.ts"
import type { ErasureRow, OpenErasure } from "./erasure-row.ts"
import { getErasure } from "./get-erasure.ts"
import { ERASURE_POLICY } from "./policies.ts"
import { runErasure } from "./run-erasure.ts"

/**
 * Erases all texts, results, history and files of an end user in the whole account, up to now; amounts stay. Once the first
 * statement has noted the wish, nothing can lose it: what this request does not complete, the sweeper does. In the same
 * statement the conversations lose their names, so that a turn that comes later begins a new one. NOT_FOUND, SCOPE_DENIED.
 */
export async function eraseEndUser(ctx: Context, credential: Credential, ref: string): Promise<ErasureRow> {
  const now = ctx.clock.now()
  const { actor, row } = await queryAs<{ erasure: OpenErasure | null }>(ctx, credential, {
    ctes: sql`latest as materialized (
      select t.created_at from turns t where ${ownedBy("t")} and t.end_user_ref = ${ref}
      order by t.turn_id collate "C" desc limit 1
    ), known as materialized (
      select caller.* from caller where scope = 'all' and (exists (select 1 from latest)
        or exists (select 1 from end_users e where ${ownedBy("e")} and e.end_user_ref = ${ref}))
    ), theirs as materialized (
      select c.conversation_id from conversations c, known
      where ${ownedBy("c")} and c.end_user_ref = ${ref} and c.name <> c.conversation_id
      order by c.conversation_id for update of c
    ), renamed as (
      update conversations c set name = c.conversation_id from theirs where c.conversation_id = theirs.conversation_id
      returning 1
    ), asked as (
      insert into erasures (erasure_id, user_id, test, end_user_ref, key_id, until_at, requested_at, tried_at, conversations)
      select ${newId("erasure", now)}, user_id, test, ${ref}, key_id,
        -- The clock of the worker that accepted a turn may be ahead of this one's.
        greatest(${now}::timestamptz, (select created_at from latest)), ${now}::timestamptz, ${now}::timestamptz,
        (select count(*) from renamed)
      from known returning *
    )`,
    select: sql`select (select to_jsonb(asked) from asked) as erasure`,
  })
  if (actor.scope !== "all") throw needsScopeAll("Erasing an end user")
  const { erasure } = row
  if (!erasure) throw endUserNotFound(ref)
  try {
    await runErasure(ctx, erasure, { rounds: ERASURE_POLICY.roundsOfRequest })
  } catch (error) {
    ctx.log("error", "erasure.failed", { erasure_id: erasure.erasure_id, error: describeError(error) })
  }
  return getErasure(ctx, credential, erasure.erasure_id)
}
