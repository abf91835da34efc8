import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { SessionCredential } from "../actor/credential.ts"
import { endKeyTurns } from "../ending/causes.ts"
import { type KeyRow, keyNotFound } from "./key-row.ts"

/**
 * Revokes a key for good: its next request is refused. Its queued turns are cancelled (`key_revoked`), its running ones asked
 * to stop at their next boundary; what is left when the answer goes out, the sweeper ends. Again: the same answer. NOT_FOUND.
 */
export async function revokeKey(ctx: Context, credential: SessionCredential, keyId: string): Promise<KeyRow> {
  type Row = { actor: unknown; key: KeyRow | null; ending: boolean | null }
  const { actor, row } = await callAs<"revoke_key", Row>(ctx, credential, "revoke_key", { key_id: keyId })
  if (!row.key) throw keyNotFound(keyId)
  if (row.ending) await endKeyTurns(ctx, { key_id: keyId, user_id: actor.user_id })
  return row.key
}
