import { createHmac } from "node:crypto"
import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { violates } from "../platform/db.ts"
import { hashRequest } from "../request-hash.ts"

/** One logical request, as its sender's Idempotency-Key names it: what is done under it is done once (design promise 11). */
export interface Once {
  key: string
  /** All that was asked for, the operation included. Left out while it is not known yet: then only the key is looked up. */
  request?: unknown
}

export const ONCE_POLICY = {
  /** So long at least a repeat under the same Idempotency-Key is told from a new request; those of turns never end. */
  keyDays: 7,
  sweepBatch: 5_000,
  sweepBatches: 20,
} as const

/** What the database knows of the key: filled when it was used before. */
export interface UsedKey {
  fingerprint: string
  resource_id: string
}

/**
 * `caller`, behind `actor`: the same row when it may act. With a key that was used before, which `already` then holds, it is
 * empty, so that whatever joins it has no effect. Keys belong to the account.
 */
export function callerCte(once: Once | undefined): RawBuilder<unknown> {
  if (!once) return sql`caller as materialized (select * from actor where usable)`
  return sql`already as materialized (
    select i.fingerprint, i.resource_id from idempotency_keys i, actor
    where actor.usable and i.user_id = actor.user_id and i.test = actor.test and i.key = ${once.key}
  ), caller as materialized (select * from actor where usable and not exists (select 1 from already))`
}

/**
 * `noted`: the key's record, written by the very statement that makes what `made` yields the id of, so that neither is ever
 * there without the other. A refusal makes nothing and is not noted.
 */
export function notedCte(ctx: Context, { key }: Once, fingerprint: string, made: RawBuilder<unknown>) {
  return sql`noted as (
    insert into idempotency_keys (user_id, test, key, fingerprint, resource_id, created_at)
    select caller.user_id, caller.test, ${key}, ${fingerprint}, made.id, ${ctx.clock.now()}::timestamptz
    from caller, (${made}) as made (id)
    returning 1
  )`
}

/**
 * Runs a statement with `already` and `noted`. Again, when its twin came first: its key is then in use, or it was refused
 * for what the twin has done, and now the twin's record is there.
 */
export async function runOnce<Answer extends { isSettled: boolean }>(run: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; tries < 3; tries++) {
    const answer = await run().catch((error: unknown) => {
      if (violates(error, "idempotency_keys_pkey")) return null
      throw error
    })
    if (answer && (answer.isSettled || tries > 1)) return answer
  }
  return run()
}

const PURPOSE = "turnpike idempotency keys"

/**
 * The request's fingerprint under each key of the ring, the newest first: that one is stored. Not a plain hash, since a
 * request may hold secrets that are short enough to be guessed.
 */
export async function fingerprintsOf(ctx: Context, request: unknown): Promise<[string, ...string[]]> {
  const hash = hashRequest(request)
  const keys = await ctx.keyRing.derive(PURPOSE)
  return keys.map((key) => createHmac("sha256", key).update(hash).digest("hex")) as [string, ...string[]]
}

/**
 * The id of what was made under a key that was used before; null for a new one. `fingerprints` are those of this request, none
 * when only the key is looked up. IDEMPOTENCY_KEY_REUSED when the other request was another.
 */
export function replayedBy(already: UsedKey | null, fingerprints: string[]): string | null {
  if (already && fingerprints.length > 0 && !fingerprints.includes(already.fingerprint)) throw keyReused()
  return already?.resource_id ?? null
}

export function keyReused(
  message = "This Idempotency-Key was used for another request: use a new key, or send exactly what was sent with it.",
): TurnpikeError {
  return new TurnpikeError("IDEMPOTENCY_KEY_REUSED", message)
}

/** A replay's answer: what the request made, as `read` finds it now. IDEMPOTENCY_KEY_REUSED when it is there no more. */
export async function replay<T>(read: Promise<T>): Promise<{ made: T; replayed: true }> {
  const made = await read.catch((error: unknown) => {
    if (!(error instanceof TurnpikeError && error.code === "NOT_FOUND")) throw error
    throw keyReused("What was made under this Idempotency-Key is there no more, or this key may not see it.")
  })
  return { made, replayed: true }
}

/** What a verb that takes an Idempotency-Key answers. */
export interface Made<T> {
  made: T
  /** Whether an earlier request has made it. */
  replayed: boolean
}
