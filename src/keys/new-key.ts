import { newId } from "../base/ids.ts"
import { generateApiKey } from "./api-key.ts"
import { capColumns, type SetCaps } from "./caps.ts"
import type { KeyRow } from "./key-row.ts"

export interface NewKey {
  brand: string
  name: string
  /** Default: created. */
  scope?: "created" | "space" | "all"
  test?: boolean
  expiresAt?: Date | null
  caps?: SetCaps
}

/**
 * A new key's value, and its row of api_keys without its owner (user_id) and its space (space_id), for
 * `jsonb_populate_record`. The one way to make a key. The value is stored nowhere.
 */
export function newKey(
  { brand, name, scope = "created", test = false, expiresAt = null, caps = {} }: NewKey,
  now: Date,
) {
  const { value, hash, hint } = generateApiKey(brand, test)
  const row = {
    key_id: newId("key", now),
    hash: `\\x${hash}`,
    hint,
    name,
    scope,
    test,
    expires_at: expiresAt?.toISOString() ?? null,
    created_at: now.toISOString(),
    ending_turns: false,
    ...capColumns(caps),
  } satisfies Partial<KeyRow> & { hash: string; ending_turns: boolean }
  return { value, row }
}
