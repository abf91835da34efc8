import { Receiver } from "@upstash/qstash"
import { decodeJwt, decodeProtectedHeader } from "jose"
import type { CallbacksEnv } from "../base/env.ts"
import { TurnpikeError } from "../base/errors.ts"
import { onceFor } from "../base/once-for.ts"
import { CLOCK_TOLERANCE_SECONDS } from "./signed-body.ts"

type SigningKeys = Pick<CallbacksEnv, "QSTASH_CURRENT_SIGNING_KEY" | "QSTASH_NEXT_SIGNING_KEY">

const receiverOf = onceFor(
  (env: SigningKeys) =>
    new Receiver({
      currentSigningKey: env.QSTASH_CURRENT_SIGNING_KEY,
      nextSigningKey: env.QSTASH_NEXT_SIGNING_KEY,
      // Set, since otherwise a variable QSTASH_DEV would make it accept the keys printed in QStash's documentation.
      devMode: false,
    }),
)

/**
 * Verifies QStash's signature; INVALID_SIGNATURE otherwise. The SDK's Receiver checks the MAC (current or next key), the issuer, the
 * URL and the body's hash. We check the algorithm and the times, since the Receiver takes no clock.
 */
export async function verifySignature(
  env: SigningKeys,
  { signature, url, body, now }: { signature: string | undefined; url: string; body: ArrayBuffer; now: Date },
): Promise<void> {
  if (!signature) throw new TurnpikeError("INVALID_SIGNATURE", "The request is not signed.")
  try {
    // Strict, so two different bodies never decode to the same text.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)
    const clockTolerance = Number.POSITIVE_INFINITY
    await receiverOf(env).verify({ signature, url, body: text, clockTolerance })
    checkRest(signature, now)
  } catch (error) {
    throw new TurnpikeError("INVALID_SIGNATURE", "The signature is not valid for this URL and body.", { cause: error })
  }
}

/** Checks the algorithm and times of a token whose MAC is right. Throws an Error that says what is wrong. */
function checkRest(token: string, now: Date): void {
  if (decodeProtectedHeader(token).alg !== "HS256") throw new Error("The algorithm is not HS256.")
  const { nbf, exp } = decodeJwt(token)
  const seconds = Math.floor(now.getTime() / 1000)
  if (typeof nbf !== "number" || nbf > seconds + CLOCK_TOLERANCE_SECONDS) throw new Error("The token is not valid yet.")
  if (typeof exp !== "number" || exp <= seconds - CLOCK_TOLERANCE_SECONDS)
    throw new Error("The token is no longer valid.")
}
