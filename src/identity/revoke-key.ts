import { sql } from "kysely"
import type { Context } from "../context.ts"
import { queryAs } from "./actor.ts"
import type { SessionCredential } from "./credential.ts"
import { type EndedTurns, endedTurns, endKeyTurns, endTurnsCtes, wakeEnded } from "./end-key-turns.ts"
import { type KeyRow, keyJson, keyNotFound } from "./key-row.ts"
import { KEY_POLICY } from "./policies.ts"

/**
 * Revokes a key for good: its next request is refused. Its queued turns are cancelled (`key_revoked`), its running ones asked
 * to stop at their next boundary. Again: the same answer. The key is locked last, as accepting a turn does. NOT_FOUND.
 */
export async function revokeKey(ctx: Context, credential: SessionCredential, keyId: string): Promise<KeyRow> {
  const { row } = await queryAs<EndedTurns & { key: KeyRow | null }>(ctx, credential, {
    ctes: sql`target as materialized (
      select k.key_id from api_keys k, caller where k.key_id = ${keyId} and k.user_id = caller.user_id
    ), ${endTurnsCtes(ctx, sql`(select key_id from target)`)}, revoked as (
      update api_keys k set revoked_at = coalesce(k.revoked_at, ${ctx.clock.now()}::timestamptz),
        ending_turns = k.ending_turns or k.revoked_at is null
      from target where k.key_id = target.key_id and (select count(*) from place) >= 0
      returning k.*
    )`,
    select: sql`select (select ${keyJson} from revoked k) as key, ${endedTurns}`,
  })
  if (!row.key) throw keyNotFound(keyId)
  let ended: EndedTurns = row
  // Those beyond one statement, and those that were accepted while it ran.
  for (let batch = 1; ended.touched.length > 0; batch++) {
    ctx.background(wakeEnded(ctx, keyId, ended))
    if (batch === KEY_POLICY.endBatches) break
    ended = await endKeyTurns(ctx, keyId)
  }
  return row.key
}
