import { createHmac } from "node:crypto"
import { TurnpikeError } from "../base/errors.ts"
import { hashRequest } from "../base/request-hash.ts"
import { DAY_MS } from "../base/time.ts"
import { callOne } from "../platform/db.ts"
import type { Answers } from "../platform/procedures.ts"
import type { Context } from "./context.ts"

/** One logical request, identified by its Idempotency-Key. It takes effect once (design promise 11). */
export interface Once {
  key: string
  /** The whole request with its operation. Omitted while it is not known yet: then the key is only looked up. */
  request?: unknown
}

export const ONCE_POLICY = {
  /** How long, at least, a repeated Idempotency-Key is recognised. Keys of turns are kept with the turn. */
  keyDays: 7,
  sweepBatch: 5_000,
  sweepBatches: 20,
} as const

/** The earlier request of a used key, as procedures return it. */
export type UsedKey = Answers["earlier_request"]

/**
 * The request's fingerprint under each key of the ring. The first one, under the newest key, is
 * stored. A plain hash would not do: a request may contain secrets that are short enough to guess.
 */
export async function fingerprintsOf(ctx: Context, request: unknown): Promise<[string, ...string[]]> {
  const hash = hashRequest(request)
  const keys = await ctx.keyRing.derive("idempotency-keys")
  return keys.map((key) => createHmac("sha256", key).update(hash).digest("hex")) as [string, ...string[]]
}

/**
 * The id of the resource that a used key created; null for a new key. `fingerprints` has the
 * fingerprints of this request, or is empty if the key is only looked up. Throws
 * IDEMPOTENCY_KEY_REUSED if the earlier request was different.
 */
export function replayedBy(already: UsedKey | null, fingerprints: string[]): string | null {
  if (already && fingerprints.length > 0 && !fingerprints.includes(already.fingerprint)) throw keyReused()
  return already?.resource_id ?? null
}

export function keyReused(
  message = "This Idempotency-Key was used for a different request. Use a new key, or send exactly the same request.",
): TurnpikeError {
  return new TurnpikeError("IDEMPOTENCY_KEY_REUSED", message)
}

/**
 * The answer to a repeat: the resource as `read` finds it now. Throws IDEMPOTENCY_KEY_REUSED if it no longer exists.
 */
export async function replay<T>(read: Promise<T>): Promise<{ made: T; replayed: true }> {
  const made = await read.catch((error: unknown) => {
    if (!(error instanceof TurnpikeError && error.code === "NOT_FOUND")) throw error
    throw keyReused(
      "The resource created with this Idempotency-Key was deleted, or this API key cannot access it. Use a new key.",
    )
  })
  return { made, replayed: true }
}

/** The answer of a verb that accepts an Idempotency-Key. */
export interface Made<T> {
  made: T
  /** True if an earlier request created it. */
  replayed: boolean
}

/** Deletes Idempotency-Keys older than `keyDays`. */
export async function sweepIdempotencyKeys(ctx: Context): Promise<{ forgotten: number }> {
  const before = new Date(ctx.clock.now().getTime() - ONCE_POLICY.keyDays * DAY_MS)
  const limit = ONCE_POLICY.sweepBatch
  let forgotten = 0
  for (let batch = 0; batch < ONCE_POLICY.sweepBatches; batch++) {
    const answer = await callOne(ctx.db, "forget_idempotency_keys", { before, limit })
    const count = answer.forget_idempotency_keys ?? 0
    forgotten += count
    if (count < limit) break
  }
  return { forgotten }
}
