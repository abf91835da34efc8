import type { Context } from "../actor/context.ts"
import { ed25519Of } from "../base/ed25519.ts"
import { createKeyRing, parseKeyRing } from "../base/key-ring.ts"
import { callOne } from "../platform/db.ts"
import { SIGNING_PURPOSES } from "../signing/signing-keys.ts"

/**
 * Publishes the public halves of the keys of a whole ring that sign: those for receipts, and those for the identity of
 * tools' calls. No worker can do it, so a lost connection string of a worker cannot add a key
 * (docs/architecture/receipts.md).
 */
export async function publishSigningKeys(ctx: Pick<Context, "db" | "clock">, ring: string): Promise<void> {
  const keyRing = createKeyRing(parseKeyRing(ring))
  for (const purpose of SIGNING_PURPOSES) {
    const pairs = await Promise.all((await keyRing.derive(purpose)).map(ed25519Of))
    const public_keys = pairs.map(({ x }) => x)
    await callOne(ctx.db, "note_signing_keys", { public_keys, purpose, moment: ctx.clock.now() })
  }
}
