import type { CallbacksEnv } from "../env.ts"
import { TurnpikeError } from "../errors.ts"
import { verifySignedBody } from "./signed-body.ts"

/**
 * Verifies QStash's signature with the current or the next key. INVALID_SIGNATURE otherwise. Written on jose, since the
 * SDK's Receiver has no clock to inject.
 */
export async function verifySignature(
  env: Pick<CallbacksEnv, "QSTASH_CURRENT_SIGNING_KEY" | "QSTASH_NEXT_SIGNING_KEY">,
  { signature, url, body, now }: { signature: string | undefined; url: string; body: ArrayBuffer; now: Date },
): Promise<void> {
  if (!signature) throw new TurnpikeError("INVALID_SIGNATURE", "It is not signed.")
  const keys = [env.QSTASH_CURRENT_SIGNING_KEY, env.QSTASH_NEXT_SIGNING_KEY].map((key) => new TextEncoder().encode(key))
  await verifySignedBody({ token: signature, issuer: "Upstash", keys, url, body, now }).catch((error: Error) => {
    throw new TurnpikeError("INVALID_SIGNATURE", error.message, { cause: error })
  })
}
