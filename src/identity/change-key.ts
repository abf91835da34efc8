import { type RawBuilder, sql } from "kysely"
import * as z from "zod"
import type { Context } from "../context.ts"
import { instantParam } from "../time.ts"
import { queryAs } from "./actor.ts"
import { generateApiKey } from "./api-key.ts"
import { capColumns, setCapsSchema } from "./caps.ts"
import { futureInstant, keyName } from "./create-key.ts"
import type { SessionCredential } from "./credential.ts"
import { type KeyRow, keyJson, keyNotFound, keyRevoked } from "./key-row.ts"
import { KEY_POLICY } from "./policies.ts"

export const updateKeySchema = z
  .strictObject({
    name: keyName.optional(),
    expires_at: instantParam.nullable().optional().meta({ description: "null: never." }),
    caps: setCapsSchema.optional().meta({ description: "Caps that are left out stay as they are." }),
  })
  .meta({ id: "UpdateApiKey" })

/** Renames a key, sets its expiry or its caps; what is left out stays. NOT_FOUND, KEY_REVOKED, VALIDATION_FAILED. */
export function updateKey(
  ctx: Context,
  credential: SessionCredential,
  keyId: string,
  { name, expires_at, caps = {} }: z.output<typeof updateKeySchema>,
): Promise<KeyRow> {
  const until = expires_at ? futureInstant(expires_at, ctx.clock.now()).toISOString() : null
  const changes = [
    sql`name = coalesce(${name ?? null}::text, k.name)`,
    ...(expires_at === undefined ? [] : [sql`expires_at = ${until}::timestamptz`]),
    ...Object.entries(capColumns(caps)).map(([column, amount]) => sql`${sql.ref(column)} = ${amount}::bigint`),
  ]
  return changeKey(ctx, credential, keyId, changes)
}

export const rotateKeySchema = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(KEY_POLICY.maxOverlapSeconds)
      .default(KEY_POLICY.overlapSeconds)
      .meta({ description: "How long the value before goes on working; 0: not at all." }),
  })
  .meta({ id: "RotateApiKey" })

/**
 * Gives a key a new value; its id, scope and caps stay. The former value works until the overlap ends; one from a rotation
 * before that ends now. NOT_FOUND, KEY_REVOKED.
 */
export async function rotateKey(
  ctx: Context,
  credential: SessionCredential,
  { keyId, overlapSeconds }: { keyId: string; overlapSeconds: number },
): Promise<{ key: KeyRow; value: string }> {
  const [live, test] = [generateApiKey(ctx.brand, false), generateApiKey(ctx.brand, true)]
  const until = new Date(ctx.clock.now().getTime() + overlapSeconds * 1000)
  const overlaps = overlapSeconds > 0
  const key = await changeKey(ctx, credential, keyId, [
    sql`previous_hash = case when ${overlaps}::boolean then k.hash end`,
    sql`previous_expires_at = case when ${overlaps}::boolean then ${until}::timestamptz end`,
    sql`hash = decode(case when k.test then ${test.hash} else ${live.hash} end, 'hex')`,
    sql`hint = case when k.test then ${test.hint} else ${live.hint} end`,
  ])
  return { key, value: key.test ? test.value : live.value }
}

/** Changes the caller's key `k`, unless it was revoked. */
async function changeKey(
  ctx: Context,
  credential: SessionCredential,
  keyId: string,
  changes: RawBuilder<unknown>[],
): Promise<KeyRow> {
  const { row } = await queryAs<{ key: KeyRow | null; known: boolean }>(ctx, credential, {
    ctes: sql`changed as (
      update api_keys k set ${sql.join(changes)} from caller
      where k.key_id = ${keyId} and k.user_id = caller.user_id and k.revoked_at is null
      returning k.*
    )`,
    select: sql`select (select ${keyJson} from changed k) as key,
      exists (select 1 from api_keys k, caller where k.key_id = ${keyId} and k.user_id = caller.user_id) as known`,
  })
  if (row.key) return row.key
  throw row.known ? keyRevoked() : keyNotFound(keyId)
}
