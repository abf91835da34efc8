import { SignJWT } from "jose"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import type { Redis } from "../platform/redis.ts"
import { bodyDigest, CLOCK_TOLERANCE_SECONDS, verifySignedBody } from "../platform/signed-body.ts"
import { TIME_LIMITS } from "../platform/time-limits.ts"

const ISSUER = "turnpike"
const VALID_SECONDS = 60

/** The header with the token of a call from one of our workers to another. */
export const INTERNAL_SIGNATURE = "turnpike-signature"

/**
 * Asks the callbacks worker to do what needs its packages or its access to customers' URLs, and returns its JSON answer. UNAVAILABLE
 * when it does not answer. The call is signed under a key derived from the key ring.
 */
export async function callCallbacksWorker(ctx: Context, path: string, input: unknown): Promise<unknown> {
  const url = ctx.callbackUrl(path)
  const body = new TextEncoder().encode(JSON.stringify(input)) as Uint8Array<ArrayBuffer>
  const [key] = await ctx.keyRing.derive("internal-calls")
  const seconds = Math.floor(ctx.clock.now().getTime() / 1000)
  const token = await new SignJWT({ body: await bodyDigest(body) })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(ISSUER)
    .setSubject(url)
    .setJti(newId("request", ctx.clock.now()))
    .setNotBefore(seconds)
    .setExpirationTime(seconds + VALID_SECONDS)
    .sign(key as Uint8Array)
  const unavailable = (cause: unknown) =>
    new TurnpikeError("UNAVAILABLE", "The worker that calls tools does not answer. Try again.", {
      retryAfter: 1,
      cause,
    })
  const response = await ctx
    .fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", [INTERNAL_SIGNATURE]: token },
      body,
      signal: AbortSignal.timeout(TIME_LIMITS.workerMs),
    })
    .catch((error: unknown) => {
      throw unavailable(error)
    })
  if (!response.ok) throw unavailable(new Error(`HTTP ${response.status} ${(await response.text()).slice(0, 300)}`))
  return response.json()
}

/**
 * Verifies that one of our own workers sent this body to this path, and that it comes for the first time: a call is one try of a customer's
 * tool. INVALID_SIGNATURE otherwise; UNAVAILABLE without Redis, which keeps the calls that came.
 */
export async function verifyInternalCall(
  ctx: Context & { redis: Redis },
  { signature, path, body }: { signature: string | undefined; path: string; body: ArrayBuffer },
): Promise<void> {
  if (!signature) throw new TurnpikeError("INVALID_SIGNATURE", "The request is not signed.")
  const keys = await ctx.keyRing.derive("internal-calls")
  const signed = { token: signature, issuer: ISSUER, keys, url: ctx.callbackUrl(path), body, now: ctx.clock.now() }
  const { jti } = await verifySignedBody(signed).catch((error: Error) => {
    throw new TurnpikeError("INVALID_SIGNATURE", error.message, { cause: error })
  })
  const ttlMs = (VALID_SECONDS + 2 * CLOCK_TOLERANCE_SECONDS) * 1000
  const isFirst = jti !== undefined && (await ctx.redis.set(`internal:${jti}`, "1", { ttlMs, onlyNew: true }))
  if (!isFirst) throw new TurnpikeError("INVALID_SIGNATURE", "This call has come before.")
}
