import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type KeyRow, keyNotFound, keyRevoked } from "./key-row.ts"

export const KEEP_KEY_ERRORS = ["NOT_FOUND", "KEY_REVOKED"] as const

/** Keeps a key of a person who has left or has fewer rights now. Its value stays. Throws NOT_FOUND, KEY_REVOKED. */
export async function keepKey(ctx: Context, credential: SessionCredential, keyId: string): Promise<KeyRow> {
  const { row } = await callAs(ctx, credential, "keep_key", { key_id: keyId })
  if (row.refused === "revoked") throw keyRevoked()
  if (!row.key) throw keyNotFound(keyId)
  return row.key
}
