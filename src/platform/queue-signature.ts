import { errors, jwtVerify } from "jose"
import type { CallbacksEnv } from "../env.ts"
import { TurnpikeError } from "../errors.ts"

const TOLERANCE_SECONDS = 5

/**
 * Verifies QStash's signature: HS256 with the current or the next key, issuer, exact URL, validity at `now`, and the
 * SHA-256 of the raw body. INVALID_SIGNATURE otherwise. Written on jose, since the SDK's Receiver has no clock to inject.
 */
export async function verifySignature(
  env: Pick<CallbacksEnv, "QSTASH_CURRENT_SIGNING_KEY" | "QSTASH_NEXT_SIGNING_KEY">,
  { signature, url, body, now }: { signature: string | undefined; url: string; body: ArrayBuffer; now: Date },
): Promise<void> {
  if (!signature) throw refused("It is not signed.")
  const claims = await verifyWith(env.QSTASH_CURRENT_SIGNING_KEY, signature, url, now).catch((error: unknown) => {
    if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw refused("The token is not valid here.", error)
    return verifyWith(env.QSTASH_NEXT_SIGNING_KEY, signature, url, now).catch((again: unknown) => {
      throw refused("The signature is wrong.", again)
    })
  })
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body))
  const expected = btoa(String.fromCharCode(...digest))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "")
  if (String(claims.body).replace(/=+$/, "") !== expected) throw refused("The body was altered.")
}

async function verifyWith(key: string, signature: string, url: string, now: Date) {
  const { payload } = await jwtVerify(signature, new TextEncoder().encode(key), {
    algorithms: ["HS256"],
    issuer: "Upstash",
    subject: url,
    currentDate: now,
    clockTolerance: TOLERANCE_SECONDS,
    requiredClaims: ["exp", "nbf", "body"],
  })
  return payload
}

function refused(message: string, cause?: unknown): TurnpikeError {
  return new TurnpikeError("INVALID_SIGNATURE", message, { cause })
}
