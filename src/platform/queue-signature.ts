import { Receiver } from "@upstash/qstash"
import type { CallbacksEnv } from "../base/env.ts"
import { TurnpikeError } from "../base/errors.ts"
import { onceFor } from "../base/once-for.ts"
import { verifyToken } from "./signed-body.ts"

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
 * Verifies QStash's signature; INVALID_SIGNATURE otherwise. The token is checked before `readBody` is called, so nothing is read of a
 * stranger's body. The SDK's Receiver checks that the body is the one that was signed. We check the token's MAC (current or next key),
 * algorithm, issuer, URL and times ourselves, since the Receiver needs the body for that and takes no clock.
 */
export async function verifySignature(
  env: SigningKeys,
  {
    signature,
    url,
    readBody,
    now,
  }: { signature: string | undefined; url: string; readBody: () => Promise<ArrayBuffer>; now: Date },
): Promise<void> {
  if (!signature) throw new TurnpikeError("INVALID_SIGNATURE", "The request is not signed.")
  const keys = [env.QSTASH_CURRENT_SIGNING_KEY, env.QSTASH_NEXT_SIGNING_KEY].map((key) => new TextEncoder().encode(key))
  await verifyToken({ token: signature, issuer: "Upstash", keys, url, now }).catch(invalid)
  const body = await readBody()
  try {
    // Strict, so two different bodies never decode to the same text.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)
    await receiverOf(env).verify({ signature, url, body: text, clockTolerance: Number.POSITIVE_INFINITY })
  } catch (error) {
    invalid(error)
  }
}

function invalid(cause: unknown): never {
  throw new TurnpikeError("INVALID_SIGNATURE", "The signature is not valid for this URL and body.", { cause })
}
