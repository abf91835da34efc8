import { createHmac } from "node:crypto"
import type { Context } from "../actor/context.ts"
import { keyReused, type Once } from "../actor/once.ts"
import type { KeyRow } from "./key-row.ts"

type Bytes = () => Uint8Array

/**
 * The bytes of a new key's secret. For a request with an Idempotency-Key, they are derived from it and from a key of
 * the ring, so that a repeat shows the same value although the value is not stored. One source for each key of the
 * ring, newest first. Undefined: random bytes.
 */
export async function secretSources(
  ctx: Context,
  once: Once | undefined,
  { userId, purpose }: { userId: number; purpose: string },
): Promise<(() => Bytes)[] | undefined> {
  if (once === undefined) return undefined
  const keys = await ctx.keyRing.derive("idempotency-keys")
  return keys.map((key) => () => {
    let block = 0
    return () =>
      createHmac("sha512", key)
        .update(JSON.stringify([purpose, userId, once.key, block++]))
        .digest()
  })
}

/** The value of a repeat: the one whose hint the key has now. Throws IDEMPOTENCY_KEY_REUSED after a later rotation. */
export function repeatedValue(key: KeyRow, values: readonly { value: string; hint: string }[]): string {
  const repeated = values.find(({ hint }) => hint === key.hint)
  if (!repeated)
    throw keyReused("The API key got a new value since this Idempotency-Key was used. Use a new Idempotency-Key.")
  return repeated.value
}
