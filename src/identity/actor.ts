import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import type { KeyCredential } from "./api-key.ts"
import { callerCte, fingerprintsOf, keyReused, notedCte, type Once, runOnce, type UsedKey } from "./once.ts"

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
 * `caller`, which is empty too when the request was done `already`. The key's last use is noted at most once a minute.
 */
function actorCte(credential: KeyCredential, now: Date, once: Once | undefined): RawBuilder<unknown> {
  return sql`actor as materialized (
    select k.key_id, k.name, k.user_id, k.scope, k.space_id, k.test, k.expires_at, k.created_at,
      k.revoked_at is null and u.disabled_at is null and (k.expires_at is null or k.expires_at > ${now}::timestamptz) as usable,
      k.revoked_at is null and u.disabled_at is null and k.expires_at <= ${now}::timestamptz as expired
    from api_keys k join users u on u.user_id = k.user_id
    where k.hash = decode(${credential.hash}, 'hex')
  ), ${callerCte(once)}, key_use as (
    update api_keys k set last_used_at = ${now}::timestamptz from actor
    where actor.usable and k.key_id = actor.key_id
      and (k.last_used_at is null or k.last_used_at <= ${now}::timestamptz - interval '1 minute')
  )`
}

/** The spaces a key may touch: its owner's, of its own kind (live or test), within its scope (contract section 5). */
export const inScope = sql`s.user_id = caller.user_id and s.test = caller.test and (
  caller.scope = 'all'
  or (caller.scope = 'created' and s.created_by_key_id = caller.key_id)
  or (caller.scope = 'space' and s.space_id = caller.space_id))`

/** The actor of a statement's row, or 401. */
export function requireActor(row: ActorRow | null | undefined): KeyActor {
  if (row?.expired) throw new TurnpikeError("API_KEY_EXPIRED", "This API key has expired.")
  if (!row?.usable) throw new TurnpikeError("INVALID_API_KEY", "This API key is unknown or was revoked.")
  const { usable: _usable, expired: _expired, ...actor } = row
  return { kind: "key", ...actor }
}

interface Statement {
  /** CTEs behind `caller`. */
  ctes?: RawBuilder<unknown>
  select: RawBuilder<unknown>
  /** The request's Idempotency-Key, if it came with one: then the statement has its effect at most once. */
  once?: Once | undefined
  /** With `once`: a query for the id of what the CTEs made, or no row when they refused. */
  made?: RawBuilder<unknown>
}

/**
 * Runs one statement of a key. `replayOf`: the id of what an earlier request made under the same Idempotency-Key; then
 * this one had no effect and `row` is empty. IDEMPOTENCY_KEY_REUSED when that was another request.
 */
export async function queryAs<Row>(
  ctx: Context,
  credential: KeyCredential,
  { ctes, select, once, made }: Statement,
): Promise<{ actor: KeyActor; row: Row; replayOf: string | null }> {
  const fingerprints = once?.request === undefined ? null : await fingerprintsOf(ctx, once.request)
  const notes = once && fingerprints && made ? notedCte(ctx, once, fingerprints[0], made) : null
  const statement = sql<Row & { actor: ActorRow | null; already: UsedKey | null; noted: boolean }>`with
    ${actorCte(credential, ctx.clock.now(), once)} ${ctes ? sql`, ${ctes}` : sql``} ${notes ? sql`, ${notes}` : sql``}
    select (select to_jsonb(actor) from actor) as actor,
      ${once ? sql`(select to_jsonb(already) from already)` : sql`null::jsonb`} as already,
      ${notes ? sql`exists (select 1 from noted)` : sql`false`} as noted, answer.*
    from (select 1) as one left join lateral (${select}) as answer on true`
  const run = async () => {
    const row = (await statement.execute(ctx.db)).rows[0]
    return { row, isSettled: !row?.actor?.usable || row.already !== null || row.noted }
  }
  const { row } = notes ? await runOnce(run) : await run()
  const actor = requireActor(row?.actor)
  const already = row?.already ?? null
  if (already && fingerprints && !fingerprints.includes(already.fingerprint)) throw keyReused()
  return { actor, row: row as Row, replayOf: already?.resource_id ?? null }
}
