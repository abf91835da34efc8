import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import type { KeyCredential } from "./api-key.ts"

export type KeyScope = "created" | "space" | "all"

/** Who calls /v1: the key and its owner, once looked up. */
export interface KeyActor {
  kind: "key"
  key_id: string
  name: string
  user_id: number
  scope: KeyScope
  space_id: number | null
  test: boolean
  expires_at: string | null
  created_at: string
}

/** The row that `actorCte` yields: at most one, whatever state the key is in. */
export interface ActorRow extends Omit<KeyActor, "kind"> {
  usable: boolean
  expired: boolean
}

/**
 * The CTEs with which every statement of a key begins, so that reading the key costs no round trip of its own:
 * `actor` is the key in whatever state, `caller` the same row only when it may act. Everything else must join
 * `caller`. The key's last use is noted at most once a minute.
 */
export function actorCte(credential: KeyCredential, now: Date): RawBuilder<unknown> {
  return sql`actor as materialized (
    select k.key_id, k.name, k.user_id, k.scope, k.space_id, k.test, k.expires_at, k.created_at,
      k.revoked_at is null and u.disabled_at is null and (k.expires_at is null or k.expires_at > ${now}::timestamptz) as usable,
      k.revoked_at is null and u.disabled_at is null and k.expires_at <= ${now}::timestamptz as expired
    from api_keys k join users u on u.user_id = k.user_id
    where k.hash = decode(${credential.hash}, 'hex')
  ), caller as materialized (select * from actor where usable), key_use as (
    update api_keys k set last_used_at = ${now}::timestamptz from caller
    where k.key_id = caller.key_id
      and (k.last_used_at is null or k.last_used_at <= ${now}::timestamptz - interval '1 minute')
  )`
}

/** The spaces a key may touch: its owner's, of its own kind (live or test), within its scope (contract section 5). */
export const inScope = sql`s.user_id = caller.user_id and s.test = caller.test and (
  caller.scope = 'all'
  or (caller.scope = 'created' and s.created_by_key_id = caller.key_id)
  or (caller.scope = 'space' and s.space_id = caller.space_id))`

/**
 * The same for a column that names a space of a table with an owner and a kind of its own, which the statement must hold to the
 * caller's. No join, so that the planner can only start from the table's own indexes: it would guess that a scope has few rows.
 */
export function spaceInScope(column: string): RawBuilder<unknown> {
  return sql`((select scope from caller) = 'all'
    or ${sql.ref(column)} in (select s.space_id from spaces s, caller where ${inScope}))`
}

/** The actor of a statement's row, or 401. */
export function requireActor(row: ActorRow | null | undefined): KeyActor {
  if (row?.expired) throw new TurnpikeError("API_KEY_EXPIRED", "This API key has expired.")
  if (!row?.usable) throw new TurnpikeError("INVALID_API_KEY", "This API key is unknown or was revoked.")
  const { usable: _usable, expired: _expired, ...actor } = row
  return { kind: "key", ...actor }
}

/** Runs one statement of a key: `rest` is its further CTEs (if any), `select` its final query. */
export async function queryAs<Row>(
  ctx: Context,
  credential: KeyCredential,
  { ctes, select }: { ctes?: RawBuilder<unknown>; select: RawBuilder<unknown> },
): Promise<{ actor: KeyActor; row: Row }> {
  const statement = sql<Row & { actor: ActorRow | null }>`with ${actorCte(credential, ctx.clock.now())}
    ${ctes ? sql`, ${ctes}` : sql``}
    select (select to_jsonb(actor) from actor) as actor, answer.* from (select 1) as one left join lateral (${select}) as answer on true`
  const { rows } = await statement.execute(ctx.db)
  return { actor: requireActor(rows[0]?.actor), row: rows[0] as Row }
}
