import { SignJWT } from "jose"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { bodyDigest } from "../platform/signed-body.ts"
import { TIME_LIMITS } from "../platform/time-limits.ts"

/** The issuer and the lifetime of the token that signs a call from one of our workers to another. */
export const INTERNAL_CALL = { issuer: "turnpike", validSeconds: 60 } as const

/** The header with the token of a call from one of our workers to another. */
export const INTERNAL_SIGNATURE = "turnpike-signature"

/**
 * Calls the callbacks worker, which alone has the packages for tools and access to owners' URLs. Returns its JSON
 * response. UNAVAILABLE if it does not answer.
 */
export async function callCallbacksWorker(ctx: Context, path: string, input: unknown): Promise<unknown> {
  const response = await openCallbacksWorker(ctx, path, input, AbortSignal.timeout(TIME_LIMITS.workerMs))
  return response.json()
}

/** The same, for a response that is read while it is made. A key that is derived from the key ring signs the call. */
export async function openCallbacksWorker(
  ctx: Context,
  path: string,
  input: unknown,
  signal: AbortSignal,
): Promise<Response> {
  const url = ctx.callbackUrl(path)
  const body = new TextEncoder().encode(JSON.stringify(input)) as Uint8Array<ArrayBuffer>
  const [key] = await ctx.keyRing.derive("internal-calls")
  const seconds = Math.floor(ctx.clock.now().getTime() / 1000)
  const token = await new SignJWT({ body: await bodyDigest(body) })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(INTERNAL_CALL.issuer)
    .setSubject(url)
    .setJti(newId("request", ctx.clock.now()))
    .setNotBefore(seconds)
    .setExpirationTime(seconds + INTERNAL_CALL.validSeconds)
    .sign(key as Uint8Array)
  const unavailable = (cause: unknown) =>
    new TurnpikeError("UNAVAILABLE", "The worker that calls tools does not answer. Try again.", {
      retryAfter: 1,
      cause,
    })
  const headers = { "content-type": "application/json", [INTERNAL_SIGNATURE]: token }
  const response = await ctx.fetch(url, { method: "POST", headers, body, signal }).catch((error: unknown) => {
    throw unavailable(error)
  })
  if (!response.ok) throw unavailable(new Error(`HTTP ${response.status} ${(await response.text()).slice(0, 300)}`))
  return response
}
