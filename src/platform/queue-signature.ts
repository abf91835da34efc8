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
      // Set explicitly, since a variable QSTASH_DEV would otherwise make it accept the keys in QStash's documentation.
      devMode: false,
    }),
)

/**
 * Verifies QStash's signature, or throws INVALID_SIGNATURE. We check the token (MAC, algorithm,
 * issuer, URL, times) before reading the body, so a stranger's body is never read, and with our
 * clock. The SDK's Receiver needs the body; it checks that the body is the signed one.
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
    // Strict decoding, so that two different bodies never decode to the same text.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)
    await receiverOf(env).verify({ signature, url, body: text, clockTolerance: Number.POSITIVE_INFINITY })
  } catch (error) {
    invalid(error)
  }
}

function invalid(cause: unknown): never {
  throw new TurnpikeError("INVALID_SIGNATURE", "The signature is not valid for this URL and body.", { cause })
}
