import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type KeyRow, keyNotFound, keyRevoked } from "./key-row.ts"

export const KEEP_KEY_ERRORS = ["NOT_FOUND", "KEY_REVOKED"] as const

/**
 * Keeps the values of a key that a person knows. Without a person: those of all people who have left or have fewer
 * rights than the key. Throws NOT_FOUND, KEY_REVOKED.
 */
export async function keepKey(
  ctx: Context,
  credential: SessionCredential,
  keyId: string,
  person: number | null = null,
): Promise<KeyRow> {
  const { row } = await callAs(ctx, credential, "keep_key", { key_id: keyId, person })
  if (row.refused === "revoked") throw keyRevoked()
  if (!row.key) throw keyNotFound(keyId)
  return row.key
}
