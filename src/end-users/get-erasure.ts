import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { ownedBy } from "./end-user-row.ts"
import type { ErasureRow } from "./erasure-row.ts"

/** The receipt of an erasure, for keys that see the whole account. NOT_FOUND. */
export async function getErasure(ctx: Context, credential: Credential, erasureId: string): Promise<ErasureRow> {
  const { row } = await queryAs<{ erasure: ErasureRow | null }>(ctx, credential, {
    ctes: sql`e as materialized (
      select e.* from erasures e, caller where e.erasure_id = ${erasureId} and ${ownedBy("e")} and caller.scope = 'all'
    )`,
    select: sql`select (select to_jsonb(e)
      || (select jsonb_build_object('kept_turns', coalesce(sum(c.last_position), 0)) from conversations c
        where ${ownedBy("c")} and c.end_user_ref = e.end_user_ref and c.last_turn_at is not null)
      || (select jsonb_build_object('kept_billed', coalesce(sum(t.billed_credit_micros), 0)) from turns t
        where ${ownedBy("t")} and t.end_user_ref = e.end_user_ref and t.billed_credit_micros > 0 and t.key_id is not null)
      from e) as erasure`,
  })
  if (row.erasure) return row.erasure
  throw new TurnpikeError("NOT_FOUND", `There is no erasure "${erasureId}" that you can see.`)
}
