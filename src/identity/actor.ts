import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import type { Credential, KeyCredential, SessionCredential } from "./credential.ts"
import { callerCte, fingerprintsOf, keyReused, notedCte, type Once, runOnce, type UsedKey } from "./once.ts"
import { SESSION_POLICY } from "./policies.ts"

export type KeyScope = "created" | "space" | "all"

/** Who asks, once looked up: what is the same for every kind of actor. */
interface CommonActor {
  user_id: number
  scope: KeyScope
  space_id: number | null
  /** Test data is asked for, and only test data is seen. */
  test: boolean
  expires_at: string | null
  created_at: string
}

/** A caller of /v1: a key of its owner. */
export interface KeyActor extends CommonActor {
  kind: "key"
  key_id: string
  name: string
}

/** A signed-in user of the dashboard: acts on all that they own, of the kind (live or test) that they ask for. */
export interface SessionActor extends CommonActor {
  kind: "session"
  key_id: null
  name: string | null
  scope: "all"
  session_id: string
  role: "user" | "admin"
}

export type Actor = KeyActor | SessionActor

/** What is known of a caller in whatever state; `used_at`: when a use was noted last, as procedures have it. */
export type ActorRow = Actor & { usable: boolean; expired: boolean; used_at?: string | null }

/**
 * The CTEs with which every statement begins, so that reading the key or the session costs no round trip of its own:
 * `actor` is it in whatever state, `caller` the same row only when it may act. Everything else must join `caller`, whose
 * columns are the same for both: kind, key_id (null for a session), name, user_id, scope, space_id, test, expires_at, created_at.
 * It is empty too when the request was done `already`.
 */
function actorCte(
  credential: Credential,
  now: Date,
  { once, role }: Pick<Statement, "once" | "role">,
): RawBuilder<unknown> {
  return sql`actor as materialized (${credential.kind === "key" ? keyRow(credential, now) : sessionRow(credential, now)}
  ), ${role ? sql`caller as materialized (select * from actor where usable and role = ${role})` : callerCte(once)}, noted_use as (${credential.kind === "key" ? noteKeyUse(now) : noteSessionUse(now)})`
}

/** A rotated key's former value works until its overlap ends. */
function keyRow({ hash }: KeyCredential, now: Date): RawBuilder<unknown> {
  const value = sql`decode(${hash}, 'hex')`
  return sql`
    select 'key' as kind, k.key_id, k.name, k.user_id, k.scope, k.space_id, k.test, k.expires_at, k.created_at,
      k.valid and (k.ends_at is null or k.ends_at > ${now}::timestamptz) as usable,
      k.valid and k.ends_at <= ${now}::timestamptz as expired
    from (
      select k.*, k.revoked_at is null and u.disabled_at is null as valid,
        case when k.hash = ${value} then k.expires_at else least(k.expires_at, k.previous_expires_at) end as ends_at
      from api_keys k join users u on u.user_id = k.user_id
      where k.hash = ${value} or k.previous_hash = ${value}
    ) k`
}

/** At most once a minute. */
function noteKeyUse(now: Date): RawBuilder<unknown> {
  return sql`update api_keys k set last_used_at = ${now}::timestamptz from actor
    where actor.usable and k.key_id = actor.key_id
      and (k.last_used_at is null or k.last_used_at <= ${now}::timestamptz - interval '1 minute')`
}

function sessionRow({ sessionId, test }: SessionCredential, now: Date): RawBuilder<unknown> {
  return sql`
    select 'session' as kind, null::text as key_id, n.name, n.user_id, 'all' as scope, null::bigint as space_id,
      ${test}::boolean as test, n.expires_at, n.created_at, n.session_id, n.role,
      n.valid and n.expires_at > ${now}::timestamptz as usable, n.valid and n.expires_at <= ${now}::timestamptz as expired
    from (
      select n.*, u.name, u.role, n.ended_at is null and n.epoch = u.session_epoch and u.disabled_at is null as valid
      from sessions n join users u on u.user_id = n.user_id where n.session_id = ${sessionId}
    ) n`
}

/** A session that is used goes on for 30 days from then; that is written at most once an hour. */
function noteSessionUse(now: Date): RawBuilder<unknown> {
  const until = new Date(now.getTime() + SESSION_POLICY.lifeMs)
  const seenBefore = new Date(now.getTime() - SESSION_POLICY.noteUseMs)
  return sql`update sessions n set last_seen_at = ${now}::timestamptz, expires_at = ${until}::timestamptz from actor
    where actor.usable and n.session_id = actor.session_id and n.last_seen_at <= ${seenBefore}::timestamptz`
}

/** The spaces a caller may touch: its owner's, of its own kind (live or test), within its scope (contract section 5). */
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

/** The actor of a statement's row, or the 401 of its kind. */
export function requireActor(row: ActorRow | null | undefined, credential: Credential): Actor {
  if (!row?.usable) throw refusal(credential, row?.expired ?? false)
  const { usable: _usable, expired: _expired, used_at: _usedAt, ...actor } = row
  return actor
}

function refusal({ kind }: Credential, expired: boolean): TurnpikeError {
  if (kind === "session") {
    const message = expired
      ? "The session has expired. Sign in again."
      : "There is no such session any more. Sign in again."
    return new TurnpikeError("SESSION_REQUIRED", message)
  }
  if (expired) return new TurnpikeError("API_KEY_EXPIRED", "This API key has expired.")
  return new TurnpikeError("INVALID_API_KEY", "This API key is unknown or was revoked.")
}

export const adminRequired = () => new TurnpikeError("ADMIN_REQUIRED", "This is for admins only.")

/** The key that acts; only a key comes to the operations that ask for it. */
export function keyOf(actor: Actor): KeyActor {
  if (actor.kind !== "key") throw new Error("a session has come to an operation of keys")
  return actor
}

interface Statement {
  /** CTEs behind `caller`. */
  ctes?: RawBuilder<unknown>
  select: RawBuilder<unknown>
  /** Only a session of a user who has it now may act: for others `caller` is empty, and the answer is ADMIN_REQUIRED. */
  role?: "admin"
  /** The request's Idempotency-Key, if it came with one: then the statement has its effect at most once. */
  once?: Once | undefined
  /** With `once`: a query for the id of what the CTEs made, or no row when they refused. */
  made?: RawBuilder<unknown>
}

/**
 * Runs one statement of a caller. `replayOf`: the id of what an earlier request made under the same Idempotency-Key; then
 * this one had no effect and `row` is empty. IDEMPOTENCY_KEY_REUSED when that was another request.
 */
export async function queryAs<Row>(
  ctx: Context,
  credential: Credential,
  { ctes, select, role, once, made }: Statement,
): Promise<{ actor: Actor; row: Row; replayOf: string | null }> {
  const fingerprints = once?.request === undefined ? null : await fingerprintsOf(ctx, once.request)
  const notes = once && fingerprints && made ? notedCte(ctx, once, fingerprints[0], made) : null
  const statement = sql<Row & { actor: ActorRow | null; already: UsedKey | null; noted: boolean }>`with
    ${actorCte(credential, ctx.clock.now(), { once, ...(role && { role }) })} ${ctes ? sql`, ${ctes}` : sql``} ${notes ? sql`, ${notes}` : sql``}
    select (select to_jsonb(actor) from actor) as actor,
      ${once ? sql`(select to_jsonb(already) from already)` : sql`null::jsonb`} as already,
      ${notes ? sql`exists (select 1 from noted)` : sql`false`} as noted, answer.*
    from (select 1) as one left join lateral (${select}) as answer on true`
  const run = async () => {
    const row = (await statement.execute(ctx.db)).rows[0]
    return { row, isSettled: !row?.actor?.usable || row.already !== null || row.noted }
  }
  const { row } = notes ? await runOnce(run) : await run()
  const actor = requireActor(row?.actor, credential)
  if (role && !(actor.kind === "session" && actor.role === role)) throw adminRequired()
  const already = row?.already ?? null
  if (already && fingerprints && !fingerprints.includes(already.fingerprint)) throw keyReused()
  return { actor, row: row as Row, replayOf: already?.resource_id ?? null }
}
