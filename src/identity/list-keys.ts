import { sql } from "kysely"
import type { Context } from "../context.ts"
import { type CapRow, keyCaps } from "../quotas/cap-state.ts"
import { queryAs } from "./actor.ts"
import type { SessionCredential } from "./credential.ts"
import { type KeyRow, keyJson, keyNotFound } from "./key-row.ts"

/** The caller's keys, newest first; live and test ones, or those of one kind. */
export async function listKeys(
  ctx: Context,
  credential: SessionCredential,
  { test, limit, offset }: { test: boolean | undefined; limit: number; offset: number },
): Promise<{ keys: KeyRow[]; total: number }> {
  const mine = sql`k.user_id = (select user_id from caller) and (${test ?? null}::boolean is null or k.test = ${test ?? null}::boolean)`
  const { row } = await queryAs<{ keys: KeyRow[]; total: number }>(ctx, credential, {
    select: sql`select (select count(*)::integer from api_keys k where ${mine}) as total, coalesce((
      select jsonb_agg(${keyJson} order by k.key_id collate "C" desc) from (
        select * from api_keys k where ${mine} order by k.key_id collate "C" desc limit ${limit} offset ${offset}) k), '[]') as keys`,
  })
  return row
}

/** One of the caller's keys with the state of its caps, or NOT_FOUND. */
export async function getKey(
  ctx: Context,
  credential: SessionCredential,
  keyId: string,
): Promise<KeyRow & { cap_states: CapRow[] }> {
  const { row } = await queryAs<{ key: (KeyRow & { cap_states: CapRow[] }) | null }>(ctx, credential, {
    select: sql`select (select ${keyJson} || jsonb_build_object('cap_states', ${keyCaps("k", ctx.clock.now())})
      from api_keys k, caller where k.key_id = ${keyId} and k.user_id = caller.user_id) as key`,
  })
  if (!row.key) throw keyNotFound(keyId)
  return row.key
}
