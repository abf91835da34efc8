import { createHmac } from "node:crypto"
import { TurnpikeError } from "../base/errors.ts"
import { hashRequest } from "../base/request-hash.ts"
import { DAY_MS } from "../base/time.ts"
import { callOne } from "../platform/db.ts"
import type { Answers } from "../platform/procedures.ts"
import type { Context } from "./context.ts"

/** One logical request, as its Idempotency-Key names it. It has its effect once (design promise 11). */
export interface Once {
  key: string
  /** The whole request, with its operation. Left out while it is not known yet: then the key is only looked up. */
  request?: unknown
}

export const ONCE_POLICY = {
  /** How long, at least, a repeat under the same Idempotency-Key is recognised. Keys of turns are kept with the turn. */
  keyDays: 7,
  sweepBatch: 5_000,
  sweepBatches: 20,
} as const

/** A key that was used before, as procedures answer it. */
export type UsedKey = Answers["earlier_request"]

/**
 * The request's fingerprint under each key of the ring. The first, under the newest key, is stored. It is keyed, since a request may
 * hold secrets that are short enough to guess from a plain hash.
 */
export async function fingerprintsOf(ctx: Context, request: unknown): Promise<[string, ...string[]]> {
  const hash = hashRequest(request)
  const keys = await ctx.keyRing.derive("idempotency-keys")
  return keys.map((key) => createHmac("sha256", key).update(hash).digest("hex")) as [string, ...string[]]
}

/**
 * The id of what was made under a used key; null for a new one. `fingerprints` are those of this request; empty when the key is only
 * looked up. IDEMPOTENCY_KEY_REUSED when the earlier request was a different one.
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

/** The answer to a repeat: what the first request made, as `read` finds it now. IDEMPOTENCY_KEY_REUSED when it no longer exists. */
export async function replay<T>(read: Promise<T>): Promise<{ made: T; replayed: true }> {
  const made = await read.catch((error: unknown) => {
    if (!(error instanceof TurnpikeError && error.code === "NOT_FOUND")) throw error
    throw keyReused("What was made under this Idempotency-Key is there no more, or this key may not see it.")
  })
  return { made, replayed: true }
}

/** The answer of a verb that takes an Idempotency-Key. */
export interface Made<T> {
  made: T
  /** Whether an earlier request made it. */
  replayed: boolean
}

/** Deletes Idempotency-Keys whose time is over. */
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
