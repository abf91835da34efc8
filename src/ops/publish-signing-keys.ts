import type { Context } from "../actor/context.ts"
import { ed25519Of } from "../base/ed25519.ts"
import { createKeyRing, parseKeyRing } from "../base/key-ring.ts"
import { callOne } from "../platform/db.ts"

/**
 * Publishes the public halves of the keys of a whole ring that sign receipts and statements. No worker can do it, so a
 * lost connection string of a worker cannot add a key (docs/architecture/receipts.md).
 */
export async function publishSigningKeys(ctx: Pick<Context, "db" | "clock">, ring: string): Promise<void> {
  const seeds = await createKeyRing(parseKeyRing(ring)).derive("receipts")
  const pairs = await Promise.all(seeds.map(ed25519Of))
  await callOne(ctx.db, "note_signing_keys", { public_keys: pairs.map(({ x }) => x), moment: ctx.clock.now() })
}
